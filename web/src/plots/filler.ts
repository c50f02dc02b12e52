// Fills the holes of the history with rows from the server, one request after the other.

import type { Request } from "../connection.ts";
import type { History, Hole } from "./history.ts";

export class Filler {
  readonly #history: History;
  readonly #request: Request;
  #work: Promise<void> | null = null;

  constructor(history: History, request: Request) {
    this.#history = history;
    this.#request = request;
  }

  /// Fills the holes of a stretch, the latest first. Resolves when there is none left that the server can fill.
  fill(from: number, to: number): Promise<void> {
    this.#work ??= this.#fillAll(from, to).finally(() => (this.#work = null));
    return this.#work;
  }

  async #fillAll(from: number, to: number): Promise<void> {
    for (let hole = this.#history.takeHole(from, to); hole; hole = this.#history.takeHole(from, to)) {
      // A rejected request leaves the hole, which the plots show as such.
      if (!(await this.#fillOne(hole).catch(() => false))) return;
    }
  }

  async #fillOne({ from, to, signals }: Hole): Promise<boolean> {
    for (let start = from; ;) {
      const wanted = signals.filter((name) => this.#history.column(name));
      if (wanted.length === 0) return true;
      const { rows, complete } = await this.#request("rows", { signals: wanted, from: start, to });
      const kept = rows.filter((row) => row[0]! <= this.#history.lastTime);
      this.#history.merge(
        wanted,
        Float64Array.from(kept.flat(), (value) => value ?? Number.NaN),
      );
      if (complete || rows.length === 0) return true;
      start = rows.at(-1)![0]!;
      if (rows.length === 1) return true;
    }
  }
}
