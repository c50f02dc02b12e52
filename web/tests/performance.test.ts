// What the page costs: script time per frame with 200 bodies at 60 Hz, and bytes of the first load.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

const SCRIPT_MS = 8;
const LOAD_BYTES = 1.5e6;
const CROWD = process.env.LOCKSTEP_CROWD ?? "crowd";

const suite = usePage({ width: 800, height: 600, picturesPerSecond: 60 }, CROWD);

it("spends less than 8 ms of script on a frame of 200 bodies", async () => {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.plots.addSignal(window.lockstep.store.scene.value!.signals[0]!.name));
  // Shadows are the driver's work, which software rendering makes slow.
  await page.evaluate(() => window.lockstep.settings.update((settings) => ({ ...settings, shadows: false })));
  await page.keyboard.press("Space");
  const drawn = async (count: number): Promise<void> => {
    const until = (await page.evaluate(() => window.lockstep.stats.frames)) + count;
    await page.waitForFunction((until) => window.lockstep.stats.frames >= until, until, { timeout: 50_000 });
  };
  await drawn(5); // the first frames compile shaders and scripts
  await page.evaluate(() => window.lockstep.stats.restart());
  const [start, step] = await page.evaluate(() => [performance.now(), window.lockstep.store.frame.value!.step]);
  await drawn(40);
  const result = await page.evaluate(() => {
    const { stats, store } = window.lockstep;
    return { bodies: store.scene.value!.bodies.length - 1, script: stats.scriptMs, submit: stats.submitMs, now: performance.now(), step: store.frame.value!.step };
  });
  await screenshot(page, "crowd");
  console.log(`script ${JSON.stringify(result.script)} ms, driver ${JSON.stringify(result.submit)} ms per frame`);
  expect(result.bodies).toBeGreaterThanOrEqual(200);
  expect(result.step).toBeGreaterThan(step!);
  expect(result.now).toBeGreaterThan(start!);
  expect(result.script.mean).toBeLessThan(SCRIPT_MS);
  expect(result.script.p95).toBeLessThan(SCRIPT_MS);
});

it("loads less than 1.5 MB compressed, and from nowhere but the server", async () => {
  const dist = fileURLToPath(new URL("../dist/", import.meta.url));
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + gzipSync(readFileSync(`${parentPath}/${name}`)).length, 0);
  expect(files.length).toBeGreaterThan(2);
  expect(bytes).toBeLessThan(LOAD_BYTES);
  const { page } = suite;
  const origins = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin));
  expect(origins.length).toBeGreaterThan(0);
  expect(new Set(origins)).toEqual(new Set([new URL(page.url()).origin]));
});
