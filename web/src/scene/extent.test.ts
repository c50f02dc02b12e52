import { expect, it } from "vitest";
import type { Scene, Shape } from "../protocol.ts";
import { calcExtent, groundHeight } from "./extent.ts";

const shape: Omit<Shape, "name" | "geometry"> = {
  body: 1,
  position: [0, 0, 0],
  orientation: [1, 0, 0, 0],
  color: [1, 1, 1, 1],
  visible: true,
  collide: true,
};

/// A 2 m rod along z of its body, with a large invisible shape, above an infinite floor.
const scene = {
  bodies: [{ name: "world" }, { name: "rod" }],
  shapes: [
    { ...shape, name: "floor", body: 0, geometry: { kind: "plane" } },
    { ...shape, name: "rod", position: [0, 0, -1], geometry: { kind: "box", size: [0.2, 0.2, 2] } },
    { ...shape, name: "hull", visible: false, geometry: { kind: "sphere", radius: 9 } },
  ],
} as unknown as Scene;

const world = [0, 0, 0, 1, 0, 0, 0];

it("is the bounding sphere of the visible shapes, without the infinite floor", () => {
  const { center, radius } = calcExtent(scene, new Float32Array([...world, 5, 0, 3, 1, 0, 0, 0]), new Map());
  expect(center.toArray()).toEqual([5, 0, 2]);
  expect(radius).toBeCloseTo(Math.hypot(2, 0.2, 0.2) / 2, 6);
});

it("rotates boxes with their body", () => {
  const half = Math.SQRT1_2; // a quarter turn about y maps -z to -x
  const { center } = calcExtent(scene, new Float32Array([...world, 5, 0, 3, half, 0, half, 0]), new Map(), 1);
  expect(center.x).toBeCloseTo(4, 5);
  expect(center.z).toBeCloseTo(3, 5);
});

it("includes some of the terrain around a body, not all of it", () => {
  const terrain = {
    ...shape,
    name: "hills",
    body: 0,
    position: [0, 0, -2],
    geometry: { kind: "heightmap", heightmap: 0, size: [80, 60, 3] },
  };
  const hilly = { ...scene, shapes: [...scene.shapes, terrain] } as unknown as Scene;
  const { radius } = calcExtent(hilly, new Float32Array([...world, 5, 0, 3, 1, 0, 0, 0]), new Map());
  expect(radius).toBeGreaterThan(5);
  expect(radius).toBeLessThan(10);
  expect(groundHeight(hilly, calcExtent(hilly, new Float32Array(7 * hilly.bodies.length), new Map()))).toBe(-2);
});
