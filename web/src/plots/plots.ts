// The plots below the 3D view. They share a time range that follows the run, is paused, or is zoomed.

import { h, recall, remember, saveFile } from "../dom.ts";
import type { Signal } from "../protocol.ts";
import { iconButton, setIcon } from "../widgets.ts";
import type { Request } from "../connection.ts";
import { writeCsv } from "./csv.ts";
import { Filler } from "./filler.ts";
import type { History } from "./history.ts";
import { drawPlots } from "./image.ts";
import type { ChartKind } from "./chart.ts";
import { Plot, type PlotOwner } from "./plot.ts";

const MS_PER_UPDATE = 50;
const SPANS = [2, 5, 10, 30, 60, 300]; // s

/// What one plot shows, as it is stored.
export interface PlotContent {
  kind: ChartKind;
  signals: string[];
}

export class Plots implements PlotOwner {
  readonly element: HTMLElement;
  readonly history: History;
  readonly #list = h("div", { class: "plot-list" });
  readonly #request: Request;
  readonly #filler: Filler;
  readonly #changed: (signals: string[]) => void;
  readonly #seek: (time: number) => void;
  readonly #pause: HTMLButtonElement;
  readonly #follow: HTMLButtonElement;
  #plots: Plot[] = [];
  #signals = new Map<string, Signal>();
  #formulas = new Map<string, Signal>();
  #span = Number(recall("span") ?? 10);
  /// Zoomed range; null follows the end of the run.
  #range: [number, number] | null = null;
  #isPaused = false;
  #pausedEnd = 0;
  #drawn = "";
  /// The shown instant, s.
  #playhead = Number.NaN;
  #drawnPlayhead = Number.NaN;

