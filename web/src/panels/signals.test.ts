// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { makeTestApp, openGolden, textsOf } from "./panel_testing.ts";
import { makeSignals } from "./signals.ts";

it("finds signals by words of name, unit and role", () => {
  const app = makeTestApp();
  const panel = makeSignals(app);
  openGolden(app);
  expect(textsOf(panel, ".signal .name")).toEqual([
    "time",
    ...["angle", "speed", "effort"].map((q) => `arm/shoulder/${q}`),
  ]);
  const search = panel.querySelector("input")!;
  search.value = "measured rad/s";
  search.dispatchEvent(new Event("input"));
  expect(textsOf(panel, ".signal .name")).toEqual(["arm/shoulder/speed"]);
  panel.querySelector<HTMLButtonElement>(".signal button")!.click();
  expect(app.plotted).toEqual(["arm/shoulder/speed"]);
});
