// A recorded run in the same page: `lockstep serve --replay`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  compareImage,
  findHinge,
  hingeAngle,
  launch,
  openPage,
  readLog,
  runCommand,
  SCENARIO,
  SCENARIOS,
  screenshot,
  startServer,
  takeErrors,
  waitForState,
  type Server,
} from "./harness.ts";

/// Poses come in single precision.
const ANGLE_TOLERANCE = 1e-5;

let folder: string;
let server: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lockstep-"));
  const recording = join(folder, "run.rec");
  runCommand("run", SCENARIOS + SCENARIO, "--for", "1s", "--record", recording, "--log", join(folder, "log.csv"));
  server = await startServer({ args: ["--replay", recording] });
  browser = await launch();
  page = await openPage(browser, server.address);
  page.setDefaultTimeout(60_000);
  await page.waitForFunction(() => window.lockstep.store.state.value !== null);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

it("scrubs to any instant of the recording", async () => {
  const { joint, signal } = await findHinge(page);
  const log = readLog(join(folder, "log.csv"), signal);
  await compareImage(page, "start");
  for (const time of [0.75, 0.25, 0.5]) {
    await page.getByLabel("Timeline").fill(String(time));
    await page.waitForFunction((step) => window.lockstep.store.state.value?.step === step, Math.round(1000 * time));
    expect(Math.abs((await hingeAngle(page, joint)) - log.get(time)!)).toBeLessThan(ANGLE_TOLERANCE);
  }
  expect(await compareImage(page, "middle", "start")).toBeGreaterThan(100);
  await screenshot(page, "replay");
});

it("offers no controls that change the recording", async () => {
  expect(await page.locator(".inspector .slider").count()).toBe(0);
  expect(await page.getByLabel(/^Pull bodies/).isVisible()).toBe(false);
  const rejected = await page.evaluate(() =>
    window.lockstep.request("set", { signal: "pendulum/drive/torque", value: 1 }).then(
      () => "",
      (error: Error) => error.message,
    ),
  );
  expect(rejected).toContain("recording");
});

it("plays to its end and stays there", async () => {
  await page.getByLabel("Play (Space)").click();
  await waitForState(page, "ended");
  expect(await page.evaluate(() => window.lockstep.store.status.value.step)).toBe(1000);
  expect(takeErrors()).toEqual([]);
});
