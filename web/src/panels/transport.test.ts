// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenStatus } from "../golden_messages_testing.ts";
import { makeTestApp, openGolden } from "./panel_testing.ts";
import { changeSpeed, makeTransport, step, togglePlay } from "./transport.ts";

it("plays and pauses", () => {
  const app = makeTestApp();
  openGolden(app);
  togglePlay(app);
  app.store.setStatus({ ...goldenStatus, state: "running" });
  togglePlay(app);
  expect(app.requests.map(([what]) => what)).toEqual(["play", "pause"]);
});

it("pauses a run before it takes a step", async () => {
  const app = makeTestApp();
  app.store.setStatus({ ...goldenStatus, state: "running" });
  await step(app, 5);
  expect(app.requests).toEqual([
    ["pause", undefined],
    ["step", { count: 5 }],
  ]);
});

it("ends at the slowest and at the fastest speed", () => {
  const app = makeTestApp();
  app.store.setStatus({ ...goldenStatus, speed: null });
  changeSpeed(app, 1);
  app.store.setStatus({ ...goldenStatus, speed: 0.1 });
  changeSpeed(app, -1);
  changeSpeed(app, 1);
  expect(app.requests.map(([, fields]) => fields)).toEqual([{ factor: null }, { factor: 0.1 }, { factor: 0.2 }]);
});

it("is off while no scenario is open", () => {
  const app = makeTestApp();
  const bar = makeTransport(app);
  const isOff = (): boolean => [...bar.querySelectorAll("button")].every((button) => button.disabled);
  expect(isOff()).toBe(true);
  openGolden(app);
  expect(isOff()).toBe(false);
});
