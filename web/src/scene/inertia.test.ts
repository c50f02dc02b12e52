import { Vector3 } from "three";
import { expect, it } from "vitest";
import { boxSize, principalAxes } from "./inertia.ts";

it("finds the box that has the inertia of a box", () => {
  // m = 12 kg, edges 1, 2 and 3 m: I = m/12 (b² + c², a² + c², a² + b²)
  const size = boxSize(12, new Vector3(13, 10, 5));
  expect(size.toArray().map((edge) => Number(edge.toFixed(12)))).toEqual([1, 2, 3]);
});

it("finds the principal axes of a turned body", () => {
  // diag(1, 3, 5), turned by 45° about z: xx = yy = 2, xy = -1
  const { moments, axes } = principalAxes([2, 2, 5, -1, 0, 0]);
  const sorted = moments.toArray().sort((a, b) => a - b);
  [1, 3, 5].forEach((each, i) => expect(sorted[i]).toBeCloseTo(each, 12));
  const [x, y] = [axes.elements[0], axes.elements[1]]; // the first axis
  expect(Math.abs(x)).toBeCloseTo(Math.SQRT1_2, 12);
  expect(Math.abs(y)).toBeCloseTo(Math.SQRT1_2, 12);
});
