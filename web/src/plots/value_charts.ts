// The values of signals at the shown instant: as a table with their extremes over the time range, or as gauges.

import { h, setText } from "../dom.ts";
import { formatFixed, formatNumber, formatUnit } from "../format.ts";
import type { Signal } from "../protocol.ts";
import { colorOf, nearestRow, type Chart, type ChartOwner } from "./chart.ts";
import type { History } from "./history.ts";

export interface Summary {
  min: number;
  max: number;
  mean: number;
}

/// Over the rows of a time range; NaN without any.
export function summarize(history: History, signal: string, from: number, to: number): Summary {
  const column = history.column(signal);
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  const last = Math.min(history.length, history.firstIndexFrom(to) + 1);
  for (let row = history.firstIndexFrom(from); column && row < last; ++row) {
    const value = column[row]!;
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    ++count;
  }
  return count > 0 ? { min, max, mean: sum / count } : { min: Number.NaN, max: Number.NaN, mean: Number.NaN };
}

/// What both kinds do: keep the range and the instant, and write the values of each signal.
abstract class ValueChart implements Chart {
  readonly pointedTime = null;
  readonly canvas = null;
  readonly #owner: ChartOwner;
  readonly #writers: ((value: number, summary: Summary) => void)[];
  #time = Number.NaN;
  #summaries: Summary[] = [];

  constructor(owner: ChartOwner, writers: ((value: number, summary: Summary) => void)[]) {
    this.#owner = owner;
    this.#writers = writers;
  }

  update(from: number, to: number): void {
    const { history, signals } = this.#owner;
    this.#summaries = signals.map((name) => summarize(history, name, from, to));
    this.#write();
  }

  setPlayhead(time: number): void {
    if (time === this.#time) return;
    this.#time = time;
    this.#write();
  }

  #write(): void {
    const { history, signals } = this.#owner;
    const row = nearestRow(history, this.#time);
    signals.forEach((name, i) => {
      const summary = this.#summaries[i];
      if (summary) this.#writers[i]!(history.column(name)?.[row] ?? Number.NaN, summary);
    });
  }

  resize(): void {} // the browser lays them out
  dispose(): void {}
}

export class TableChart extends ValueChart {
  constructor(owner: ChartOwner, body: HTMLElement) {
    const rows = owner.signals.map((name) => {
      const cells = ["value", "min", "max", "mean"].map((what) => h("td", { class: `number ${what}` }));
      const head = h("th", { scope: "row", title: name }, name);
      return { cells, row: h("tr", {}, head, ...cells, h("td", {}, formatUnit(owner.signal(name)?.unit ?? ""))) };
    });
    super(
      owner,
      rows.map(({ cells }) => (value: number, { min, max, mean }: Summary): void => {
        [value, min, max, mean].forEach((each, i) => setText(cells[i]!, formatFixed(each)));
      }),
    );
    const heads = ["Signal", "Value", "Min", "Max", "Mean", "Unit"].map((head) => h("th", { scope: "col" }, head));
    const table = h(
      "table",
      { class: "values" },
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows.map(({ row }) => row)),
    );
    body.append(table);
  }
}

export class GaugeChart extends ValueChart {
  constructor(owner: ChartOwner, body: HTMLElement) {
    const gauges = owner.signals.map((name, i) => makeGauge(name, owner.signal(name), colorOf(i)));
    super(
      owner,
      gauges.map(({ write }) => write),
    );
    body.append(h("div", { class: "gauges" }, ...gauges.map(({ element }) => element)));
  }
}

/// Position of a value between limits, 0…1.
export function shareOf(value: number, low: number, high: number): number {
  return high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
}

/// A bar from the lower to the upper limit of a signal, or of the range if it has none.
function makeGauge(
  name: string,
  signal: Signal | undefined,
  color: string,
): { element: HTMLElement; write: (value: number, summary: Summary) => void } {
  const value = h("output", { class: "value" });
  const needle = h("div", { class: "needle", style: `background:${color}` });
  const [low, high] = [h("span", {}), h("span", {})];
  const element = h(
    "div",
    { class: "gauge", title: name },
    h("div", { class: "name" }, name),
    value,
    h("div", { class: "scale" }, needle),
    h("div", { class: "limits" }, low, high),
  );
  const unit = formatUnit(signal?.unit ?? "");
  return {
    element,
    write: (now, { min, max }) => {
      const [from, to] = [signal?.lower ?? min, signal?.upper ?? max];
      setText(value, `${formatFixed(now)} ${unit}`);
      setText(low, formatNumber(from, 3));
      setText(high, formatNumber(to, 3));
      needle.style.left = `${(100 * shareOf(now, from, to)).toFixed(2)}%`;
    },
  };
}
