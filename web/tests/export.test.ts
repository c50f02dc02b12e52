// A run as one HTML file that needs no server, and videos of the view.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import {
  compareImage,
  drawn,
  findHinge,
  hingeAngle,
  readLog,
  runCommand,
  SCENARIO,
  SCENARIOS,
  screenshot,
  waitForState,
} from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();
const folder = mkdtempSync(join(tmpdir(), "lockstep-"));
afterAll(() => rmSync(folder, { recursive: true }));

/// Frames are 33 ms apart; poses come in single precision.
const ANGLE_TOLERANCE = 1e-5;

const errors: string[] = [];

/// Opens a file without any network.
async function openFile(file: string): Promise<{ page: Page; requests: string[] }> {
  const page = await suite.browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.on("pageerror", (error) => errors.push(error.message));
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${pathToFileURL(file).href}?fps=12`);
  await page.waitForFunction(() => window.lockstep?.store.state.value);
  await drawn(page);
  return { page, requests: requests.filter((url) => !url.startsWith("data:") && !url.startsWith("blob:")) };
}

it("opens an exported recording without a server: 3D, time line and plots", async () => {
  const [recording, log, html] = ["run.rec", "log.csv", "run.html"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  runCommand("run", SCENARIOS + SCENARIO, "--for", "2s", "--record", recording, "--log", log);
  expect(runCommand("export", recording, "-o", html)).toContain("run.html");
  const { page, requests } = await openFile(html);
  expect(requests).toEqual([`${pathToFileURL(html).href}?fps=12`]);
  const { joint, signal } = await findHinge(page);
  const truth = readLog(log, signal);

  await compareImage(page, "start");
  for (const frame of [30, 12]) {
    const time = frame * 0.033;
    await page.getByLabel("Timeline").fill(String(time));
    await page.waitForFunction((step) => window.lockstep.store.state.value?.step === step, Math.round(1000 * time));
    const at = [...truth.keys()].find((each) => Math.abs(each - time) < 1e-6)!;
    expect(Math.abs((await hingeAngle(page, joint)) - truth.get(at)!)).toBeLessThan(ANGLE_TOLERANCE);
  }
  expect(await compareImage(page, "later", "start")).toBeGreaterThan(100);

  // The whole curve is there, each value as in the log.
  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.waitForFunction(() => window.lockstep.history.length === 2000);
  const curve = await page.evaluate((signal) => {
    const { history } = window.lockstep;
    return [...history.times.subarray(0, history.length)].map((time, row) => [time, history.column(signal)![row]!]);
  }, signal);
  expect(curve.filter(([time, value]) => truth.get(time!) !== value)).toEqual([]);
  await page.keyboard.press("Space");
  await waitForState(page, "ended");
  await screenshot(page, "export");
  // What needs a server says so.
  const rejected = await page.evaluate(() =>
    window.lockstep.request("set", { signal: "pendulum/drive/torque", value: 1 }).then(
      () => "",
      (error: Error) => error.message,
    ),
  );
  expect(rejected).toContain("recording");
  await page.close();
  expect(errors).toEqual([]);
});

it("downloads the watched run as such a file, with its events", async () => {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.request("play", { for: 0.5 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 0.5);
  await page.evaluate(() => window.lockstep.request("set", { signal: "pendulum/drive/torque", value: 2 }));
  await page.evaluate(() => window.lockstep.request("play", { for: 0.5 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 1);
  await page.getByText("Snapshots").click();
  const download = page.waitForEvent("download");
  await page.getByText("Download as one page").click();
  const file = join(folder, "watched.html");
  await (await download).saveAs(file);
  const { page: offline } = await openFile(file);
  expect(await offline.evaluate(() => window.lockstep.store.status.value.recording)).toEqual({ start: 0, end: 1 });
  await offline.waitForFunction(() => window.lockstep.store.log.value.some(({ time }) => time === 0.5));
  await offline.close();
});

it("records a video of the view", async () => {
  const { page } = suite;
  await page.getByLabel("Record a video of the view").click();
  await page.evaluate(() => window.lockstep.request("play", { for: 1 }));
  await page.waitForFunction(() => window.lockstep.store.status.value.time === 1);
  const download = page.waitForEvent("download");
  await page.getByLabel("Record a video of the view").click();
  const saved = await download;
  const bytes = readFileSync(await saved.path());
  expect(bytes.length).toBeGreaterThan(3000);
  // WebM begins with an EBML head, MP4 with a box of type ftyp.
  const isWebm = bytes.readUInt32BE(0) === 0x1a45dfa3;
  expect(isWebm || bytes.subarray(4, 8).toString() === "ftyp").toBe(true);
  expect(saved.suggestedFilename()).toMatch(/^pendulum\.(webm|mp4)$/);
});
