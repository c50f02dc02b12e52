// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { makeEvents } from "./events.ts";
import { makeTestApp, textsOf } from "./panel_testing.ts";

it("shows the newest event first, and warnings as such", () => {
  const app = makeTestApp();
  const panel = makeEvents(app);
  expect(textsOf(panel, ".hint")).toEqual(["No events yet."]);
  app.store.push({ push: "event", step: 1, time: 0.001, text: "set torque" });
  app.store.push({ push: "warning", text: "slow" });
  expect(textsOf(panel, "li span:last-child")).toEqual(["slow", "set torque"]);
  expect(panel.querySelector("li")!.className).toBe("warning");
});
