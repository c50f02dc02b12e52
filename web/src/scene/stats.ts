// Script time per drawn image, for tests and profiling. Time inside the graphics driver is counted separately: with
// software rendering it says nothing about the page.

const KEPT = 600;

export class Stats {
  frames = 0;
  /// Simulated time of the last drawn state.
  time = 0;
  step = -1;
  #placing = 0;
  #receiving = 0;
  #received = 0;
  #script: number[] = [];
  #submit: number[] = [];

  /// Measures the handling of one received state. If states arrive faster than images are drawn, only the cost of one
  /// of them counts, as if each were drawn.
  receive(work: () => void): void {
    this.#receiving += timed(work);
    ++this.#received;
  }

  /// Measures the work for an image before it is submitted to the driver.
  place(work: () => void): void {
    this.#placing += timed(work);
  }

  drawn(submitMs: number): void {
    ++this.frames;
    const at = this.frames % KEPT;
    this.#script[at] = this.#placing + this.#receiving / Math.max(1, this.#received);
    this.#submit[at] = submitMs;
    this.#placing = this.#receiving = this.#received = 0;
  }

  restart(): void {
    this.#script = [];
    this.#submit = [];
    this.#placing = this.#receiving = this.#received = 0;
  }

  /// Over the last images, ms: script time, and submission to the driver.
  get scriptMs(): { mean: number; p95: number } {
    return summary(this.#script);
  }

  get submitMs(): { mean: number; p95: number } {
    return summary(this.#submit);
  }
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function summary(samples: readonly number[]): { mean: number; p95: number } {
  const sorted = samples.filter((sample) => sample !== undefined).sort((a, b) => a - b);
  const mean = sorted.reduce((sum, sample) => sum + sample, 0) / Math.max(1, sorted.length);
  return { mean, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 };
}
