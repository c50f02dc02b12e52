// Lowers the quality of moving images where drawing is slow: first shadows, then pixels. Images at rest are always full.

/// What to draw with: shadows or not, and the share of the pixels in either direction.
export interface Quality {
  shadows: boolean;
  pixels: number;
}

const LEVELS: readonly Quality[] = [
  { shadows: true, pixels: 1 },
  { shadows: false, pixels: 1 },
  { shadows: false, pixels: 0.7 },
  { shadows: false, pixels: 0.5 },
];
/// Images whose mean decides.
const IMAGES = 12;
/// An image that takes longer is slow, ms; one that takes less than the other leaves room for more.
const SLOW_MS = 50;
const FAST_MS = 22;

export class QualityControl {
  #level = 0;
  #last = 0;
  #intervals: number[] = [];
  readonly #slow: number;

  /// `msPerFrame` is the shortest time between two images.
  constructor(msPerFrame: number) {
    this.#slow = Math.max(SLOW_MS, 1.6 * msPerFrame);
  }

  get quality(): Quality {
    return LEVELS[this.#level]!;
  }

  /// An image of a moving scene is drawn now, ms.
  moved(now: number): void {
    const interval = now - this.#last;
    this.#last = now;
    if (interval > 1000) return; // the motion has just begun
    this.#intervals.push(interval);
    if (this.#intervals.length < IMAGES) return;
    const mean = this.#intervals.reduce((sum, each) => sum + each, 0) / IMAGES;
    this.#intervals = [];
    if (mean > this.#slow) this.#level = Math.min(LEVELS.length - 1, this.#level + 1);
    else if (mean < FAST_MS) this.#level = Math.max(0, this.#level - 1);
  }
}
