import { Vector3 } from "three";
import { expect, it } from "vitest";
import { describeMeasure } from "./measure.ts";
import { sectionPlane } from "./section.ts";

it("gives the distance of two points and the angle at the second of three", () => {
  const [a, b, c] = [new Vector3(0, 0, 0), new Vector3(0.3, 0, 0), new Vector3(0.3, 0.4, 0)];
  expect(describeMeasure([a])).toBe("");
  expect(describeMeasure([a, c])).toContain("500 mm");
  expect(describeMeasure([a, b, c])).toBe("90°, sides 300 mm and 400 mm");
});

it("cuts at a fraction of the extent", () => {
  const plane = sectionPlane("z", 0.75, new Vector3(0, 0, 1), new Vector3(1, 1, 1));
  expect(plane.distanceToPoint(new Vector3(5, 5, 1.5))).toBe(0);
  expect(plane.distanceToPoint(new Vector3(0, 0, 0))).toBe(1.5); // stays
});
