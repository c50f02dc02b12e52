// What the kinds of plots have in common: they draw signals of the history over the time range that all plots share.

import type { Signal } from "../protocol.ts";
import { LINE_COLORS } from "./colors.ts";
import type { History } from "./history.ts";

export const CHART_KINDS = {
  curves: "Curves over time",
  bands: "State bands",
  xy: "XY: the first signal across",
  table: "Table of values",
  gauges: "Gauges",
} as const;
export type ChartKind = keyof typeof CHART_KINDS;

/// What a chart needs from the plot that owns it.
export interface ChartOwner {
  readonly history: History;
  /// Names of the signals, in the order of their colours.
  readonly signals: readonly string[];
  signal(name: string): Signal | undefined;
  setRange(from: number, to: number): void;
  followEnd(): void;
  /// Goes to an instant of the run.
  seek(time: number): void;
  /// The instant under the pointer has changed.
  pointed(): void;
}

export interface Chart {
  /// Draws the rows of a time range.
  update(from: number, to: number): void;
  /// Marks the shown instant, s.
  setPlayhead(time: number): void;
  /// The instant under the pointer, s; null if there is none.
  readonly pointedTime: number | null;
  readonly canvas: HTMLCanvasElement | null;
  resize(width: number, height: number): void;
  dispose(): void;
}

export function colorOf(i: number): string {
  return LINE_COLORS[i % LINE_COLORS.length]!;
}

/// The row nearest to a time; -1 if there is none.
export function nearestRow(history: History, time: number): number {
  const after = Math.min(history.firstIndexFrom(time), history.length - 1);
  if (after <= 0) return after;
  return time - history.times[after - 1]! < history.times[after]! - time ? after - 1 : after;
}

/// The look of an axis in the current theme, for uPlot.
export function axisStyle(): { stroke: string; font: string; grid: object; ticks: object } {
  const style = getComputedStyle(document.documentElement);
  const line = style.getPropertyValue("--line").trim();
  return {
    stroke: style.getPropertyValue("--muted").trim(),
    font: "11px system-ui",
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
}
