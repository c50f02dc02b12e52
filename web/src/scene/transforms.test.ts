import { Matrix4, Quaternion, Vector3 } from "three";
import { expect, it } from "vitest";
import { calcVelocity, multiply, writePose } from "./transforms.ts";

function pose(position: [number, number, number], axis: Vector3, angle: number): number[] {
  const q = new Quaternion().setFromAxisAngle(axis.normalize(), angle);
  return [...position, q.w, q.x, q.y, q.z];
}

it("agrees with three.js on poses and products", () => {
  const a = pose([1, 2, 3], new Vector3(1, 2, 3), 0.7);
  const b = pose([-1, 0.5, 0], new Vector3(-1, 0, 2), 2);
  const out = new Float64Array(48);
  writePose(out, 0, a, 0);
  writePose(out, 16, b, 0);
  multiply(out, 32, out, 0, out, 16);
  const matrix = (p: number[]) =>
    new Matrix4().compose(new Vector3(p[0], p[1], p[2]), new Quaternion(p[4], p[5], p[6], p[3]), new Vector3(1, 1, 1));
  const expected = matrix(a).multiply(matrix(b)).elements;
  for (let i = 0; i < 16; ++i) expect(out[32 + i]).toBeCloseTo(expected[i]!, 12);
});

it("computes the velocity of a uniformly moving body, also across a sign change of its quaternion", () => {
  const dt = 0.01;
  const velocity: number[] = [];
  const before = pose([0, 0, 1], new Vector3(0, 0, 1), 1);
  const after = pose([0.02, 0, 1], new Vector3(0, 0, 1), 1 + 3 * dt);
  calcVelocity(velocity, before, after, 0, dt);
  [2, 0, 0, 0, 0, 3].forEach((expected, i) => expect(velocity[i]).toBeCloseTo(expected, 9));
  const flipped = after.map((value, i) => (i < 3 ? value : -value));
  calcVelocity(velocity, before, flipped, 0, dt);
  expect(velocity[5]).toBeCloseTo(3, 9);
});
