// Opening, playing, pausing, stepping, speed, snapshots and the timeline.

import { expect, it } from "vitest";
import { compareImage, findHinge, hingeAngle, pause, pose, screenshot, waitForState, waitForTime } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

it("opens a scenario from the gallery", async () => {
  const { page } = suite;
  const before = await page.evaluate(() => window.lockstep.store.scene.value!.id);
  await page.keyboard.press("o");
  await page.waitForFunction(() => {
    const images = [...document.querySelectorAll<HTMLImageElement>(".card img")];
    return images.length > 0 && images.every((image) => image.naturalWidth > 0);
  });
  await screenshot(page, "open");
  await page
    .locator(".card")
    .filter({ has: page.getByText("snake", { exact: true }) })
    .click();
  await page.waitForFunction((id) => window.lockstep.store.scene.value!.id !== id, before);
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 0);
  expect(await page.locator(".scenario").textContent()).toBe("snake");
  expect(await page.locator("[role=treeitem]").count()).toBeGreaterThan(10);
});

it("opens a file on the server, and reloads it", async () => {
  const { page } = suite;
  const id = (): Promise<number> => page.evaluate(() => window.lockstep.store.scene.value!.id);
  const before = await id();
  await page.keyboard.press("o");
  await page.getByLabel("Search gallery and files").fill("pend");
  await page.locator(".files button").filter({ hasText: "pendulum.xml" }).click();
  await page.waitForFunction((id) => window.lockstep.store.scene.value!.id !== id, before);
  const opened = await id();
  await page.keyboard.press("r");
  await page.waitForFunction((id) => window.lockstep.store.scene.value!.id !== id, opened);
  expect(await page.evaluate(() => window.lockstep.store.scene.value!.path)).toBe("pendulum.xml");
});

it("opens an uploaded scenario", async () => {
  const { page } = suite;
  const text = '<scenario name="ball">\n  <object name="ball"><sphere radius="0.1" mass="1"/></object>\n</scenario>\n';
  await page.setInputFiles("#upload", { name: "ball.xml", mimeType: "text/xml", buffer: Buffer.from(text) });
  await page.waitForFunction(() => window.lockstep.store.scene.value!.name === "ball");
  expect(await page.evaluate(() => window.lockstep.store.scene.value!.bodies.map(({ name }) => name))).toContain(
    "ball",
  );
});

it("shows the errors of an uploaded scenario at their line, and keeps what is open", async () => {
  const { page } = suite;
  const text =
    '<scenario name="wrong">\n  <object name="ball">\n    <sphere radius="0.1" nosie="1"/>\n  </object>\n</scenario>\n';
  await page.setInputFiles("#upload", { name: "wrong.xml", mimeType: "text/xml", buffer: Buffer.from(text) });
  const problems = page.locator(".problems");
  await problems.locator(".message.error").first().waitFor();
  const [marked, line] = await page.evaluate(() => [
    document.querySelector(".line.marked .line-number")!.textContent,
    String(window.lockstep.store.problems.value!.diagnostics[0]!.line),
  ]);
  expect(line).toBe("3");
  expect(marked).toBe("3");
  expect(await problems.textContent()).toContain("nosie");
  await screenshot(page, "problems");
  await problems.getByLabel("Close").click();
  expect(await problems.isVisible()).toBe(false);
  expect(await page.evaluate(() => window.lockstep.store.scene.value!.bodies.length)).toBeGreaterThan(1);
});

it("plays and pauses", async () => {
  const { page } = suite;
  await compareImage(page, "start");
  await page.getByLabel("Play (Space)").click();
  await waitForTime(page, 0.3);
  await page.getByLabel("Pause (Space)").click();
  const step = await pause(page);
  expect(await compareImage(page, "later", "start")).toBeGreaterThan(100);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  expect(await page.evaluate(() => window.lockstep.store.state.value!.step)).toBe(step);
});

