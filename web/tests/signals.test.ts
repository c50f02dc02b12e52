// Plots and sliders show the values of the simulation.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  findHinge,
  hingeAngle,
  readLog,
  runCommand,
  SCENARIO,
  SCENARIOS,
  screenshot,
  waitForState,
  waitForTime,
} from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

async function plotHinge(): Promise<{ joint: string; signal: string }> {
  const { page } = suite;
  const hinge = await findHinge(page);
  await page.click("#tab-signals");
  await page.getByLabel("Search signals").fill(hinge.signal);
  if ((await page.locator(".plot").count()) === 0)
    await page.getByLabel(`Plot ${hinge.signal}`, { exact: true }).click();
  await page.getByLabel("Search signals").fill("");
  return hinge;
}

function readout(): Promise<number> {
  return suite.page
    .locator(".chip .value")
    .first()
    .evaluate((element) => Number((element as HTMLElement).dataset.value));
}

/// Values of a signal from `lockstep run --log`, by time.
function logged(signal: string, seconds: number): Map<number, number> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-"));
  const file = join(folder, "log.csv");
  runCommand("run", SCENARIOS + SCENARIO, "--for", `${seconds}s`, "--log", file);
  const log = readLog(file, signal);
  rmSync(folder, { recursive: true });
  return log;
}

it("plots the same values as the log", async () => {
  const { page } = suite;
  const { signal } = await plotHinge();
  await page.evaluate(() => window.lockstep.request("step", { count: 300 }));
  await page.waitForFunction(() => Number(document.querySelector<HTMLElement>(".chip .value")!.dataset.time) > 0.2985);
  const log = logged(signal, 0.3);
  // The last row of the log is at 0.299 s.
  expect(await readout()).toBe(log.get(0.299));
  const rows = await page.evaluate((signal) => {
    const { history } = window.lockstep;
    return Array.from({ length: history.length }, (_, i) => [history.times[i]!, history.column(signal)![i]!] as const);
  }, signal);
  expect(rows.length).toBeGreaterThan(250);
  for (const [time, value] of rows) expect(value).toBe(log.get(Number(time.toFixed(6))));
});

it("shows at the cursor the value in the CSV at that time", async () => {
  const { page } = suite;
  await plotHinge();
  await page.evaluate(() => window.lockstep.request("play", { for: 2 }));
  await waitForTime(page, 1.9);
  await waitForState(page, "paused");
  const box = (await page.locator(".plot .u-over").first().boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.1, box.y + box.height / 2);
  await page.waitForFunction(() => document.querySelector(".cursor-time")!.textContent !== "");
  await screenshot(page, "plot-cursor");
  const text = (await page.locator(".cursor-time").textContent())!;
  const value = await readout();
  const download = page.waitForEvent("download");
  await page.getByLabel("Export the plotted range as CSV").click();
  const lines = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\n");
  expect(lines[0]).toContain("[rad]");
  const row = lines
    .slice(1)
    .map((line) => line.split(",").map(Number))
    .find(([time]) => `at ${time!.toFixed(3)} s` === text);
  expect(row?.[1]).toBe(value);
});

