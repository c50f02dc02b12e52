import { expect, it } from "vitest";
import { shortLabels } from "./labels.ts";

it("tells the same signals of two robots apart", () => {
  expect(shortLabels(["left/arm/angle", "right/arm/angle"])).toEqual(["left/arm/angle", "right/arm/angle"]);
});

it("drops what all signals of one robot have in common", () => {
  expect(shortLabels(["cell/left/arm/angle", "cell/left/arm/speed"])).toEqual(["arm/angle", "arm/speed"]);
  expect(shortLabels(["robot/arm/angle"])).toEqual(["robot/arm/angle"]);
  expect(shortLabels(["a/b/x", "a/b/y", "=a/b/x * 2"])).toEqual(["b/x", "b/y", "=a/b/x * 2"]);
});
