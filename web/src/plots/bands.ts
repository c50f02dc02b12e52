// State bands: one lane per signal, with a bar for as long as its value stays the same.

import type uPlot from "uplot";
import { formatNumber } from "../format.ts";
import { colorOf } from "./chart.ts";
import type { History } from "./history.ts";

/// More rows than this per pixel are not looked at.
const ROWS_PER_PIXEL = 4;
const LEAST_LABEL_PIXELS = 26;

export interface Bar {
  from: number;
  to: number;
  value: number;
}

/// Stretches of rows first…last-1 with one value each, in order. A hole of the history ends a bar.
export function findBars(history: History, signal: string, first: number, last: number, stride = 1): Bar[] {
  const column = history.column(signal);
  const bars: Bar[] = [];
  let open: Bar | null = null;
  for (let row = first; column && row < last; row += stride) {
    const value = column[row]!;
    const time = history.times[row]!;
    if (Number.isNaN(value)) {
      open = null;
      continue;
    }
    const goesOn = open !== null && !(stride === 1 && history.hasHoleBefore(row));
    if (goesOn) open!.to = time;
    if (!goesOn || open!.value !== value) {
      open = { from: time, to: time, value };
      bars.push(open);
    }
  }
  return bars;
}

/// A colour per value: grey for 0, the next one for each other whole number.
function colorOfValue(value: number, muted: string): string {
  return value === 0 ? muted : colorOf(Math.abs(Math.round(value)) - 1);
}

export function drawBands(chart: uPlot, history: History, signals: readonly string[], range: [number, number]): void {
  const { ctx, bbox } = chart;
  const style = getComputedStyle(document.documentElement);
  const muted = style.getPropertyValue("--hole").trim();
  const text = style.getPropertyValue("--text").trim();
  const first = Math.max(0, history.firstIndexFrom(range[0]) - 1);
  const last = Math.min(history.length, history.firstIndexFrom(range[1]) + 1);
  const stride = Math.max(1, Math.floor((last - first) / (ROWS_PER_PIXEL * bbox.width)));
  const lane = bbox.height / signals.length;
  const at = (time: number): number =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(time, "x", true)));
  ctx.save();
  ctx.font = `${11 * window.devicePixelRatio}px system-ui`;
  ctx.textBaseline = "middle";
  signals.forEach((signal, i) => {
    const top = bbox.top + i * lane + 0.12 * lane;
    for (const { from, to, value } of findBars(history, signal, first, last, stride)) {
      const left = at(from);
      const width = Math.max(1, at(to) - left);
      ctx.fillStyle = colorOfValue(value, muted);
      ctx.fillRect(left, top, width, 0.76 * lane);
      if (width < LEAST_LABEL_PIXELS * window.devicePixelRatio) continue;
      ctx.fillStyle = value === 0 ? text : "white";
      ctx.fillText(formatNumber(value), left + 4, top + 0.38 * lane, width - 6);
    }
  });
  ctx.restore();
}
