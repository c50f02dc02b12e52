// History of the subscribed signals, oldest first: one column of times, one column per signal.

import type { StateMessage } from "../state_message.ts";

const MAX_ROWS = 300_000; // five minutes at the highest row rate of the server

export class History {
  #capacity = 4096;
  #times = new Float64Array(this.#capacity);
  #columns = new Map<string, Float64Array>();
  /// Columns of the rows to come, in their order.
  #layout: Float64Array[] = [];
  #length = 0;
  /// Incremented with every change; a plot drawn from another version is out of date.
  version = 0;

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

  lastValue(signal: string): number {
    const column = this.#columns.get(signal);
    return column && this.#length > 0 ? column[this.#length - 1]! : Number.NaN;
  }

  clear(): void {
    this.#length = 0;
    ++this.version;
  }

  /// From now on rows hold these signals. Columns of others are dropped; a new one starts without values.
  setLayout(signals: readonly string[]): void {
    const columns = new Map<string, Float64Array>();
    for (const name of signals) {
      columns.set(name, this.#columns.get(name) ?? new Float64Array(this.#capacity).fill(Number.NaN));
    }
    this.#columns = columns;
    this.#layout = signals.map((name) => columns.get(name)!);
    ++this.version;
  }

  append(state: StateMessage): void {
    if (state.signalCount !== this.#layout.length) return; // from before the last subscription
    const width = 1 + state.signalCount;
    for (let row = 0; row < state.rowCount; ++row) this.#appendRow(state.rows, row * width);
    if (state.rowCount > 0) ++this.version;
  }

  #appendRow(rows: Float64Array, at: number): void {
    const time = rows[at]!;
    // After a reset, seek or load the run continues from an earlier time: drop the later rows.
    if (this.#length > 0 && time <= this.#times[this.#length - 1]!) this.#length = this.firstIndexFrom(time);
    if (this.#length === this.#capacity) this.#grow();
    this.#times[this.#length] = time;
    for (let i = 0; i < this.#layout.length; ++i) this.#layout[i]![this.#length] = rows[at + 1 + i]!;
    ++this.#length;
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
