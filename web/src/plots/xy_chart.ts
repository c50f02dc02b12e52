// An XY chart: the first signal across, the others up, over the time range of all plots. A dot marks the shown instant.

import uPlot from "uplot";
import { formatNumber, formatUnit } from "../format.ts";
import { axisStyle, colorOf, nearestRow, type Chart, type ChartOwner } from "./chart.ts";

const MAX_POINTS = 5000;
const DOT_PIXELS = 4;

export class XyChart implements Chart {
  readonly #owner: ChartOwner;
  readonly #chart: uPlot;
  readonly pointedTime = null;
  #time = Number.NaN;
  /// Values across, and up per further signal; NaN where the line breaks.
  #x: number[] = [];
  #y: number[][] = [];

  constructor(owner: ChartOwner, body: HTMLElement) {
    this.#owner = owner;
    const axis = axisStyle();
    const unitOf = (name: string | undefined): string => formatUnit(owner.signal(name ?? "")?.unit ?? "");
    const [across, ...up] = owner.signals;
    const values = (_: uPlot, splits: number[]): string[] => splits.map((split) => formatNumber(split));
    const label = { labelSize: 16, labelFont: "11px system-ui" };
    const units = [...new Set(up.map(unitOf))].filter(Boolean).join(", ");
    const options = {
      mode: 2,
      width: body.clientWidth || 400,
      height: body.clientHeight || 120,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      axes: [
        { ...axis, size: 28, values, label: `${across} ${unitOf(across)}`, ...label },
        { ...axis, size: 52, values, label: units, ...label },
      ],
      series: [
        {},
        ...up.map((name, i) => ({ label: name, paths: (chart: uPlot) => (this.#drawLine(chart, i), null) })),
      ],
    };
    const data = [null, ...up.map(() => [[], []])];
    this.#chart = new uPlot(options, data as unknown as uPlot.AlignedData, body);
  }

  #drawLine(chart: uPlot, i: number): void {
    const { ctx, bbox } = chart;
    const at = (row: number): [number, number] => [
      chart.valToPos(this.#x[row]!, "x", true),
      chart.valToPos(this.#y[i]![row]!, "y", true),
    ];
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    let isBroken = true;
    for (let row = 0; row < this.#x.length; ++row) {
      const [x, y] = at(row);
      const isHole = Number.isNaN(x) || Number.isNaN(y);
      if (!isHole && isBroken) ctx.moveTo(x, y);
      else if (!isHole) ctx.lineTo(x, y);
      isBroken = isHole;
    }
    ctx.strokeStyle = colorOf(i + 1);
    ctx.lineWidth = 1.6 * window.devicePixelRatio;
    ctx.stroke();
    this.#drawDot(chart, i);
    ctx.restore();
  }

  #drawDot(chart: uPlot, i: number): void {
    const { history, signals } = this.#owner;
    const row = nearestRow(history, this.#time);
    const x = history.column(signals[0]!)?.[row] ?? Number.NaN;
    const y = history.column(signals[i + 1]!)?.[row] ?? Number.NaN;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    const { ctx } = chart;
    ctx.beginPath();
    const radius = DOT_PIXELS * window.devicePixelRatio;
    ctx.arc(chart.valToPos(x, "x", true), chart.valToPos(y, "y", true), radius, 0, 2 * Math.PI);
    ctx.fillStyle = colorOf(i + 1);
    ctx.fill();
  }

  update(from: number, to: number): void {
    const { history, signals } = this.#owner;
    const first = history.firstIndexFrom(from);
    const last = Math.min(history.length, history.firstIndexFrom(to) + 1);
    const stride = Math.max(1, Math.ceil((last - first) / MAX_POINTS));
    const [across, ...up] = signals.map((name) => history.column(name));
    this.#x = [];
    this.#y = up.map(() => []);
    for (let row = first; row < last; row += stride) {
      if (stride === 1 && row > first && history.hasHoleBefore(row)) {
        this.#x.push(Number.NaN);
        for (const column of this.#y) column.push(Number.NaN);
      }
      this.#x.push(across?.[row] ?? Number.NaN);
      this.#y.forEach((column, i) => column.push(up[i]?.[row] ?? Number.NaN));
    }
    const x = limitsOf([this.#x]);
    const y = limitsOf(this.#y);
    this.#chart.batch(() => {
      const data = [null, ...this.#y.map((column) => [this.#x, column])];
      this.#chart.setData(data as unknown as uPlot.AlignedData, false);
      this.#chart.setScale("x", x);
      this.#chart.setScale("y", y);
    });
  }

  setPlayhead(time: number): void {
    if (time === this.#time) return;
    this.#time = time;
    this.#chart.redraw(false, false);
  }

  get canvas(): HTMLCanvasElement {
    return this.#chart.ctx.canvas;
  }

  resize(width: number, height: number): void {
    this.#chart.setSize({ width, height });
  }

  dispose(): void {
    this.#chart.destroy();
  }
}

/// Limits with a margin of 5 % on either side.
export function limitsOf(columns: readonly (readonly number[])[]): { min: number; max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const value of column) {
      if (!Number.isFinite(value)) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  if (min > max) return { min: 0, max: 1 };
  const margin = 0.05 * (max - min) || Math.max(1e-9, 0.05 * Math.abs(max)) || 1;
  return { min: min - margin, max: max + margin };
}