it("advances by one step and by several", async () => {
  const { page } = suite;
  await page.getByLabel("One step (.)").click();
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 1);
  await page.getByText("Run…").click();
  await page.fill("#step-count", "25");
  await page.locator(".menu:popover-open").getByText("Step", { exact: true }).click();
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 26);
});

it("runs for a duration, then pauses", async () => {
  const { page } = suite;
  await page.getByText("Run…").click();
  await page.fill("#run-for", "0.25");
  await page.locator(".menu:popover-open").getByText("Run", { exact: true }).click();
  await waitForTime(page, 0.2);
  await waitForState(page, "paused");
  const [time, step] = await page.evaluate(() => [
    window.lockstep.store.status.value.time,
    window.lockstep.store.scene.value!.step,
  ]);
  expect(Math.abs(time - 0.25)).toBeLessThan(step * 1.01);
});

it("runs at the selected speed", async () => {
  const { page } = suite;
  const rate = async (): Promise<number> =>
    page.evaluate(async () => {
      const { status } = window.lockstep.store;
      const [start, time] = [performance.now(), status.value.time];
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return (status.value.time - time) / ((performance.now() - start) / 1000);
    });
  await page.getByLabel("Simulation speed").selectOption("0.2");
  await page.keyboard.press("Space");
  await waitForState(page, "running");
  // The status is sent ten times a second, so 1.5 s is known to within 0.1 s.
  const slow = await rate();
  expect(slow).toBeGreaterThan(0.1);
  expect(slow).toBeLessThan(0.3);
  await page.getByLabel("Simulation speed").selectOption({ label: "Max" });
  await page.waitForFunction(() => window.lockstep.store.status.value.speed === null);
  expect(await rate()).toBeGreaterThan(1.2);
  await pause(page);
});

it("saves a snapshot and returns to it, bit for bit", async () => {
  const { page } = suite;
  const { body } = await findHinge(page);
  await page.keyboard.press("Space");
  await waitForTime(page, 0.2);
  const step = await pause(page);
  const before = await pose(page, body);
  await page.getByText("Snapshots").click();
  await page.getByLabel("Snapshot name").fill("here");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots.some(({ name }) => name === "here"));
  await page.evaluate(() => window.lockstep.request("play", { for: 0.3 }));
  await waitForTime(page, 0.45);
  expect(await pose(page, body)).not.toEqual(before);
  await page.getByText("Snapshots").click();
  await page.getByLabel("Load here", { exact: true }).click();
  await page.waitForFunction((step) => window.lockstep.store.state.value?.step === step, step);
  expect(await pose(page, body)).toEqual(before);
});

it("branches from a snapshot: loads it and continues", async () => {
  const { page } = suite;
  await page.keyboard.press("s");
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots.length === 1);
  await page.evaluate(() => window.lockstep.request("step", { count: 50 }));
  await page.getByText("Snapshots").click();
  await page.locator(".menu:popover-open [aria-label^=Branch]").click();
  await waitForState(page, "running");
  await waitForTime(page, 0.1);
  await pause(page);
});

it("scrubs through the recorded run", async () => {
  const { page } = suite;
  const { joint } = await findHinge(page);
  const step = await page.evaluate(() => window.lockstep.store.scene.value!.step);
  const count = Math.round(0.2 / step);
  await page.evaluate((count) => window.lockstep.request("step", { count }), count);
  await page.waitForFunction((count) => window.lockstep.store.state.value?.step === count, count);
  const angle = await hingeAngle(page, joint);
  await page.evaluate(() => window.lockstep.request("play", { for: 0.4 }));
  await waitForTime(page, 0.55);
  await waitForState(page, "paused");
  await page.getByLabel("Timeline").fill(String(count * step));
  await page.waitForFunction((count) => window.lockstep.store.state.value?.step === count, count);
  expect(await hingeAngle(page, joint)).toBe(angle);
  expect(await page.locator(".timeline .now").textContent()).toBe("0.200 s");
});

it("resets to time 0", async () => {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.request("step", { count: 10 }));
  await page.getByLabel("Reset to time 0 (Home)").click();
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 0);
});
