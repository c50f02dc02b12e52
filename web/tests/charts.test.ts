// Kinds of plots: several axes, formulas, XY, state bands, tables and gauges.

import { expect, it } from "vitest";
import { drawn, findHinge, screenshot, waitForState } from "./harness.ts";
import { usePage } from "./suite.ts";

const suite = usePage();
const TORQUE = "pendulum/drive/torque";

async function run(seconds: number): Promise<void> {
  const { page } = suite;
  await page.evaluate(() => window.lockstep.request("speed", { factor: null }));
  const end = await page.evaluate((seconds) => window.lockstep.store.status.value.time + seconds, seconds);
  await page.evaluate((seconds) => window.lockstep.request("play", { for: seconds }), seconds);
  await page.waitForFunction((end) => window.lockstep.store.status.value.time > end - 1e-6, end);
  await waitForState(page, "paused");
}

/// Shows only these signals, in one plot, over a range of time, and waits for all their rows.
async function show(kind: string, signals: string[], from: number, to: number): Promise<void> {
  const { page } = suite;
  await page.evaluate(
    async ([kind, signals, from, to]) => {
      const { plots } = window.lockstep;
      await plots.restore([{ kind: kind as "curves", signals: signals }]);
      plots.setRange(from, to);
    },
    [kind, signals, from, to] as const,
  );
  // A derivative has no value in the first row of the run.
  await page.waitForFunction(
    ([names, to]) => {
      const { history } = window.lockstep;
      const last = history.length;
      return names.every(
        (name) => last > 900 * to && [...(history.column(name) ?? [Number.NaN])].slice(1, last).every(Number.isFinite),
      );
    },
    [signals, to] as const,
  );
  await page.evaluate(() => window.lockstep.plots.redraw());
  await drawn(page);
}

/// Share of the plotting area that pixels of a colour span, across and up, and where they begin.
function spanOf(color: string): Promise<{ across: number; up: number; count: number }> {
  return suite.page.evaluate((color) => {
    const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas")!;
    const over = document.querySelector<HTMLElement>(".plot .u-over")!;
    const [box, at] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
    const scale = canvas.width / box.width;
    const [left, top] = [Math.round((at.left - box.left) * scale), Math.round((at.top - box.top) * scale)];
    const [width, height] = [Math.floor(at.width * scale), Math.floor(at.height * scale)];
    const { data } = canvas.getContext("2d")!.getImageData(left, top, width, height);
    const wanted = [1, 3, 5].map((i) => Number.parseInt(color.slice(i, i + 2), 16));
    let [minX, maxX, minY, maxY, count] = [width, 0, height, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const away = wanted.reduce((sum, each, k) => sum + Math.abs(each - data[i + k]!), 0);
      if (data[i + 3]! < 200 || away > 30) continue;
      const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
      [minX, maxX, minY, maxY] = [Math.min(minX, x), Math.max(maxX, x), Math.min(minY, y), Math.max(maxY, y)];
      ++count;
    }
    return { across: (maxX - minX) / width, up: (maxY - minY) / height, count };
  }, color);
}

const [BLUE, ORANGE] = ["#2f7de1", "#d9480f"];

it("gives each unit its own axis, so that both curves fill the plot", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await run(3);
  await show("curves", [signal, signal.replace(/angle$/, "speed")], 0, 3);
  await screenshot(page, "axes");
  for (const color of [BLUE, ORANGE]) {
    const { across, up } = await spanOf(color);
    expect(across).toBeGreaterThan(0.9);
    expect(up).toBeGreaterThan(0.6);
  }
});

it("plots formulas of the server, with their past and their unit", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  const speed = signal.replace(/angle$/, "speed");
  await run(2);
  await page.click("#tab-signals");
  const field = page.getByLabel("Formula over signals");
  await field.fill(`${signal} + ${speed}`);
  await page.keyboard.press("Enter");
  await page.locator(".formula-error").filter({ hasText: "character" }).waitFor();
  await field.fill(`derivative(${signal})`);
  await page.keyboard.press("Enter");
  await page.locator(".chip .name").filter({ hasText: "derivative" }).waitFor();
  expect(await page.locator(".formula-error").textContent()).toBe("");
  const formula = `=derivative(${signal})`;
  expect(await page.evaluate((name) => window.lockstep.plots.signal(name)!.unit, formula)).toBe("rad/s");
  await show("curves", [formula, speed], 0, 2);
  // The slope of the angle over the last millisecond is the speed half a millisecond ago; it changes by at most 15 rad/s².
  const farthest = await page.evaluate(
    ([formula, speed]) => {
      const { history } = window.lockstep;
      const [a, b] = [history.column(formula!)!, history.column(speed!)!];
      let most = 0;
      for (let row = 1; row < history.length; ++row) most = Math.max(most, Math.abs(a[row]! - b[row]!));
      return most;
    },
    [formula, speed],
  );
  expect(farthest).toBeGreaterThan(0);
  expect(farthest).toBeLessThan(0.02);
  await screenshot(page, "formula");
});

it("plots one signal over another", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await run(3);
  await show("xy", [signal, signal.replace(/angle$/, "speed")], 0, 3);
  await screenshot(page, "xy");
  // More than a period of the pendulum: an orbit around the middle.
  const { across, up, count } = await spanOf(ORANGE);
  expect(across).toBeGreaterThan(0.8);
  expect(up).toBeGreaterThan(0.8);
  expect(count).toBeGreaterThan(300);
});

it("shows states as bands", async () => {
  const { page } = suite;
  for (const value of [1, 2]) {
    await page.evaluate(([signal, value]) => window.lockstep.request("set", { signal, value }), [
      TORQUE,
      value,
    ] as const);
    await run(1);
  }
  await show("bands", [TORQUE], 0, 2);
  await screenshot(page, "bands");
  for (const color of [BLUE, ORANGE]) {
    const { across, up, count } = await spanOf(color);
    expect(across).toBeCloseTo(0.5, 1);
    expect(up).toBeGreaterThan(0.6);
    expect(count).toBeGreaterThan(2000);
  }
});

it("shows values as a table and as gauges", async () => {
  const { page } = suite;
  const { signal } = await findHinge(page);
  await page.evaluate((signal) => window.lockstep.request("set", { signal, value: 5 }), TORQUE);
  await run(2);
  await show("table", [signal, TORQUE], 0, 2);
  const cell = async (row: number, what: string): Promise<number> => {
    const text = await page.locator(".values tbody tr").nth(row).locator(`.${what}`).textContent();
    return Number(text!.replace("−", "-"));
  };
  const truth = await page.evaluate((signal) => {
    const { history } = window.lockstep;
    const values = [...history.column(signal)!.subarray(0, history.length)];
    return { min: Math.min(...values), max: Math.max(...values), value: values.at(-1)! };
  }, signal);
  for (const [what, value] of Object.entries(truth)) expect(await cell(0, what)).toBeCloseTo(value, 3);
  expect(await cell(1, "value")).toBe(5);
  await screenshot(page, "table");
  // Of a torque from -20 to 20 N m, 5 is at 62.5 %.
  await show("gauges", [TORQUE], 0, 2);
  const [needle, scale] = [
    (await page.locator(".gauge .needle").boundingBox())!,
    (await page.locator(".gauge .scale").boundingBox())!,
  ];
  expect((needle.x + needle.width / 2 - scale.x) / scale.width).toBeCloseTo(0.625, 2);
  await screenshot(page, "gauges");
});
