// Makes the images of the docs: docs/images/browser.png, and scenarios/GROUP/thumbnails/NAME.jpg for each scenario of the gallery.
//
//   node tools/screenshot.ts [page] [thumbnails]      default: both

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { drawn, launch, openPage, openScenario, startServer, waitForTime } from "../tests/harness.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCENARIOS = `${ROOT}scenarios/`;
const IMAGES = `${ROOT}docs/images/`;

/// The image of the page: the scenario of `./dev run` after some simulated seconds.
const DEMO = {
  gallery: "chains/snake",
  plots: ["snake/joint1/angle", "snake/joint3/angle", "snake/joint5/angle"],
  trace: "snake/m1",
  steps: 1600,
  stride: 20,
};
const THUMBNAIL = { width: 320, height: 180, quality: 0.82, maxBytes: 15_000 };
const PATIENCE_MS = 90_000;
/// Simulated seconds: long enough to show what a scenario is about, and few have ended by then.
const THUMBNAIL_AFTER = 1.2;

async function takePage(browser: Browser, address: string): Promise<void> {
  const page = await openPage(browser, address, { width: 1600, height: 900, isDark: true });
  page.setDefaultTimeout(PATIENCE_MS);
  await openScenario(page, { gallery: DEMO.gallery });
  await page.evaluate(({ plots, trace }) => {
    const { lockstep } = window;
    for (const signal of plots) lockstep.plots.addSignal(signal);
    lockstep.store.toggle(lockstep.store.traced, [trace], true);
  }, DEMO);
  // Image by image, so that the trace is smooth even with slow rendering.
  for (let step = DEMO.stride; step <= DEMO.steps; step += DEMO.stride) {
    await page.evaluate((count) => window.lockstep.request("step", { count }), DEMO.stride);
    await page.waitForFunction((step) => window.lockstep.stats.step === step, step);
  }
  await page.evaluate(() => window.lockstep.request("play"));
  await waitForTime(page, (await page.evaluate(() => window.lockstep.stats.time)) + 0.1);
  await page.evaluate(() => window.lockstep.view.look("home"));
  await drawn(page);
  mkdirSync(IMAGES, { recursive: true });
  await page.screenshot({ path: `${IMAGES}browser.png` });
  await page.close();
}

async function takeThumbnail(page: Page, name: string): Promise<void> {
  await openScenario(page, { gallery: name });
  // A scenario that waits for a controller outside does not move.
  if (await page.evaluate(() => window.lockstep.store.status.value.connections.length === 0)) {
    await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
    await page.evaluate((length) => window.lockstep.request("play", { for: length }), THUMBNAIL_AFTER);
    await page.waitForFunction(
      () => window.lockstep.store.status.value.state !== "running" && window.lockstep.store.status.value.step > 0,
    );
    await page.waitForFunction(
      () => window.lockstep.store.state.value?.step === window.lockstep.store.status.value.step,
    );
  }
  await page.evaluate(() => window.lockstep.view.look("home"));
  await drawn(page);
  const bytes = await page.evaluate(async ({ width, height, quality }) => {
    const { view } = window.lockstep;
    view.draw(); // the drawing buffer is valid only until this task ends
    const small = new OffscreenCanvas(width, height);
    const context = small.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(view.canvas, 0, 0, width, height);
    return [...new Uint8Array(await (await small.convertToBlob({ type: "image/jpeg", quality })).arrayBuffer())];
  }, THUMBNAIL);
  if (bytes.length > THUMBNAIL.maxBytes) throw new Error(`the thumbnail of ${name} has ${bytes.length} bytes`);
  const folder = `${SCENARIOS}${dirname(name)}/thumbnails/`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${basename(name)}.jpg`, Buffer.from(bytes));
}

async function takeThumbnails(browser: Browser, address: string): Promise<void> {
  const page = await openPage(browser, address);
  page.setDefaultTimeout(PATIENCE_MS);
  // The image alone, at twice the size: downscaling gives a better thumbnail.
  await page.evaluate(({ width, height }) => {
    const view = document.querySelector<HTMLElement>(".view")!;
    Object.assign(view.style, {
      position: "fixed",
      inset: "0 auto auto 0",
      width: `${2 * width}px`,
      height: `${2 * height}px`,
    });
  }, THUMBNAIL);
  const { gallery } = await page.evaluate(() => window.lockstep.request("files", {}));
  for (const { name } of gallery) await takeThumbnail(page, name);
  await page.close();
}

const wanted = process.argv.slice(2);
const isWanted = (word: string): boolean => wanted.length === 0 || wanted.includes(word);
const server = await startServer({ args: [] });
const browser = await launch();
try {
  if (isWanted("page")) await takePage(browser, server.address);
  if (isWanted("thumbnails")) await takeThumbnails(browser, server.address);
} finally {
  await browser.close();
  await server.stop();
}
