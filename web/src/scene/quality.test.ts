import { expect, it } from "vitest";
import { QualityControl } from "./quality.ts";

function draw(control: QualityControl, from: number, interval: number, count: number): number {
  for (let i = 1; i <= count; ++i) control.moved(from + i * interval);
  return from + count * interval;
}

it("gives up shadows, then pixels, where images are slow, and restores them", () => {
  const control = new QualityControl(1000 / 60);
  expect(control.quality).toEqual({ shadows: true, pixels: 1 });
  let now = draw(control, 5000, 90, 13);
  expect(control.quality).toEqual({ shadows: false, pixels: 1 });
  now = draw(control, now, 90, 40);
  expect(control.quality.pixels).toBe(0.5);
  draw(control, now, 17, 80);
  expect(control.quality).toEqual({ shadows: true, pixels: 1 });
});

it("does not take a chosen low rate for slowness", () => {
  const control = new QualityControl(1000 / 12);
  draw(control, 5000, 84, 50);
  expect(control.quality.shadows).toBe(true);
});
