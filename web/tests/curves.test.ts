// The curves of the plots are rows of the run and nothing else, also after jumps, at full speed and for late signals.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { findHinge, pause, readLog, runCommand, SCENARIO, SCENARIOS, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();
const END = 12; // s

/// Times and values of a signal in the page, and the number of rows with a hole before them.
async function curveOf(signal: string): Promise<{ times: number[]; values: number[]; holes: number }> {
  return suite.page.evaluate((signal) => {
    const { history } = window.lockstep;
    const times = [...history.times.subarray(0, history.length)];
    const values = [...(history.column(signal) ?? []).slice(0, history.length)];
    return { times, values, holes: times.filter((_, row) => history.hasHoleBefore(row)).length };
  }, signal);
}

it("shows every row of the run, after full speed, jumps and a new start in the past", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  const log = `${mkdtempSync(`${tmpdir()}/curves`)}/log.csv`;
  runCommand("run", SCENARIOS + SCENARIO, "--for", `${END} s`, "--log", log);
  const truth = readLog(log, signal);

  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.getByLabel("Time span of the plots").selectOption("30");
  await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
  await page.evaluate((end) => window.lockstep.request("play", { for: end }), END);
  await waitForState(page, "paused");
  // Rows that did not reach the page in time are fetched.
  await expect.poll(async () => (await curveOf(signal)).holes, { timeout: 30_000 }).toBe(0);
  await expect.poll(async () => (await curveOf(signal)).times.length).toBe(END * 1000);
  const isTrue = async (name: string, values: Map<number, number>): Promise<void> => {
    const curve = await curveOf(name);
    const wrong = curve.times.filter((time, row) => values.get(time) !== curve.values[row]);
    expect(wrong).toEqual([]);
  };
  await isTrue(signal, truth);

  // A look at the past and back does not change the curve.
  for (const time of [2, 9, 5]) {
    await page.evaluate((time) => window.lockstep.request("seek", { time }), time);
    await page.waitForFunction((time) => Math.abs(window.lockstep.store.state.value!.time - time) < 1e-6, time);
  }
  expect((await curveOf(signal)).times.length).toBe(END * 1000);
  await isTrue(signal, truth);
  await screenshot(page, "curves");

  // A signal that is added late has its past.
  const late = signal.replace(/angle$/, "speed");
  expect(late).not.toBe(signal);
  await page.evaluate((late) => window.lockstep.plots.addSignal(late), late);
  const speeds = readLog(log, late);
  await expect.poll(async () => (await curveOf(late)).values.filter(Number.isNaN).length, { timeout: 30_000 }).toBe(0);
  await isTrue(late, speeds);

  // The run continues from 5 s: only now is the rest gone.
  await page.evaluate(() => window.lockstep.request("step", { count: 100 }));
  await page.waitForFunction(() => window.lockstep.store.state.value?.step === 5100);
  await expect.poll(async () => (await curveOf(signal)).times.at(-1)).toBe(5.099);
  expect((await curveOf(signal)).holes).toBe(0);
  await pause(page);
});

it("breaks and marks the line where rows are missing", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await page.evaluate((signal) => window.lockstep.plots.addSignal(signal), signal);
  await page.evaluate(() => window.lockstep.request("step", { count: 2000 }));
  await page.waitForFunction(() => window.lockstep.history.lastTime === 1.999);
  const pixelAt = (time: number): Promise<number[]> =>
    page.evaluate((time) => {
      const { plots } = window.lockstep;
      plots.setRange(0, 2);
      plots.redraw();
      const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas")!;
      const over = document.querySelector<HTMLElement>(".plot .u-over")!;
      const box = canvas.getBoundingClientRect();
      const at = over.getBoundingClientRect();
      const scale = canvas.width / box.width;
      const x = Math.round((at.left - box.left + (at.width * time) / 2) * scale);
      const column = canvas.getContext("2d")!.getImageData(x, 0, 1, canvas.height).data;
      // Number of pixels per column in the colour of the line (saturated) and of a hole (opaque grey over most of it).
      let [line, shaded] = [0, 0];
      for (let i = 0; i < column.length; i += 4) {
        const [r, g, b, a] = [column[i]!, column[i + 1]!, column[i + 2]!, column[i + 3]!];
        if (a > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 60) ++line;
        else if (a > 250) ++shaded;
      }
      return [line, shaded / canvas.height];
    }, time);
  const [line] = await pixelAt(0.95);
  expect(line).toBeGreaterThan(0);
  // Without these rows, as if the page had been too slow.
  await page.evaluate((signal) => {
    const { history } = window.lockstep;
    const rows = [...history.times.subarray(0, history.length)].flatMap((time, row) =>
      time > 0.7 && time < 1.2 ? [] : [time, history.column(signal)![row]!],
    );
    history.clear();
    history.merge([signal], Float64Array.from(rows));
  }, signal);
  const [broken, shaded] = await pixelAt(0.95);
  expect(broken).toBe(0);
  expect(shaded).toBeGreaterThan(0.3);
  await screenshot(page, "hole");
  // The exported file does not bridge it either.
  const lines = await page.evaluate(() => window.lockstep.plots.csv.split("\n"));
  expect(lines.filter((line) => /^[\d.]+,+$/.test(line)).length).toBe(1);
});
