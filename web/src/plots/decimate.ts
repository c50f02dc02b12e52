// Min-max decimation: where there are more rows than pixels, keeps the minimum and maximum of each bucket, in time
// order, so that spikes stay visible. A hole of the history ends a bucket, and is a point without values.

import type { History } from "./history.ts";

export type Points = [number[], ...(number | null)[][]];

/// Fills `out` with times and one list per signal for rows first…last-1, with at most about `most` points each.
export function decimate(
  out: Points,
  history: History,
  signals: readonly string[],
  first: number,
  last: number,
  most: number,
): void {
  const count = Math.max(0, last - first);
  const stretch = Math.max(1, Math.ceil((2 * count) / most));
  out.length = 1 + signals.length;
  for (let i = 0; i < out.length; ++i) {
    if (out[i]) out[i]!.length = 0;
    else out[i] = [];
  }
  const times = out[0];
  const isThinned = stretch > 2;
  for (let from = first; from < last;) {
    // A bucket does not reach over a hole.
    let to = from + 1;
    if (isThinned) while (to < last && to < from + stretch && !history.hasHoleBefore(to)) ++to;
    if (from > first && history.hasHoleBefore(from))
      pushHole(out, (history.times[from - 1]! + history.times[from]!) / 2);
    times.push(history.times[from]!);
    if (isThinned) times.push(history.times[to - 1]!);
    signals.forEach((signal, i) => {
      const column = history.column(signal);
      const values: (number | null)[] = out[i + 1]!;
      if (isThinned) pushExtremes(values, column, from, to);
      else values.push(valueAt(column, from));
    });
    from = to;
  }
}

function pushHole(out: Points, time: number): void {
  out[0].push(time);
  for (let i = 1; i < out.length; ++i) (out[i] as (number | null)[]).push(null);
}

function valueAt(column: Float64Array | undefined, row: number): number | null {
  const value = column?.[row] ?? Number.NaN;
  return Number.isFinite(value) ? value : null;
}

function pushExtremes(values: (number | null)[], column: Float64Array | undefined, from: number, to: number): void {
  let low = -1;
  let high = -1;
  for (let row = from; column && row < to; ++row) {
    const value = column[row]!;
    if (!Number.isFinite(value)) continue;
    if (low < 0 || value < column[low]!) low = row;
    if (high < 0 || value > column[high]!) high = row;
  }
  if (low < 0) values.push(null, null);
  else values.push(column![Math.min(low, high)]!, column![Math.max(low, high)]!);
}
