// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenStatus } from "../golden_messages_testing.ts";
import { makeTestApp } from "./panel_testing.ts";
import { makeTimeline } from "./timeline.ts";

it("seeks within what is recorded", () => {
  const app = makeTestApp();
  const timeline = makeTimeline(app);
  const range = timeline.querySelector("input")!;
  app.store.setStatus({ ...goldenStatus, recording: null });
  expect(range.disabled).toBe(true);
  app.store.setStatus({ ...goldenStatus, time: 1, recording: { start: 0.5, end: 2 } });
  expect([range.disabled, range.min, range.max]).toEqual([false, "0.5", "2"]);
  range.value = "1.5";
  range.dispatchEvent(new Event("input"));
  expect(app.requests).toEqual([["seek", { time: 1.5 }]]);
});
