import { expect, it } from "vitest";
import { loopTime } from "./loop.ts";

it("repeats a stretch from its start", () => {
  const stretch = { start: 2, end: 5 };
  expect(loopTime(stretch, 0)).toBe(2);
  expect(loopTime(stretch, 2.5)).toBe(4.5);
  expect(loopTime(stretch, 3)).toBe(2);
  expect(loopTime(stretch, 10)).toBe(3);
});

it("stays in a stretch without length", () => {
  expect(loopTime({ start: 1, end: 1 }, 7.005)).toBeLessThan(1.0101);
});