it("zooms all plots by dragging, and follows the run again after a double click", async () => {
  const { page } = suite;
  await plotHinge();
  await page.evaluate(() => window.lockstep.request("step", { count: 500 }));
  await page.waitForFunction(() => window.lockstep.history.lastTime > 498.5 * window.lockstep.store.scene.value!.step);
  const box = (await page.locator(".plot .u-over").first().boundingBox())!;
  const before = await page.evaluate(() => window.lockstep.plots.range);
  await page.mouse.move(box.x + 5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 30, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(
    (width) => window.lockstep.plots.range[1] - window.lockstep.plots.range[0] < 0.6 * width,
    before[1] - before[0],
  );
  await page.locator(".plot .u-over").first().dblclick();
  await page.waitForFunction(
    ([from, to]) => Math.abs(window.lockstep.plots.range[1] - window.lockstep.plots.range[0] - (to - from)) < 1e-9,
    before,
  );
});

it("pauses the plots while the run continues", async () => {
  const { page } = suite;
  await plotHinge();
  await page.getByLabel("Play (Space)").click();
  await waitForTime(page, 0.3);
  await page.getByLabel("Pause plots").click();
  const [range, time] = await page.evaluate(
    () => [window.lockstep.plots.range, window.lockstep.store.state.value!.time] as const,
  );
  await waitForTime(page, time + 0.4);
  expect(await page.evaluate(() => window.lockstep.plots.range)).toEqual(range);
  await page.getByLabel("Resume plots").click();
  await page.evaluate(() => window.lockstep.request("pause"));
});

it("plots a signal that is dragged into the plots", async () => {
  const { page } = suite;
  await plotHinge();
  const rows = page.locator(".signal");
  const count = await page.locator(".chip").count();
  await rows.filter({ hasText: "lidar/distance" }).dragTo(page.locator(".plot").first());
  await page.waitForFunction((count) => document.querySelectorAll(".chip").length === count + 1, count);
});

it("moves a joint with its slider", async () => {
  const { page } = suite;
  const { joint } = await findHinge(page);
  await page.click("#tab-objects");
  await page.getByLabel("Search objects").fill(joint.split("/").at(-1)!);
  await page.locator("[data-key^=j]").first().click();
  await page.getByLabel("Search objects").fill("");
  const angle = 0.5;
  const slider = page.locator(".inspector input[type=range]").first();
  await slider.fill(String(angle));
  await page.waitForFunction(() => window.lockstep.store.log.value.length > 0);
  await expect.poll(() => hingeAngle(page, joint), { timeout: 10_000 }).toBeCloseTo(angle, 4);
  // It shows the simulated value while paused, and follows it while running.
  await expect.poll(async () => Number(await slider.inputValue()), { timeout: 10_000 }).toBeCloseTo(angle, 4);
  await screenshot(page, "slider");
  await page.evaluate(() => window.lockstep.request("step", { count: 300 }));
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 300);
  const later = await hingeAngle(page, joint);
  expect(later).toBeLessThan(angle - 0.1);
  await expect.poll(async () => Number(await slider.inputValue()), { timeout: 10_000 }).toBeCloseTo(later, 4);
});

it("writes a command with its slider", async () => {
  const { page } = suite;
  const command = await page.evaluate(
    () => window.lockstep.store.scene.value!.signals.find(({ role }) => role === "command")?.name,
  );
  if (!command) return;
  await page.evaluate(() => window.lockstep.store.selection.set(null));
  const slider = page
    .locator(".inspector section")
    .filter({ hasText: "Commands" })
    .locator("input[type=number]")
    .first();
  await slider.fill("1.5");
  await slider.press("Enter");
  await page.evaluate(() => window.lockstep.request("step", { count: 5 }));
  await page.waitForFunction((name) => window.lockstep.history.lastValue(name) === 1.5, command);
});

it("edits a scenario attribute in its own unit without restarting the run", async () => {
  const { page } = suite;
  const { joint } = await findHinge(page);
  const index = await page.evaluate(
    (joint) => window.lockstep.store.scene.value!.joints.findIndex(({ name }) => name === joint),
    joint,
  );
  await page.evaluate(() => window.lockstep.request("step", { count: 50 }));
  await page.evaluate((index) => window.lockstep.store.selection.set({ kind: "joint", index }), index);
  const field = page.locator(".inspector section").filter({ hasText: "Attributes" }).getByLabel("upper, number");
  // The file says 170 deg.
  expect(Number(await field.inputValue())).toBeCloseTo((170 * Math.PI) / 180, 3);
  await field.fill("1.5");
  await field.press("Enter");
  await page.waitForFunction((index) => window.lockstep.store.scene.value!.joints[index]!.upper === 1.5, index);
  expect(await page.evaluate(() => window.lockstep.store.status.value.step)).toBe(50);
  // The selection is kept, with its new limit.
  expect(await page.locator(".inspector h2").textContent()).toBe(joint);
  expect(Number(await page.locator(".inspector input[type=range]").first().getAttribute("max"))).toBe(1.5);
});
