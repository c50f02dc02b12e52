// Time in the page: click in a plot, playhead, events and snapshots on the time line, loop; Space, Escape and legends.

import { expect, it } from "vitest";
import { findHinge, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();
const timeOf = (): Promise<number> => suite.page.evaluate(() => window.lockstep.store.status.value.time);

/// Runs for some seconds at full speed, and plots the hinge over exactly that time.
async function runAndPlot(seconds: number): Promise<string> {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
  await page.evaluate((seconds) => window.lockstep.request("play", { for: seconds }), seconds);
  await waitForState(page, "paused");
  await page.evaluate(() => window.lockstep.request("speed", { factor: 1 }));
  await page.evaluate((seconds) => window.lockstep.plots.setRange(0, seconds), seconds);
  await page.waitForFunction((seconds) => window.lockstep.store.status.value.time === seconds, seconds);
  await page.waitForFunction(() => document.querySelector(".plot .u-over") !== null);
  return signal;
}

it("goes to the clicked instant of a plot, and marks the shown instant in it", async () => {
  const { page } = suite;
  await runAndPlot(4);
  const over = page.locator(".plot .u-over").first();
  const box = (await over.boundingBox())!;
  await page.mouse.click(box.x + 0.25 * box.width, box.y + box.height / 2);
  await page.waitForFunction(() => Math.abs(window.lockstep.store.state.value!.time - 1) < 0.02);
  // The playhead is at the same place, and the legend shows the value of that row.
  await page.mouse.move(0, 0);
  const playhead = page.locator(".plot .playhead").first();
  await expect
    .poll(async () => Math.abs((await playhead.boundingBox())!.x + 1 - (box.x + 0.25 * box.width)))
    .toBeLessThan(3);
  await expect
    .poll(() => page.locator(".chip .value").first().getAttribute("data-time").then(Number))
    .toBeCloseTo(1, 1);
  // Nothing was lost by looking, and a double click, which resets the zoom, does not seek.
  expect(await page.evaluate(() => window.lockstep.store.status.value.recording!.end)).toBe(4);
  await over.dblclick({ position: { x: 0.75 * box.width, y: 20 } });
  await page.waitForFunction(() => window.lockstep.plots.zoomedRange === null);
  await page.waitForTimeout(400); // longer than a click waits for a second one
  expect(await timeOf()).toBeCloseTo(1, 1);
  await screenshot(page, "playhead");
});

it("marks events and snapshots on the time line, where they lead", async () => {
  const { page } = suite;
  await runAndPlot(1);
  await page.keyboard.press("s");
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots.length === 1);
  await page.evaluate(() => window.lockstep.request("play", { for: 1 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 2);
  await page.evaluate(() => window.lockstep.request("set", { signal: "pendulum/drive/torque", value: 1 }));
  await page.waitForFunction(() => window.lockstep.store.log.value.length === 1);
  await page.evaluate(() => window.lockstep.request("play", { for: 2 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 4);
  const track = (await page.locator(".track input").boundingBox())!;
  const placeOf = async (kind: string): Promise<number> => {
    const box = (await page.locator(`.marks .${kind}`).boundingBox())!;
    return (box.x + box.width / 2 - track.x - 8) / (track.width - 16);
  };
  await expect.poll(() => placeOf("flag")).toBeCloseTo(0.25, 2);
  await expect.poll(() => placeOf("event")).toBeCloseTo(0.5, 2);
  await screenshot(page, "timeline-marks");
  await page.locator(".marks .event").click();
  await page.waitForFunction(() => window.lockstep.store.state.value!.time === 2);
  await page.locator(".marks .flag").click();
  await page.waitForFunction(() => window.lockstep.store.state.value!.time === 1);
});

it("loops over a stretch without losing what comes after", async () => {
  const { page } = suite;
  await runAndPlot(3);
  await page.evaluate(() => window.lockstep.plots.setRange(1, 1.4));
  await page.evaluate(() => {
    const seen: number[] = ((window as unknown as { seen: number[] }).seen = []);
    window.lockstep.store.state.watch((state) => state && seen.push(state.time));
  });
  await page.keyboard.press("l");
  // It has come back to the start at least once.
  await page.waitForFunction(() => {
    const { seen } = window as unknown as { seen: number[] };
    return seen.filter((time, i) => i > 1 && time < seen[i - 1]! - 0.1).length >= 1 && seen.length > 8;
  });
  await screenshot(page, "loop");
  const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen.slice(2));
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(0.999);
  expect(Math.max(...seen)).toBeLessThanOrEqual(1.401);
  await page.keyboard.press("l");
  expect(await page.evaluate(() => window.lockstep.loop.isOn.value)).toBe(false);
  expect(await page.evaluate(() => window.lockstep.store.status.value.recording!.end)).toBe(3);
});

it("plays with Space after a click on the time line, a slider or a list", async () => {
  const { page } = suite;
  await runAndPlot(1);
  const toggles = async (): Promise<void> => {
    await page.keyboard.press("Space");
    await waitForState(page, "running");
    await page.keyboard.press("Space");
    await waitForState(page, "paused");
  };
  await page.locator(".track input").click({ position: { x: 100, y: 6 } });
  await toggles();
  await page.evaluate(() => window.lockstep.store.selection.set({ kind: "joint", index: 0 }));
  await page.locator(".inspector input[type=range]").first().click();
  await toggles();
  await page.locator(".splitter").first().click();
  await toggles();
});

it("closes menus with Escape, also those opened with the mouse, and keeps them up to date", async () => {
  const { page } = suite;
  const open = page.locator(".menu:popover-open");
  for (const name of ["Visibility", "Camera"]) {
    await page.getByRole("button", { name, exact: true }).click();
    expect(await open.count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await open.count()).toBe(0);
  }
  // The list of snapshots changes while it is open; what is typed stays.
  await page.getByText("Snapshots").click();
  await page.getByLabel("Snapshot name").fill("typed");
  await page.evaluate(() => window.lockstep.request("save", { name: "from elsewhere" }));
  await open.getByText("from elsewhere").waitFor();
  expect(await page.getByLabel("Snapshot name").inputValue()).toBe("typed");
  await open.getByLabel("Delete from elsewhere").click();
  await open.getByText("from elsewhere").waitFor({ state: "detached" });
  expect(await open.count()).toBe(1);
  // Another scenario has other snapshots: the menu closes.
  await page.evaluate(() => window.lockstep.request("reload"));
  await open.waitFor({ state: "detached" });
});

it("leaves room for the curve beside any legend, and does not move under the pointer", async () => {
  const { page } = suite;
  await runAndPlot(2);
  const names = await page.evaluate(() =>
    window.lockstep.store.scene.value!.signals.slice(0, 6).map(({ name }) => name),
  );
  await page.evaluate((names) => window.lockstep.plots.restore([{ kind: "curves", signals: names }]), names);
  for (const [width, height] of [
    [800, 600],
    [1024, 768],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height });
    const over = page.locator(".plot .u-over").first();
    await expect.poll(async () => (await over.boundingBox())!.height).toBeGreaterThan(70);
    // The axes take their places when the rows have come.
    let last = "";
    await expect
      .poll(async () => last === (last = JSON.stringify(await over.boundingBox())), { interval: 300 })
      .toBe(true);
    const before = (await over.boundingBox())!;
    expect(before.width).toBeGreaterThan(0.5 * (await page.locator(".plot-body").boundingBox())!.width);
    await page.mouse.move(before.x + 30, before.y + 20);
    await page.waitForFunction(() => document.querySelector(".cursor-time")!.textContent !== "");
    const chips = await page
      .locator(".chip")
      .evaluateAll((all) => all.map((chip) => chip.getBoundingClientRect().left));
    await page.mouse.move(before.x + 90, before.y + 25);
    expect((await over.boundingBox())!).toEqual(before);
    const after = await page
      .locator(".chip")
      .evaluateAll((all) => all.map((chip) => chip.getBoundingClientRect().left));
    expect(after).toEqual(chips);
    await screenshot(page, `legend-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});
