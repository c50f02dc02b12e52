// Going to an instant of the known run, and the loop over a stretch of it.
//
// The loop repeats a stretch of the known run by seeking along it, at the speed of the run. Nothing is simulated again, and what
// comes after the stretch is kept.

import type { App } from "./app.ts";
import { Latest } from "./latest.ts";
import { Cell } from "./store.ts";
import type { Stretch } from "./timeline.ts";

const MS_PER_SEEK = 33;
/// The shortest stretch, s.
const SHORTEST = 0.01;

/// Seeks of the user: the newest one counts, and ends a loop.
export function makeSeek(app: Pick<App, "store" | "request" | "run" | "tell">, loop: Loop): (time: number) => void {
  const seeks = new Latest<number>((time) => app.run(app.request("seek", { time })));
  return (time) => {
    loop.stop();
    const known = app.store.status.value.recording;
    if (!known) return app.tell("This run cannot go back in time: its controller cannot.");
    seeks.set(Math.min(known.end, Math.max(known.start, time)));
  };
}

/// The instant to show `seconds` after the start of the loop.
export function loopTime({ start, end }: Stretch, seconds: number): number {
  const length = Math.max(end - start, SHORTEST);
  return start + (((seconds % length) + length) % length);
}

export class Loop {
  readonly isOn = new Cell(false);
  readonly stretch = new Cell<Stretch>({ start: 0, end: 0 });
  readonly #app: Pick<App, "store" | "request" | "tell">;
  #began = 0;

  constructor(app: Pick<App, "store" | "request" | "tell">) {
    this.#app = app;
    app.store.status.watch(({ state }) => state === "running" && this.stop());
    app.store.scene.watch(() => this.stop());
  }

  /// Loops over the part of a stretch that is known.
  async start({ start, end }: Stretch): Promise<void> {
    const { store, request, tell } = this.#app;
    const known = store.status.value.recording;
    if (!known) return tell("This run cannot go back in time: its controller cannot.");
    const from = Math.max(known.start, start);
    const stretch = { start: from, end: Math.min(known.end, end) };
    if (stretch.end - stretch.start < SHORTEST) return tell("There is nothing to loop over yet.");
    if (store.status.value.state === "running") await request("pause");
    this.stretch.set(stretch);
    this.#began = performance.now();
    if (this.isOn.value) return;
    this.isOn.set(true);
    void this.#run();
  }

  stop(): void {
    this.isOn.set(false);
  }

  async #run(): Promise<void> {
    const { store, request, tell } = this.#app;
    while (this.isOn.value) {
      const speed = store.status.value.speed ?? 1;
      const time = loopTime(this.stretch.value, ((performance.now() - this.#began) / 1000) * speed);
      try {
        await request("seek", { time });
      } catch (error) {
        if (!this.isOn.value) return;
        this.stop();
        return tell((error as Error).message);
      }
      await new Promise((resolve) => setTimeout(resolve, MS_PER_SEEK));
    }
  }
}
