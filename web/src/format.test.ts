import { expect, it } from "vitest";
import { formatFactor, formatNumber, formatTime, formatValue } from "./format.ts";

it("writes numbers without rounding noise", () => {
  expect(formatNumber(0.1 + 0.2)).toBe("0.3");
  expect(formatNumber(-1234.567)).toBe("−1235");
  expect(formatNumber(1.5e-7)).toBe("1.50e−7");
  expect(formatNumber(Number.NaN)).toBe("–");
});

it("chooses the unit prefix", () => {
  expect(formatValue(0.072, "m")).toBe("72 mm");
  expect(formatValue(2000, "Hz")).toBe("2 kHz");
  expect(formatValue(0, "m")).toBe("0 m");
  expect(formatValue(-12.5, "N*m")).toBe("−12.5 N·m");
});

it("keeps units that take no prefix", () => {
  expect(formatValue(0.005, "kg")).toBe("0.005 kg");
  expect(formatValue(9.80665, "m/s^2")).toBe("9.807 m/s²");
  expect(formatValue(0.5, "")).toBe("0.5");
});

it("gives angles in radians and degrees", () => {
  expect(formatValue(Math.PI / 2, "rad")).toBe("1.571 rad (90°)");
});

it("writes time with fixed decimals", () => {
  expect(formatTime(0)).toBe("0.000 s");
  expect(formatTime(83.25)).toBe("83.250 s");
  expect(formatTime(119.9999)).toBe("2:00.000");
  expect(formatTime(3600 + 23 * 60 + 5.5)).toBe("1:23:05.500");
});

it("writes speeds", () => {
  expect(formatFactor(0.1)).toBe("0.1×");
  expect(formatFactor(null)).toBe("Max");
});

it("does not use kiloseconds", () => {
  expect(formatValue(1000, "s")).toBe("1000 s");
  expect(formatValue(0.002, "s")).toBe("2 ms");
});