  /// `changed` receives all plotted signals, `seek` the time that was clicked.
  constructor(
    history: History,
    request: Request,
    changed: (signals: string[]) => void,
    seek: (time: number) => void = () => undefined,
  ) {
    this.history = history;
    this.#request = request;
    this.#filler = new Filler(history, request);
    this.#changed = changed;
    this.#seek = seek;
    const span = h(
      "select",
      { "aria-label": "Time span of the plots", onchange: () => this.#setSpan(Number(span.value)) },
      ...SPANS.map((s) => h("option", { value: s, selected: s === this.#span }, s < 60 ? `${s} s` : `${s / 60} min`)),
    );
    this.#pause = iconButton("pause", "Pause plots", () => this.togglePause());
    this.#follow = iconButton("right", "Follow the run", () => this.followEnd());
    this.element = h(
      "section",
      { class: "plots", "aria-label": "Plots" },
      h(
        "div",
        { class: "toolbar" },
        iconButton("plus", "Add a plot", () => this.add([])),
        this.#pause,
        this.#follow,
        span,
        h("span", { class: "spacer" }),
        iconButton("table", "Export the plotted range as CSV", () => void this.exportCsv()),
        iconButton("image", "Export the plots as PNG", () => void this.exportPng()),
      ),
      this.#list,
    );
    this.element.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("text/x-signal")) event.preventDefault();
    });
    this.element.addEventListener("drop", (event) => {
      const name = event.dataTransfer?.getData("text/x-signal");
      if (name) this.add([name]);
    });
    this.#showHint();
    this.#follow.hidden = true;
  }

  #proposed = "";

  get #layout(): string {
    return JSON.stringify(this.#plots.map((plot) => plot.signals));
  }

  /// The plots of a newly opened file, unless the user has some of their own.
  propose(groups: readonly (readonly string[])[]): void {
    if (this.#layout === this.#proposed) for (const plot of [...this.#plots]) this.remove(plot);
    if (this.#plots.length > 0) return;
    for (const signals of groups) this.add(signals);
    this.#proposed = this.#layout;
  }

  signal(name: string): Signal | undefined {
    return this.#signals.get(name) ?? this.#formulas.get(name);
  }

  /// Asks the server for the unit of a formula, which can then be plotted under the name "=formula". Throws its error.
  async defineFormula(text: string): Promise<string> {
    const name = `=${text}`;
    if (!this.#formulas.has(name)) {
      const { unit } = await this.#request("formula", { text });
      this.#formulas.set(name, { name, unit, role: "internal" });
    }
    return name;
  }

  /// Another scene: plots keep the signals it also has, and their history if it is the same file (`keepsHistory`).
  setSignals(signals: readonly Signal[], keepsHistory: boolean): void {
    this.#signals = new Map(signals.map((signal) => [signal.name, signal]));
    if (!keepsHistory) {
      this.#formulas.clear();
      this.history.clear();
      this.followEnd();
    }
    for (const plot of [...this.#plots]) {
      const kept = plot.signals.filter((name) => this.signal(name));
      if (kept.length === 0) this.remove(plot);
      else plot.setSignals(kept);
    }
  }

  /// What the plots show, to restore it later.
  get content(): PlotContent[] {
    return this.#plots.map(({ kind, signals }) => ({ kind, signals: [...signals] }));
  }

  /// Replaces the plots; signals that this scene does not have are omitted.
  async restore(content: readonly PlotContent[]): Promise<void> {
    const names = content.flatMap(({ signals }) => signals);
    for (const name of names.filter((each) => each.startsWith("=")))
      await this.defineFormula(name.slice(1)).catch(() => undefined);
    for (const plot of [...this.#plots]) this.remove(plot);
    for (const { kind, signals } of content) {
      const known = signals.filter((name) => this.signal(name));
      if (known.length > 0) this.add(known, kind);
    }
  }

  add(signals: readonly string[], kind: ChartKind = "curves"): void {
    const plot = new Plot(this, kind);
    if (this.#plots.length === 0) this.#list.replaceChildren();
    this.#plots.push(plot);
    this.#list.append(plot.element);
    plot.setSignals(signals);
    plot.setPlayhead(this.#playhead);
    this.#drawn = "";
  }

  /// Adds a signal to the last plot with the same unit, or to a new one.
  addSignal(name: string): void {
    if (this.#plots.some((plot) => plot.signals.includes(name))) return;
    const unit = this.signal(name)?.unit;
    const fitting = this.#plots.findLast(
      ({ signals }) => signals.length === 0 || this.signal(signals[0]!)?.unit === unit,
    );
    if (fitting) this.dropped(fitting, name);
    else this.add([name]);
  }

  dropped(plot: Plot, name: string): void {
    if (!plot.signals.includes(name)) plot.setSignals([...plot.signals, name]);
  }

  remove(plot: Plot): void {
    plot.dispose();
    this.#plots = this.#plots.filter((other) => other !== plot);
    this.#showHint();
    this.changed();
  }

  #showHint(): void {
    if (this.#plots.length > 0) return;
    this.#list.replaceChildren(
      h("p", { class: "hint" }, "Drag a signal here from the Signals list, or press + next to it."),
    );
  }

  /// Called when the plots show something else.
  onChanged: () => void = () => undefined;

  changed(): void {
    this.#drawn = "";
    this.onChanged();
    this.#changed(this.#plots.flatMap((plot) => plot.signals));
  }

  setRange(from: number, to: number): void {
    const shortest = 1e-5; // s
    if (!(to - from > shortest)) return;
    this.#range = [from, to];
    this.#follow.hidden = false;
    this.#drawn = "";
  }

  followEnd(): void {
    this.#range = null;
    this.#isPaused = false;
    setIcon(this.#pause, "pause", "Pause plots");
    this.#follow.hidden = true;
    this.#drawn = "";
  }

  /// Pauses only the plots; the run continues.
  togglePause(): void {
    if (this.#isPaused) {
      this.followEnd();
      return;
    }
    this.#isPaused = true;
    this.#pausedEnd = this.history.lastTime;
    setIcon(this.#pause, "play", "Resume plots");
  }

  seek(time: number): void {
    this.#seek(time);
  }

  /// The shown instant, s.
  setPlayhead(time: number): void {
    this.#playhead = time;
  }

  #setSpan(span: number): void {
    this.#span = span;
    this.#range = null;
    this.#follow.hidden = true;
    this.#drawn = "";
    remember("span", String(span));
  }

  /// The range that the user has chosen; null while the plots follow the run.
  get zoomedRange(): [number, number] | null {
    return this.#range;
  }

  get range(): [number, number] {
    if (this.#range) return this.#range;
    const end = this.#isPaused ? this.#pausedEnd : this.history.lastTime;
    // A run shorter than the span starts at the left edge.
    let start = Math.max(this.history.knownStart, end - this.#span);
    // A look at the past shows its surroundings.
    if (!this.#isPaused && this.#playhead < start)
      start = Math.max(this.history.knownStart, this.#playhead - this.#span / 2);
    return [start, start + this.#span];
  }

  #lastUpdate = 0;
  /// Plots that show an older state.
  #stale: Plot[] = [];

  /// Called for every image; redraws if something has changed, at a limited rate, and one plot per image, so that
  /// several plots do not delay one image.
  update(now: number): void {
    if (this.#plots.length === 0) return;
    const range = this.range;
    const state = `${range.join()} ${this.history.version}`;
    if (this.#playhead !== this.#drawnPlayhead) {
      this.#drawnPlayhead = this.#playhead;
      for (const plot of this.#plots) plot.setPlayhead(this.#playhead);
      if (state === this.#drawn) for (const plot of this.#plots) plot.showValues();
    }
    if (this.#stale.length === 0 && state !== this.#drawn && now - this.#lastUpdate >= MS_PER_UPDATE) {
      this.#drawn = state;
      this.#lastUpdate = now;
      void this.#filler.fill(...range);
      this.#stale = [...this.#plots];
    }
    const plot = this.#stale.shift();
    if (plot && this.#plots.includes(plot)) plot.update(...range);
  }

  /// Draws the present range at once, for tests and images.
  redraw(): void {
    for (const plot of this.#plots) plot.update(...this.range);
  }

  /// The theme has changed.
  recolor(): void {
    for (const plot of this.#plots) plot.rebuild();
  }

  get csv(): string {
    const names = [...new Set(this.#plots.flatMap((plot) => plot.signals))];
    const columns = names.map((name) => ({ name, unit: this.signal(name)?.unit ?? "" }));
    return writeCsv(this.history, columns, ...this.range);
  }

  async exportCsv(): Promise<void> {
    await this.#filler.fill(...this.range);
    saveFile(this.csv, "signals.csv");
  }

  async exportPng(): Promise<void> {
    saveFile(await drawPlots(this.#plots), "plots.png");
  }
}
