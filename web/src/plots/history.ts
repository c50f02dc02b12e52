// History of the subscribed signals, oldest first: one column of times, one column per signal. Rows may be missing
// (the viewer was too slow, or jumped): a hole, which breaks the lines and can be filled from the server.

import type { StateMessage } from "../state_message.ts";

const MAX_ROWS = 300_000; // five minutes at the highest row rate of the server
const MAX_HOLES = 1000;

/// A stretch of time without rows of these signals.
export interface Hole {
  from: number;
  to: number;
  signals: readonly string[];
}

export class History {
  #capacity = 4096;
  #times = new Float64Array(this.#capacity);
  #columns = new Map<string, Float64Array>();
  /// Columns of the rows to come, in their order.
  #layout: Float64Array[] = [];
  #length = 0;
  #holes: Hole[] = [];
  /// The values of the shown instant, which may be in the past.
  #now: ReadonlyMap<string, number> = new Map();
  /// Longest time between two neighbouring rows, s.
  #longest = Number.POSITIVE_INFINITY;
  /// Incremented with every change; a plot drawn from another version is out of date.
  version = 0;

  /// Time between two rows of the run, s: a longer one is a hole.
  set rowPeriod(period: number) {
    this.#longest = 1.5 * period;
  }

  get length(): number {
    return this.#length;
  }

  /// Entries beyond `length` are undefined. Borrowed: valid until the next call that changes this.
  get times(): Float64Array {
    return this.#times;
  }

  column(signal: string): Float64Array | undefined {
    return this.#columns.get(signal);
  }

  get firstTime(): number {
    return this.#length > 0 ? this.#times[0]! : 0;
  }

  get lastTime(): number {
    return this.#length > 0 ? this.#times[this.#length - 1]! : 0;
  }

  /// The value at the shown instant.
  lastValue(signal: string): number {
    return this.#now.get(signal) ?? Number.NaN;
  }

  /// Whether rows are missing before this one.
  hasHoleBefore(row: number): boolean {
    return row > 0 && this.#times[row]! - this.#times[row - 1]! > this.#longest;
  }

  /// The part in a stretch of the latest hole that overlaps it; it is not a hole to fill any more.
  takeHole(from: number, to: number): Hole | undefined {
    const i = this.#holes.findLastIndex((hole) => hole.to > from && hole.from < to);
    if (i < 0) return undefined;
    const hole = this.#holes[i]!;
    const part = { ...hole, from: Math.max(from, hole.from), to: Math.min(to, hole.to) };
    const rest = [
      { ...hole, to: part.from },
      { ...hole, from: part.to },
    ].filter((each) => each.to > each.from);
    this.#holes.splice(i, 1, ...rest);
    return part;
  }

  /// The earliest time that there are rows of, or that a hole reaches back to.
  get knownStart(): number {
    return this.#holes.reduce((start, hole) => Math.min(start, hole.from), this.firstTime);
  }

  clear(): void {
    this.#length = 0;
    this.#holes = [];
    this.#now = new Map();
    ++this.version;
  }

