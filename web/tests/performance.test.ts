// Performance of the page: script time per image with 200 bodies at 60 Hz, and bytes of the first load.

import { expect, it } from "vitest";
import { screenshot } from "./harness.ts";
import { usePage } from "./suite.ts";

const BODIES = 200;
const SCRIPT_MS = 8;
const FRAMES = 40;
const STRETCHES = 5;
const LOAD_BYTES = 350_000;
const PLOTS = 4;

/// Rotating bodies, each at its own rate. Script time does not depend on the shape; the software renderer is fastest with
/// boxes.
function crowd(): string {
  const objects = Array.from({ length: BODIES }, (_, i) => {
    const [x, y, z] = [(i % 10) * 0.6, (Math.floor(i / 10) % 10) * 0.6, 0.5 + Math.floor(i / 100) * 0.6];
    const turn = `${Math.sin(i).toFixed(3)} ${Math.cos(i).toFixed(3)} ${(1 + (i % 7) / 3).toFixed(3)}`;
    const color = `#${(0x404040 + ((i * 2654435) & 0x9f9f9f)).toString(16)}`;
    return `<object name="body${i}" position="${x} ${y} ${z}" angular_velocity="${turn}"><box size="0.3 0.2 0.1" mass="1" color="${color}"/></object>`;
  });
  return `<scenario name="crowd" step="5 ms" duration="1000 s" gravity="0 0 0"><ground/>\n${objects.join("\n")}\n</scenario>`;
}

// Few pixels, so that the software renderer leaves the processor to the script.
const suite = usePage({ imagesPerSecond: 60, pixelRatio: 0.1 }, { text: crowd(), name: "crowd.xml" });

function text({ mean, p95 }: { mean: number; p95: number }): string {
  return `mean ${mean.toFixed(2)} p95 ${p95.toFixed(2)} ms`;
}

/// Highest number of states received in one second: what the server can do despite other load on the machine.
async function streamRate(): Promise<number> {
  return suite.page.evaluate(async () => {
    let [best, count] = [0, 0];
    const stop = window.lockstep.store.state.watch(() => ++count);
    for (let i = 0; i < 20 && best < 57; ++i) {
      const [start, first] = [performance.now(), count];
      await new Promise((resolve) => setTimeout(resolve, 1000));
      best = Math.max(best, ((count - first) / (performance.now() - start)) * 1000);
    }
    stop();
    return best;
  });
}

it("spends less than 8 ms of script per image of 200 bodies streamed at 60 Hz, with four plots", async () => {
  const { page } = suite;
  await page.evaluate((count) => {
    const { plots, store } = window.lockstep;
    const names = store.scene.value!.signals.map(({ name }) => name);
    for (let i = 0; i < count; ++i) plots.add([names[i % names.length]!]);
  }, PLOTS);
  // Shadows cost only renderer time.
  await page.evaluate(() => window.lockstep.settings.update((settings) => ({ ...settings, shadows: false })));
  await page.keyboard.press("Space");
  // Without a graphics processor, on a busy machine, images may take a second each.
  const drawn = (count: number, ms: number): Promise<number> =>
    page.evaluate(
      async ([count, ms]) => {
        const { stats } = window.lockstep;
        const [start, first] = [performance.now(), stats.frames];
        while (stats.frames < first + count && performance.now() < start + ms)
          await new Promise((resolve) => setTimeout(resolve, 20));
        return stats.frames - first;
      },
      [count, ms] as const,
    );
  expect(await drawn(10, 40_000)).toBeGreaterThanOrEqual(5); // the first ones compile shaders and scripts
  // Times include what other programs took of the processor; the quietest interval is the cost of the page.
  let quietest = { script: { mean: Infinity, p95: Infinity }, submit: { mean: Infinity, p95: Infinity } };
  for (let i = 0; i < STRETCHES && quietest.script.p95 >= SCRIPT_MS; ++i) {
    await page.evaluate(() => window.lockstep.stats.restart());
    if ((await drawn(FRAMES, 12_000)) < FRAMES / 2) continue;
    const { script, submit } = await page.evaluate(() => ({
      script: window.lockstep.stats.scriptMs,
      submit: window.lockstep.stats.submitMs,
    }));
    console.log(`script ${text(script)}, renderer ${text(submit)}`);
    if (script.p95 < quietest.script.p95) quietest = { script, submit };
  }
  const bodies = await page.evaluate(() => window.lockstep.store.scene.value!.bodies.length - 1);
  const rate = await streamRate();
  await screenshot(page, "crowd");
  console.log(`${rate.toFixed(1)} states/s received`);
  expect(bodies).toBe(BODIES);
  expect(rate).toBeGreaterThan(10); // 60 on an idle machine
  expect(quietest.script.mean).toBeLessThan(SCRIPT_MS);
  expect(quietest.script.p95).toBeLessThan(SCRIPT_MS);
});

it("loads less than 350 kB compressed, only from the server", async () => {
  const { page } = suite;
  const fresh = await suite.browser.newPage();
  await fresh.goto(suite.server.address);
  await fresh.waitForFunction(() => window.lockstep?.store.state.value);
  const loaded = await fresh.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((entry) => {
      const { name, transferSize } = entry as PerformanceResourceTiming;
      return { origin: new URL(name).origin, bytes: transferSize };
    }),
  );
  await fresh.close();
  expect(loaded.length).toBeGreaterThan(2);
  expect(new Set(loaded.map(({ origin }) => origin))).toEqual(new Set([new URL(page.url()).origin]));
  const bytes = loaded.reduce((sum, each) => sum + each.bytes, 0);
  console.log(`first load ${bytes} bytes`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(LOAD_BYTES);
});
