// One plot: signals over the time range that all plots share.

import uPlot from "uplot";
import { h, setText } from "../dom.ts";
import { formatNumber, formatTime, formatUnit, formatValue } from "../format.ts";
import type { Signal } from "../protocol.ts";
import { iconButton } from "../widgets.ts";
import { LINE_COLORS } from "./colors.ts";
import { decimate, type Points } from "./decimate.ts";
import type { History } from "./history.ts";

export interface PlotOwner {
  readonly history: History;
  signal(name: string): Signal | undefined;
  setRange(from: number, to: number): void;
  followEnd(): void;
  remove(plot: Plot): void;
  changed(): void;
  dropped(plot: Plot, signal: string): void;
}

let count = 0;

export class Plot {
  readonly element: HTMLElement;
  readonly #owner: PlotOwner;
  readonly #body = h("div", { class: "plot-body" });
  readonly #legend = h("div", { class: "legend" });
  readonly #cursorTime = h("span", { class: "cursor-time" });
  readonly #points: Points = [[]];
  readonly #readouts = new Map<string, HTMLElement>();
  #signals: string[] = [];
  #chart: uPlot | null = null;
  #range: [number, number] = [0, 1];

  constructor(owner: PlotOwner) {
    this.#owner = owner;
    const close = iconButton("close", "Remove this plot", () => owner.remove(this));
    this.element = h(
      "section",
      { class: "plot", "aria-label": `Plot ${++count}`, tabindex: -1 },
      h("header", {}, this.#legend, this.#cursorTime, close),
      this.#body,
    );
    this.element.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("text/x-signal")) return;
      event.preventDefault();
      this.element.classList.add("drop");
    });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("drop"));
    this.element.addEventListener("drop", (event) => {
      this.element.classList.remove("drop");
      const name = event.dataTransfer?.getData("text/x-signal");
      if (!name) return;
      event.preventDefault();
      event.stopPropagation();
      owner.dropped(this, name);
    });
    new ResizeObserver(() => this.#resize()).observe(this.#body);
  }

  get signals(): readonly string[] {
    return this.#signals;
  }

  setSignals(signals: readonly string[]): void {
    this.#signals = [...signals];
    this.#readouts.clear();
    this.#legend.replaceChildren(...this.#signals.map((name, i) => this.#makeChip(name, colorOf(i))));
    this.rebuild();
    this.#owner.changed();
  }

  #makeChip(name: string, color: string): HTMLElement {
    const value = h("output", { class: "value" }, "–");
    this.#readouts.set(name, value);
    const remove = iconButton("close", `Remove ${name} from the plot`, () =>
      this.setSignals(this.#signals.filter((other) => other !== name)),
    );
    const swatch = h("span", { class: "swatch", style: `background:${color}` });
    return h("span", { class: "chip", title: name }, swatch, h("span", { class: "name" }, name), value, remove);
  }

  /// Rebuilds the chart, after a change of signals or theme.
  rebuild(): void {
    this.#chart?.destroy();
    this.#chart = null;
    if (this.#signals.length === 0) {
      this.#body.replaceChildren(
        h("p", { class: "hint" }, "Drag signals here, or press + next to a signal in the list."),
      );
      return;
    }
    const { clientWidth, clientHeight } = this.#body;
    this.#body.replaceChildren();
    this.#chart = new uPlot(
      this.#options(clientWidth || 400, clientHeight || 120),
      [[], ...this.#signals.map(() => [])],
      this.#body,
    );
    this.#chart.over.addEventListener("wheel", (event) => this.#zoom(event), { passive: false });
    this.update(...this.#range);
  }

  #options(width: number, height: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue("--muted").trim();
    const line = style.getPropertyValue("--line").trim();
    const axis = {
      stroke: text,
      font: "11px system-ui",
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
    };
    const units = [...new Set(this.#signals.map((name) => formatUnit(this.#owner.signal(name)?.unit ?? "")))];
    return {
      width,
      height,
      legend: { show: false },
      scales: { x: { time: false, auto: false, min: 0, max: 1 }, y: {} },
      axes: [
        { ...axis, size: 28, values: (_, splits) => splits.map((split) => `${formatNumber(split, 6)} s`) },
        {
          ...axis,
          size: 58,
          values: (_, splits) => splits.map((split) => formatNumber(split)),
          label: units.filter(Boolean).join(", "),
          labelSize: 16,
          labelFont: "11px system-ui",
        },
      ],
      series: [
        {},
        ...this.#signals.map((name, i) => ({ label: name, stroke: colorOf(i), width: 1.6, points: { show: false } })),
      ],
      cursor: {
        sync: { key: "time" },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => (this.#owner.followEnd(), null) },
      },
      hooks: {
        setCursor: [() => this.showValues()],
        setSelect: [(chart) => this.#select(chart)],
        drawClear: [(chart) => this.#markHoles(chart)],
      },
    };
  }

  /// Shades the stretches without rows.
  #markHoles(chart: uPlot): void {
    const { history } = this.#owner;
    const { ctx, bbox } = chart;
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--hole");
    const end = history.firstIndexFrom(this.#range[1]);
    for (let row = Math.max(1, history.firstIndexFrom(this.#range[0])); row <= end && row < history.length; ++row) {
      if (!history.hasHoleBefore(row)) continue;
      const at = (time: number): number =>
        Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(time, "x", true)));
      const left = at(history.times[row - 1]!);
      ctx.fillRect(left, bbox.top, Math.max(1, at(history.times[row]!) - left), bbox.height);
    }
  }

  #select(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < 4) return;
    const [from, to] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#owner.setRange(from, to);
  }

  #zoom(event: WheelEvent): void {
    if (!this.#chart) return;
    event.preventDefault();
    const [from, to] = this.#range;
    const at = this.#chart.posToVal(event.offsetX, "x");
    const factor = 1.002 ** event.deltaY;
    this.#owner.setRange(at + (from - at) * factor, at + (to - at) * factor);
  }

  /// Draws the rows of a time range.
  update(from: number, to: number): void {
    this.#range = [from, to];
    if (!this.#chart) return;
    const { history } = this.#owner;
    // One more row on either side, so that the lines reach the edges.
    const first = Math.max(0, history.firstIndexFrom(from) - 1);
    const last = Math.min(history.length, history.firstIndexFrom(to) + 1);
    decimate(this.#points, history, this.#signals, first, last, 2 * this.#chart.width);
    this.#chart.batch(() => {
      this.#chart!.setData(this.#points, false);
      this.#chart!.setScale("x", { min: from, max: to });
    });
    this.showValues();
  }

  /// Values at the cursor, otherwise the latest. They are values of a row, not interpolated pixels.
  showValues(): void {
    const { history } = this.#owner;
    const left = this.#chart?.cursor.left ?? -1;
    const isUnderCursor = this.#chart !== null && left >= 0;
    let row = history.length - 1;
    if (isUnderCursor) row = nearestRow(history, this.#chart!.posToVal(left, "x"));
    setText(this.#cursorTime, isUnderCursor && row >= 0 ? `at ${formatTime(history.times[row]!)}` : "");
    for (const [name, readout] of this.#readouts) {
      const value = row >= 0 ? (history.column(name)?.[row] ?? Number.NaN) : Number.NaN;
      setText(readout, formatValue(value, this.#owner.signal(name)?.unit ?? "", 5));
      readout.dataset.value = String(value);
      readout.dataset.time = String(history.times[row] ?? Number.NaN);
    }
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#body;
    if (clientWidth > 0 && clientHeight > 0) this.#chart?.setSize({ width: clientWidth, height: clientHeight });
  }

  get canvas(): HTMLCanvasElement | null {
    return this.#chart?.ctx.canvas ?? null;
  }

  get colors(): { name: string; color: string }[] {
    return this.#signals.map((name, i) => ({ name, color: colorOf(i) }));
  }

  dispose(): void {
    this.#chart?.destroy();
    this.element.remove();
  }
}

function colorOf(i: number): string {
  return LINE_COLORS[i % LINE_COLORS.length]!;
}

function nearestRow(history: History, time: number): number {
  const after = Math.min(history.firstIndexFrom(time), history.length - 1);
  if (after <= 0) return after;
  return time - history.times[after - 1]! < history.times[after]! - time ? after - 1 : after;
}
