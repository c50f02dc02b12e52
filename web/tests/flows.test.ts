// Flows of editing and opening: attributes of every type and of generated bodies, failures, uploads, other viewers, no WebGL.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { openPage, openScenario, runCommand, SCENARIO, SCENARIOS, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();

const sourceOf = (): Promise<string> => suite.page.evaluate(async () => (await window.lockstep.request("source")).text);

async function select(kind: "body" | "joint" | "device", name: string): Promise<void> {
  await suite.page.evaluate(
    ([kind, name]) => {
      const { bodies, joints, devices } = window.lockstep.store.scene.value!;
      const index = { body: bodies, joint: joints, device: devices }[kind].findIndex((each) => each.name === name);
      window.lockstep.store.selection.set({ kind, index });
    },
    [kind, name] as const,
  );
}

/// Moves the slider of an attribute to a fraction of its way, as a drag does.
async function drag(label: string, fraction: number): Promise<void> {
  const slider = suite.page.locator(`.inspector input[type=range][aria-label='${label}']`).first();
  await slider.waitFor();
  await slider.evaluate((element: HTMLInputElement, fraction) => {
    element.valueAsNumber = Number(element.min) + fraction * (Number(element.max) - Number(element.min));
    element.dispatchEvent(new Event("input"));
    element.dispatchEvent(new Event("change"));
  }, fraction);
}

it("edits times and integers by their sliders, and takes back what is rejected", async () => {
  const { page } = suite;
  await page.locator(".inspector [aria-label='seed']").waitFor();
  await drag("seed", 0.7712345);
  await expect.poll(sourceOf).toMatch(/seed="[1-9]\d*"/);
  await drag("duration", 0.6180339);
  // In whole steps of 1 ms, and not the 1000 s of the file.
  await expect.poll(async () => /duration="([\d.e]+) s"/.exec(await sourceOf())?.[1]).not.toBe("1000");
  const duration = Number(/duration="([\d.e]+) s"/.exec(await sourceOf())![1]);
  expect(Math.abs(duration * 1000 - Math.round(duration * 1000))).toBeLessThan(1e-6);
  await openScenario(page);
  // A step that does not divide the duration is rejected, and the slider goes back.
  const number = page.locator(".inspector [aria-label='step, number']");
  await number.fill("0.0013");
  await number.press("Enter");
  await page.locator(".toast").filter({ hasText: "multiple of the physics step" }).waitFor();
  await expect.poll(() => number.inputValue()).toBe("0.001");
});

it("edits the bodies of a chain through the element that made them", async () => {
  const { page } = suite;
  await openScenario(page, { gallery: "chains/chain-forward" });
  const paths = await page.evaluate(() => {
    const { bodies, joints, shapes, devices } = window.lockstep.store.scene.value!;
    return [bodies.slice(1), joints, shapes, devices].map((list) => list.filter(({ xpath }) => !xpath).length);
  });
  expect(paths).toEqual([0, 0, 0, 0]);
  const { name, xpath } = await page.evaluate(() =>
    window.lockstep.store.scene.value!.bodies.find((body) => body.name.endsWith("module2a"))!,
  );
  expect(xpath).toBe("/scenario/robot[1]/chain[1]");
  await select("body", name);
  const control = page.locator(".inspector [aria-label='modules, number']").first();
  await control.waitFor();
  await control.fill("12");
  await control.press("Enter");
  await page.waitForFunction(() =>
    window.lockstep.store.scene.value!.bodies.some((body) => body.name.endsWith("module12b")),
  );
});

it("shows the whole reason of a failure, in the view and in the events", async () => {
  const { page } = suite;
  const reason = "the reason of this failure is a long sentence that no status bar shows to its very end";
  const text = `<scenario name="failing" step="1 ms" duration="10 s"><ground/>
    <object name="ball" position="0 0 1"><sphere radius="0.1" mass="1"/></object>
    <controllers><lua name="script">
      function step(time) if time > 0.01 then error("${reason}") end end
    </lua></controllers></scenario>`;
  await openScenario(page, { text, name: "failing.xml" });
  await page.keyboard.press("Space");
  await waitForState(page, "failed");
  const notice = page.locator(".notice.failed");
  await notice.filter({ hasText: reason }).waitFor();
  expect(await notice.textContent()).toMatch(/at step 11, 'script': script:1: /);
  const { scrollWidth, clientWidth } = await notice.evaluate((element) => ({
    scrollWidth: element.scrollWidth,
    clientWidth: element.clientWidth,
  }));
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  await page.click("#tab-events");
  await page.locator(".events .warning").filter({ hasText: reason }).waitFor();
  await screenshot(page, "failed");
  await page.click("#tab-inspector");
});

