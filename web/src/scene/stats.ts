// How long the page's own script takes per frame, for tests and for those who wonder. Time spent inside the graphics
// driver is counted apart, as software rendering makes it say nothing about the page.

const KEPT = 600;

export class Stats {
  frames = 0;
  /// Simulated time of the last frame that was drawn.
  time = 0;
  step = -1;
  #pending = 0;
  #script: number[] = [];
  #submit: number[] = [];

  /// Counts work that was done for the next frame.
  measure(work: () => void): void {
    const start = performance.now();
    work();
    this.#pending += performance.now() - start;
  }

  drawn(submitMs: number): void {
    ++this.frames;
    const at = this.frames % KEPT;
    this.#script[at] = this.#pending;
    this.#submit[at] = submitMs;
    this.#pending = 0;
  }

  restart(): void {
    this.#script = [];
    this.#submit = [];
    this.#pending = 0;
  }

  /// Over the last frames, ms: of the script, and of handing the picture to the driver.
  get scriptMs(): { mean: number; p95: number } {
    return summary(this.#script);
  }

  get submitMs(): { mean: number; p95: number } {
    return summary(this.#submit);
  }
}

function summary(samples: readonly number[]): { mean: number; p95: number } {
  const sorted = samples.filter((sample) => sample !== undefined).sort((a, b) => a - b);
  const mean = sorted.reduce((sum, sample) => sum + sample, 0) / Math.max(1, sorted.length);
  return { mean, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 };
}
