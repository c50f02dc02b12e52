// How long the page's own script takes per frame, for tests and for those who wonder. Time spent inside the graphics
// driver is counted apart, as software rendering makes it say nothing about the page.

const KEPT = 600;

export class Stats {
  frames = 0;
  /// Simulated time of the last frame that was drawn.
  time = 0;
  step = -1;
  #placing = 0;
  #receiving = 0;
  #received = 0;
  #script: number[] = [];
  #submit: number[] = [];

  /// Counts what is done when a frame comes. Where images are slower than the stream, several come for one image: what
  /// one of them costs counts, as it would if each were drawn.
  receive(work: () => void): void {
    this.#receiving += timed(work);
    ++this.#received;
  }

  /// Counts what is done for an image before it is handed to the driver.
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

  /// Over the last frames, ms: of the script, and of handing the image to the driver.
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
