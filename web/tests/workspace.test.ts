// Panels and panes: open, close, split, full screen; layouts that are kept, named and shared.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { drawn, findHinge, openPage, screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

const panes = (): Promise<string[]> =>
  suite.page.locator(".pane").evaluateAll((all) => all.map((pane) => (pane as HTMLElement).dataset.pane!));

async function layoutMenu(): Promise<void> {
  await suite.page.getByRole("button", { name: "Layout", exact: true }).click();
}

it("splits, closes and opens panes, each view with its own camera", async () => {
  const { page } = suite;
  const wide = (await page.locator(".pane").first().boundingBox())!.width;
  await page.locator("[data-pane=view1]").getByLabel("Split: another pane to the right").click();
  expect(await panes()).toEqual(["view1", "view2", "plots1"]);
  expect((await page.locator("[data-pane=view1]").boundingBox())!.width).toBeLessThan(0.55 * wide);
  // The second view draws the scene, and only it turns when it is dragged.
  const second = page.locator("[data-pane=view2] canvas");
  const imageOf = async (pane: string): Promise<Buffer> => page.locator(`[data-pane=${pane}] canvas`).screenshot();
  await drawn(page);
  await page.waitForTimeout(500);
  const [one, two] = [await imageOf("view1"), await imageOf("view2")];
  expect(two.length).toBeGreaterThan(3000); // an empty image is much smaller
  const box = (await second.boundingBox())!;
  await page.mouse.move(box.x + 60, box.y + box.height - 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + box.height - 60, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await imageOf("view2")).equals(two)).toBe(false);
  expect((await imageOf("view1")).equals(one)).toBe(true);
  await screenshot(page, "two-views");
  // A second group of plots, with its own signals, fed from the server.
  await layoutMenu();
  await page.getByText("Add a group of plots").click();
  expect(await panes()).toEqual(["view1", "view2", "plots1", "plots2"]);
  const { signal } = await findHinge(page);
  await page.click("#tab-signals");
  await page.getByLabel("Search signals").fill(signal);
  await page.locator(".signal").first().dragTo(page.locator("[data-pane=plots2] .plot-list"));
  await page.evaluate(() => window.lockstep.request("step", { count: 50 }));
  await page.waitForFunction(
    () => Number(document.querySelector<HTMLElement>("[data-pane=plots2] .chip .value")?.dataset.time) > 0.04,
  );
  await page.getByLabel("Search signals").fill("");
  for (const id of ["view2", "plots2"]) await page.locator(`[data-pane=${id}]`).getByLabel("Close this pane").click();
  expect(await panes()).toEqual(["view1", "plots1"]);
});

it("closes side panels, and shows a pane on the full screen", async () => {
  const { page } = suite;
  const view = page.locator("[data-pane=view1]");
  const before = (await view.boundingBox())!.width;
  await layoutMenu();
  await page.getByLabel("Objects and signals").click();
  await page.getByLabel("Inspector and events").click();
  await page.keyboard.press("Escape");
  expect((await view.boundingBox())!.width).toBeGreaterThan(before + 400);
  await view.getByLabel("Full screen").click();
  await page.waitForFunction(() => document.fullscreenElement !== null);
  await expect.poll(async () => (await view.boundingBox())!.height).toBeGreaterThanOrEqual(715);
  await view.getByLabel("Full screen").click();
  await page.waitForFunction(() => document.fullscreenElement === null);
  await layoutMenu();
  await page.getByText("Reset", { exact: true }).click();
  await expect.poll(async () => (await view.boundingBox())!.width).toBe(before);
});

it("keeps layout, plots, layers and camera over a reload, and shares them by name, file and link", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  const state = (): Promise<unknown> =>
    page.evaluate(() => {
      const { layout } = window.lockstep.workspace;
      const round = (all: number[]): number[] => all.map((each) => Number(each.toFixed(3)));
      const { position, target } = layout.cameras.view1 ?? { position: [], target: [] };
      return { ...layout, cameras: [round(position), round(target)] };
    });
  await page.locator("[data-pane=view1]").getByLabel("Split: another pane below").click();
  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.getByLabel("Kind of plot").selectOption("table");
  await page.keyboard.press("v"); // collision shapes
  await page.locator("[data-pane=view1] canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.evaluate(() => window.lockstep.view.rig.controls.dispatchEvent({ type: "end" }));
  const wanted = await state();
  await page.reload();
  await page.waitForFunction(() => window.lockstep?.store.state.value);
  await expect.poll(state).toEqual(wanted);
  // By name.
  await layoutMenu();
  await page.getByLabel("Name of the layout").fill("mine");
  await page.keyboard.press("Enter");
  await page.evaluate(() => window.lockstep.workspace.reset());
  await expect.poll(panes).toEqual(["view1", "plots1"]);
  await layoutMenu();
  await page.getByLabel("Use layout mine").click();
  await expect.poll(state).toEqual(wanted);
  // As a file.
  await layoutMenu();
  const download = page.waitForEvent("download");
  await page.getByText("Save as file").click();
  const file = readFileSync(await (await download).path());
  await page.evaluate(() => window.lockstep.workspace.reset());
  await page.keyboard.press("Escape");
  await expect.poll(panes).toEqual(["view1", "plots1"]);
  await layoutMenu();
  await page.setInputFiles("[aria-label='Layout file']", {
    name: "l.json",
    mimeType: "application/json",
    buffer: file,
  });
  await expect.poll(state).toEqual(wanted);
  // As a link, in another browser.
  await layoutMenu();
  await page.getByText("Copy as link").click();
  const link = page.url();
  expect(link).toContain("#layout=");
  const other = await openPage(suite.browser, link);
  await other.waitForFunction(() => document.querySelectorAll(".pane").length === 3);
  await other.locator(".plot .values").waitFor();
  await other.close();
  await page.evaluate(() => window.lockstep.workspace.reset());
});
