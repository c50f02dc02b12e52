import { expect, it } from "vitest";
import { makePendulum } from "../../mock/pendulum.ts";
import { calcExtent } from "./extent.ts";

it("is the ball around what is seen, without the endless floor and the hidden shapes", () => {
  const world = makePendulum();
  world.setJoint("pendulum/pivot", 0);
  const scene = { ...world.scene, id: 1 };
  const rod = calcExtent(scene, new Float32Array(world.poses(0)), new Map(), 2);
  // From the top of the bar, 0.4 above its middle with the cap, to the bottom of the bob.
  const [top, bottom] = [1.2, 1.2 - 0.87];
  expect(rod.center.z).toBeCloseTo((top + bottom) / 2, 2);
  expect(rod.radius).toBeCloseTo(Math.hypot(top - bottom, 0.14, 0.14) / 2, 2);
});

it("turns boxes with their body", () => {
  const world = makePendulum();
  world.setJoint("pendulum/pivot", Math.PI / 2);
  const scene = { ...world.scene, id: 1 };
  const { center } = calcExtent(scene, new Float32Array(world.poses(0)), new Map(), 2);
  expect(center.x).toBeCloseTo(-0.435, 2);
  expect(center.z).toBeCloseTo(1.2, 2);
});
