import { expect, it } from "vitest";
import { fractionOf, groupMarks, roundTimes, timeAt } from "./timeline.ts";

const stretch = { start: 2, end: 12 };

it("maps a time to a fraction, and back", () => {
  expect(fractionOf(7, stretch)).toBe(0.5);
  expect(timeAt(0.5, stretch)).toBe(7);
  for (const time of [2, 3.3, 12]) expect(timeAt(fractionOf(time, stretch), stretch)).toBeCloseTo(time, 12);
});

it("stays within the recording", () => {
  expect(fractionOf(-5, stretch)).toBe(0);
  expect(timeAt(1.5, stretch)).toBe(12);
  expect(fractionOf(3, { start: 3, end: 3 })).toBe(0);
});

it("marks round times", () => {
  expect(roundTimes(stretch, 5)).toEqual([2, 4, 6, 8, 10, 12]);
  expect(roundTimes({ start: 0, end: 0.0037 }, 4)).toEqual([0, 0.001, 0.002, 0.003]);
  expect(roundTimes({ start: 1, end: 1 }, 4)).toEqual([]);
});

it("joins marks of one kind that are too close to tell apart", () => {
  const marks = [
    { kind: "event" as const, time: 3, text: "c" },
    { kind: "event" as const, time: 1, text: "a" },
    { kind: "flag" as const, time: 1.05, text: "s" },
    { kind: "event" as const, time: 1.1, text: "b" },
  ];
  expect(groupMarks(marks, 0.2)).toEqual([
    { kind: "event", time: 1, text: "a\nb" },
    { kind: "flag", time: 1.05, text: "s" },
    { kind: "event", time: 3, text: "c" },
  ]);
});