it("shows the connections as they are now, within the window", async () => {
  const { page } = suite;
  await page.setViewportSize({ width: 1280, height: 720 });
  await openScenario(page, { gallery: "arms/wired-arm" });
  await page.locator(".statusbar").getByText("Connections 0/1").click();
  const table = page.locator(".menu:popover-open table");
  await table.waitFor();
  const box = (await table.boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(1280);
  expect(box.y + box.height).toBeLessThanOrEqual(720);
  await screenshot(page, "connections");
  await page.evaluate(() => {
    const { store } = window.lockstep;
    const [first] = store.status.value.connections;
    store.setStatus({ ...store.status.value, connections: [{ ...first!, late: 4321 }] });
  });
  await table.getByText("4321").waitFor();
  await page.keyboard.press("Escape");
});

it("loads a scenario with its files, a recording and a snapshot back", async () => {
  const { page } = suite;
  const folder = mkdtempSync(`${tmpdir()}/upload`);
  const scenario = SCENARIOS + SCENARIO;
  runCommand("run", scenario, "--for", "0.5s", "--record", `${folder}/run.rec`, "--save", `${folder}/half.snapshot`);
  const file = (name: string, buffer: Buffer): { name: string; mimeType: string; buffer: Buffer } => ({
    name,
    mimeType: "application/octet-stream",
    buffer,
  });
  await page.setInputFiles("#upload", file("half.snapshot", readFileSync(`${folder}/half.snapshot`)));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 0.5);
  await page.waitForFunction(() => window.lockstep.store.status.value.snapshots[0]?.name === "half");
  await page.setInputFiles("#upload", file("run.rec", readFileSync(`${folder}/run.rec`)));
  await page.waitForFunction(() => window.lockstep.store.isReplay.value);
  await page.locator(".notice.replay").filter({ hasText: "This is a recording" }).waitFor();
  expect(await page.evaluate(() => window.lockstep.store.status.value.recording)).toEqual({ start: 0, end: 0.5 });
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const faces = ["1 3 2", "1 2 4", "2 3 4", "1 4 3"];
  const obj = [...corners.map((at) => `v ${at.join(" ")}`), ...faces.map((face) => `f ${face}`)].join("\n");
  const text = `<scenario name="own"><object name="piece" position="0 0 1"><mesh src="parts/piece.obj" mass="1"/></object></scenario>`;
  await page.setInputFiles("#upload", [file("piece.obj", Buffer.from(obj)), file("own.xml", Buffer.from(text))]);
  await page.waitForFunction(() => window.lockstep.store.scene.value?.name === "own");
  expect(await page.evaluate(() => window.lockstep.store.scene.value!.meshes.length)).toBe(1);
});

it("tells what another viewer does", async () => {
  const { page } = suite;
  const other = await openPage(suite.browser, suite.server.address);
  await other.waitForFunction(() => window.lockstep.store.scene.value !== null);
  await other.evaluate(() => window.lockstep.request("reset"));
  await page.locator(".toast").filter({ hasText: "Another viewer reset the run" }).waitFor();
  expect(await other.locator(".toast").count()).toBe(0);
  await other.close();
});

it("keeps plots and controls without WebGL", async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-3d-apis"],
  });
  try {
    const page = await openPage(browser, suite.server.address);
    await page.locator(".no-webgl").filter({ hasText: "cannot draw 3D" }).waitFor();
    await page.evaluate(() => window.lockstep.plots.addSignal("pendulum/pivot/angle"));
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.lockstep.history.length > 50);
    expect(await page.locator(".statusbar .state").textContent()).toBe("Running");
    await page.keyboard.press("Space");
    await screenshot(page, "no-webgl");
  } finally {
    await browser.close();
  }
});
