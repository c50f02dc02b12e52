// A chart over time: curves with one axis per unit, or state bands. A click seeks, a drag zooms, the wheel zooms about
// the pointer, a double click follows the run again.

import uPlot from "uplot";
import { h } from "../dom.ts";
import { formatNumber, formatUnit } from "../format.ts";
import { drawBands } from "./bands.ts";
import { axisStyle, colorOf, type Chart, type ChartOwner } from "./chart.ts";
import { decimate, type Points } from "./decimate.ts";

/// Pixels. A pointer that moves farther between down and up is a drag, not a click.
const CLICK_PIXELS = 4;
/// A second click within this time makes it a double click.
const DOUBLE_CLICK_MS = 250;
const AXIS_PIXELS = 68;
const MAX_AXES_SHARE = 0.4;

/// Axes beside a chart of this width; further units have a scale, but the curves need the space.
function axisCount(width: number): number {
  return Math.max(1, Math.floor((MAX_AXES_SHARE * width) / AXIS_PIXELS));
}

export class TimeChart implements Chart {
  readonly #owner: ChartOwner;
  readonly #kind: "curves" | "bands";
  readonly #chart: uPlot;
  readonly #points: Points = [[]];
  readonly #playhead = h("div", { class: "playhead" });
  #time = Number.NaN;
  #range: [number, number] = [0, 1];

  constructor(owner: ChartOwner, kind: "curves" | "bands", body: HTMLElement) {
    this.#owner = owner;
    this.#kind = kind;
    const empty: uPlot.AlignedData = [[], ...owner.signals.map(() => [])];
    this.#chart = new uPlot(this.#options(body.clientWidth || 400, body.clientHeight || 120), empty, body);
    const { over } = this.#chart;
    over.append(this.#playhead);
    over.addEventListener("wheel", (event) => this.#zoom(event), { passive: false });
    this.#connectClick(over);
  }

  #connectClick(over: HTMLElement): void {
    let down: [number, number] | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    over.addEventListener("mousedown", (event) => (down = [event.clientX, event.clientY]));
    over.addEventListener("click", (event) => {
      clearTimeout(timer);
      if (!down || event.detail !== 1) return;
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > CLICK_PIXELS) return;
      const time = this.#chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      timer = setTimeout(() => this.#owner.seek(time), DOUBLE_CLICK_MS);
    });
  }

  /// One scale per unit.
  #units(): string[] {
    return [...new Set(this.#owner.signals.map((name) => this.#owner.signal(name)?.unit ?? ""))];
  }

  #options(width: number, height: number): uPlot.Options {
    const axis = axisStyle();
    const isBands = this.#kind === "bands";
    const { signals } = this.#owner;
    const units = this.#units();
    const colorsOf = (unit: string): string[] =>
      signals.flatMap((name, i) => ((this.#owner.signal(name)?.unit ?? "") === unit ? [colorOf(i)] : []));
    const valueAxis = (unit: string, i: number): uPlot.Axis => {
      const colors = colorsOf(unit);
      return {
        ...axis,
        scale: `y${i}`,
        show: i < axisCount(width),
        side: i === 0 ? 3 : 1,
        size: 52,
        // With several units, the colour tells which axis belongs to a lone curve.
        stroke: units.length > 1 && colors.length === 1 ? colors[0] : axis.stroke,
        grid: { ...axis.grid, show: i === 0 },
        values: (_, splits) => splits.map((split) => formatNumber(split)),
        label: formatUnit(unit),
        labelSize: 16,
        labelFont: "11px system-ui",
      };
    };
    const lanes: uPlot.Scale = { auto: false, range: [0, 1] };
    return {
      width,
      height,
      padding: [6, null, 0, null], // small plots need the height
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, min: 0, max: 1 },
        ...Object.fromEntries(units.map((_, i) => [`y${i}`, isBands ? lanes : {}])),
      },
      axes: [
        { ...axis, size: 24, values: (_, splits) => splits.map((split) => `${formatNumber(split, 6)} s`) },
        ...(isBands ? [] : units.map(valueAxis)),
      ],
      series: [
        {},
        ...signals.map((name, i) => ({
          label: name,
          scale: `y${units.indexOf(this.#owner.signal(name)?.unit ?? "")}`,
          stroke: colorOf(i),
          width: 1.6,
          points: { show: false },
          ...(isBands ? { paths: () => null } : {}),
        })),
      ],
      cursor: {
        sync: { key: "time" },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => (this.#owner.followEnd(), null) },
      },
      hooks: {
        setCursor: [() => this.#owner.pointed()],
        setSelect: [(chart) => this.#select(chart)],
        drawClear: [(chart) => this.#markHoles(chart)],
        ...(isBands ? { draw: [(chart) => drawBands(chart, this.#owner.history, signals, this.#range)] } : {}),
      },
    };
  }

  /// Shades the stretches without rows.
  #markHoles(chart: uPlot): void {
    const { history } = this.#owner;
    const { ctx, bbox } = chart;
    const end = history.firstIndexFrom(this.#range[1]);
    for (let row = Math.max(1, history.firstIndexFrom(this.#range[0])); row <= end && row < history.length; ++row) {
      if (!history.hasHoleBefore(row)) continue;
      const at = (time: number): number =>
        Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(time, "x", true)));
      const left = at(history.times[row - 1]!);
      // Asking for a style is expensive; most charts have no hole.
      ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--hole");
      ctx.fillRect(left, bbox.top, Math.max(1, at(history.times[row]!) - left), bbox.height);
    }
  }

  #select(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < CLICK_PIXELS) return;
    const [from, to] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#owner.setRange(from, to);
  }

  #zoom(event: WheelEvent): void {
    event.preventDefault();
    const [from, to] = this.#range;
    const at = this.#chart.posToVal(event.offsetX, "x");
    const factor = 1.002 ** event.deltaY;
    this.#owner.setRange(at + (from - at) * factor, at + (to - at) * factor);
  }

  update(from: number, to: number): void {
    this.#range = [from, to];
    const { history, signals } = this.#owner;
    // One more row on either side, so that the lines reach the edges.
    const first = Math.max(0, history.firstIndexFrom(from) - 1);
    const last = Math.min(history.length, history.firstIndexFrom(to) + 1);
    decimate(this.#points, history, signals, first, last, 2 * this.#chart.width);
    this.#chart.batch(() => {
      this.#chart.setData(this.#points, false);
      this.#chart.setScale("x", { min: from, max: to });
    });
    this.setPlayhead(this.#time);
  }

  setPlayhead(time: number): void {
    this.#time = time;
    const [from, to] = this.#range;
    const isShown = time >= from && time <= to;
    this.#playhead.hidden = !isShown;
    if (isShown) this.#playhead.style.transform = `translateX(${this.#chart.valToPos(time, "x").toFixed(1)}px)`;
  }

  get pointedTime(): number | null {
    const left = this.#chart.cursor.left ?? -1;
    return left >= 0 ? this.#chart.posToVal(left, "x") : null;
  }

  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  resize(width: number, height: number): void {
    this.#chart.axes.forEach((axis, i) => (axis.show = i <= axisCount(width)));
    this.#chart.setSize({ width, height });
    this.setPlayhead(this.#time);
  }

  dispose(): void {
    this.#chart.destroy();
  }
}