  /// Drops the rows after a time: the run does not go there any more.
  cutAfter(time: number): void {
    const length = this.firstIndexFrom(time);
    if (length >= this.#length) return;
    this.#length = length;
    ++this.version;
  }

  /// From now on rows hold these signals. Columns of others are dropped; a new one starts without values.
  setLayout(signals: readonly string[]): void {
    const columns = new Map<string, Float64Array>();
    const added: string[] = [];
    for (const name of signals) {
      const known = this.#columns.get(name);
      if (!known) added.push(name);
      columns.set(name, known ?? new Float64Array(this.#capacity).fill(Number.NaN));
    }
    this.#columns = columns;
    this.#layout = signals.map((name) => columns.get(name)!);
    if (added.length > 0 && this.#length > 0) this.#addHole(this.firstTime, this.lastTime, added);
    ++this.version;
  }

  #addHole(from: number, to: number, signals: readonly string[]): void {
    if (this.#holes.length === MAX_HOLES) this.#holes.shift();
    this.#holes.push({ from, to, signals });
  }

  /// The first row may be in the middle of a run.
  #addHoleBefore(names: readonly string[]): void {
    if (this.firstTime > this.#longest) this.#addHole(0, this.firstTime, names);
  }

  append(state: StateMessage): void {
    if (state.signalCount !== this.#layout.length) return; // from before the last subscription
    const width = 1 + state.signalCount;
    if (state.rowCount === 0) return;
    const names = [...this.#columns.keys()];
    const wasEmpty = this.#length === 0;
    if (state.isPast) {
      this.merge(names, state.rows);
      if (wasEmpty) this.#addHoleBefore(names);
    } else for (let row = 0; row < state.rowCount; ++row) this.#appendRow(names, state.rows, row * width);
    const last = (state.rowCount - 1) * width;
    this.#now = new Map(names.map((name, i) => [name, state.rows[last + 1 + i]!]));
    ++this.version;
  }

  #appendRow(names: readonly string[], rows: Float64Array, at: number): void {
    const time = rows[at]!;
    // The run continues from an earlier time: drop the later rows.
    if (this.#length > 0 && time <= this.#times[this.#length - 1]!) this.#length = this.firstIndexFrom(time);
    if (this.#length === this.#capacity) this.#grow();
    this.#times[this.#length] = time;
    for (let i = 0; i < this.#layout.length; ++i) this.#layout[i]![this.#length] = rows[at + 1 + i]!;
    ++this.#length;
    if (this.#length === 1) this.#addHoleBefore(names);
    if (this.hasHoleBefore(this.#length - 1)) this.#addHole(this.#times[this.#length - 2]!, time, names);
  }

  /// Adds rows of the past: time, then the values of these signals. Values of other signals stay as they are.
  merge(signals: readonly string[], rows: Float64Array): void {
    const width = 1 + signals.length;
    const count = rows.length / width;
    const isKnown = (row: number): boolean => {
      const at = this.firstIndexFrom(rows[row * width]!);
      return at < this.#length && this.#times[at] === rows[row * width];
    };
    let added = 0;
    for (let row = 0; row < count; ++row) if (!isKnown(row)) ++added;
    while (this.#length + added > this.#capacity) {
      if (this.#capacity >= MAX_ROWS && this.#length === 0) return;
      this.#grow();
    }
    // From the end, so that every row moves only once.
    let to = this.#length + added - 1;
    let from = this.#length - 1;
    const columns = [...this.#columns];
    for (let row = count - 1; row >= 0; --row) {
      const time = rows[row * width]!;
      for (; from >= 0 && this.#times[from]! > time; --from, --to) this.#move(from, to);
      const isThere = from >= 0 && this.#times[from] === time;
      if (isThere) this.#move(from--, to);
      else this.#times[to] = time;
      for (const [name, column] of columns) {
        const i = signals.indexOf(name);
        if (i >= 0) column[to] = rows[row * width + 1 + i]!;
        else if (!isThere) column[to] = Number.NaN;
      }
      --to;
    }
    this.#length += added;
    ++this.version;
  }

  #move(from: number, to: number): void {
    if (from === to) return;
    this.#times[to] = this.#times[from]!;
    for (const column of this.#columns.values()) column[to] = column[from]!;
  }

  /// The first row at or after a time; `length` if there is none.
  firstIndexFrom(time: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    if (this.#capacity < MAX_ROWS) {
      this.#capacity *= 2;
      const grow = (old: Float64Array): Float64Array<ArrayBuffer> => {
        const grown = new Float64Array(this.#capacity).fill(Number.NaN);
        grown.set(old);
        return grown;
      };
      this.#times = grow(this.#times);
      for (const [name, column] of this.#columns) this.#columns.set(name, grow(column));
      this.#layout = [...this.#columns.values()];
      return;
    }
    const half = this.#length >>> 1;
    for (const column of [this.#times, ...this.#columns.values()]) {
      column.copyWithin(0, half, this.#length);
    }
    this.#length -= half;
  }
}
