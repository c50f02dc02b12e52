// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { goldenStatus } from "../golden_messages_testing.ts";
import { makeTestApp, openGolden } from "./panel_testing.ts";
import { makeStatusBar } from "./statusbar.ts";

function connectionsOf(bar: HTMLElement): HTMLButtonElement {
  return [...bar.querySelectorAll("button")].find((button) => button.textContent?.startsWith("Connections"))!;
}

it("shows a connection without its controller as bad", () => {
  const app = makeTestApp();
  const bar = makeStatusBar(app, () => undefined);
  openGolden(app);
  expect(connectionsOf(bar).textContent).toBe("Connections 0/1, 1 error");
  expect(connectionsOf(bar).classList.contains("bad")).toBe(true);
});

it("counts the errors of a connection that is there", () => {
  const app = makeTestApp();
  const bar = makeStatusBar(app, () => undefined);
  const [connection] = goldenStatus.connections;
  app.store.setStatus({ ...goldenStatus, connections: [{ ...connection!, connected: true, lost: 2, bad: 1 }] });
  expect(connectionsOf(bar).textContent).toBe("Connections 1/1, 3 errors");
  expect(connectionsOf(bar).classList.contains("bad")).toBe(false);
});

it("says nothing of connections where there are none", () => {
  const app = makeTestApp();
  const bar = makeStatusBar(app, () => undefined);
  app.store.setStatus({ ...goldenStatus, connections: [] });
  expect(bar.querySelectorAll<HTMLButtonElement>("button:not([hidden])").length).toBe(1); // events
});

it("shows why a run has ended", () => {
  const app = makeTestApp();
  const bar = makeStatusBar(app, () => undefined);
  app.store.setStatus({ ...goldenStatus, state: "failed", outcome: "diverged" });
  expect(bar.querySelector(".state")!.textContent).toMatch(/: diverged$/);
});
