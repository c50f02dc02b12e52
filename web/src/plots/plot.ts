// One plot: a legend with the values of its signals, and a chart of them.

import { h, setText } from "../dom.ts";
import { formatFixed, formatTime, formatUnit } from "../format.ts";
import type { Signal } from "../protocol.ts";
import { iconButton } from "../widgets.ts";
import { CHART_KINDS, colorOf, nearestRow, type Chart, type ChartKind, type ChartOwner } from "./chart.ts";
import type { History } from "./history.ts";
import { shortLabels } from "./labels.ts";
import { TimeChart } from "./time_chart.ts";
import { GaugeChart, TableChart } from "./value_charts.ts";
import { XyChart } from "./xy_chart.ts";

export interface PlotOwner {
  readonly history: History;
  signal(name: string): Signal | undefined;
  setRange(from: number, to: number): void;
  followEnd(): void;
  seek(time: number): void;
  remove(plot: Plot): void;
  changed(): void;
  dropped(plot: Plot, signal: string): void;
}

let count = 0;

export class Plot implements ChartOwner {
  readonly element: HTMLElement;
  readonly #owner: PlotOwner;
  readonly #body = h("div", { class: "plot-body" });
  readonly #legend = h("div", { class: "legend" });
  readonly #cursorTime = h("span", { class: "cursor-time" });
  readonly #kindSelect: HTMLSelectElement;
  readonly #readouts = new Map<string, HTMLElement>();
  #signals: string[] = [];
  #kind: ChartKind = "curves";
  #chart: Chart | null = null;
  #range: [number, number] = [0, 1];
  #playhead = Number.NaN;

  constructor(owner: PlotOwner, kind: ChartKind = "curves") {
    this.#owner = owner;
    this.#kind = kind;
    const close = iconButton("close", "Remove this plot", () => owner.remove(this));
    this.#kindSelect = h(
      "select",
      {
        class: "kind",
        "aria-label": "Kind of plot",
        onchange: () => this.setKind(this.#kindSelect.value as ChartKind),
      },
      ...Object.entries(CHART_KINDS).map(([value, title]) => h("option", { value, selected: value === kind }, title)),
    );
    this.element = h(
      "section",
      { class: "plot", "aria-label": `Plot ${++count}`, tabindex: -1 },
      h("header", {}, this.#kindSelect, this.#legend, this.#cursorTime, close),
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

  get history(): History {
    return this.#owner.history;
  }

  get signals(): readonly string[] {
    return this.#signals;
  }

  get kind(): ChartKind {
    return this.#kind;
  }

  signal(name: string): Signal | undefined {
    return this.#owner.signal(name);
  }

  setRange(from: number, to: number): void {
    this.#owner.setRange(from, to);
  }

  followEnd(): void {
    this.#owner.followEnd();
  }

  seek(time: number): void {
    this.#owner.seek(time);
  }

  pointed(): void {
    this.showValues();
  }

  setSignals(signals: readonly string[]): void {
    this.#signals = [...signals];
    this.#readouts.clear();
    const labels = shortLabels(this.#signals);
    this.#legend.replaceChildren(...this.#signals.map((name, i) => this.#makeChip(name, labels[i]!, colorOf(i))));
    this.rebuild();
    this.#owner.changed();
  }

  setKind(kind: ChartKind): void {
    this.#kind = kind;
    this.#kindSelect.value = kind;
    this.rebuild();
    this.#owner.changed();
  }

  #makeChip(name: string, label: string, color: string): HTMLElement {
    const value = h("output", { class: "value" }, "–");
    this.#readouts.set(name, value);
    const remove = iconButton("close", `Remove ${name} from the plot`, () =>
      this.setSignals(this.#signals.filter((other) => other !== name)),
    );
    const swatch = h("span", { class: "swatch", style: `background:${color}` });
    const unit = h("span", { class: "muted" }, formatUnit(this.#owner.signal(name)?.unit ?? ""));
    return h("span", { class: "chip", title: name }, swatch, h("span", { class: "name" }, label), value, unit, remove);
  }

  /// Rebuilds the chart, after a change of signals, kind or theme.
  rebuild(): void {
    this.#chart?.dispose();
    this.#chart = null;
    this.#body.replaceChildren();
    if (this.#signals.length === 0) {
      this.#body.append(h("p", { class: "hint" }, "Drag signals here, or press + next to a signal in the list."));
      return;
    }
    if (this.#kind === "xy" && this.#signals.length < 2) {
      this.#body.append(h("p", { class: "hint" }, "Add a second signal: the first is across, the others are up."));
      return;
    }
    this.#chart = this.#makeChart();
    this.update(...this.#range);
    this.setPlayhead(this.#playhead);
  }

  #makeChart(): Chart {
    switch (this.#kind) {
      case "curves":
      case "bands":
        return new TimeChart(this, this.#kind, this.#body);
      case "xy":
        return new XyChart(this, this.#body);
      case "table":
        return new TableChart(this, this.#body);
      case "gauges":
        return new GaugeChart(this, this.#body);
    }
  }

  update(from: number, to: number): void {
    this.#range = [from, to];
    this.#chart?.update(from, to);
    this.showValues();
  }

  setPlayhead(time: number): void {
    this.#playhead = time;
    this.#chart?.setPlayhead(time);
  }

  /// Values at the cursor, otherwise at the shown instant. They are values of a row, not interpolated pixels.
  showValues(): void {
    const { history } = this.#owner;
    const pointed = this.#chart?.pointedTime ?? null;
    const row = nearestRow(history, pointed ?? this.#playhead);
    setText(this.#cursorTime, pointed !== null && row >= 0 ? `at ${formatTime(history.times[row]!)}` : "");
    for (const [name, readout] of this.#readouts) {
      const value = row >= 0 ? (history.column(name)?.[row] ?? Number.NaN) : Number.NaN;
      setText(readout, formatFixed(value));
      readout.dataset.value = String(value);
      readout.dataset.time = String(history.times[row] ?? Number.NaN);
    }
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#body;
    if (clientWidth > 0 && clientHeight > 0) this.#chart?.resize(clientWidth, clientHeight);
  }

  get canvas(): HTMLCanvasElement | null {
    return this.#chart?.canvas ?? null;
  }

  get colors(): { name: string; color: string }[] {
    return this.#signals.map((name, i) => ({ name, color: colorOf(i) }));
  }

  dispose(): void {
    this.#chart?.dispose();
    this.element.remove();
  }
}
