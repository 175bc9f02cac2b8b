/** Keeps rounds of work apart: the first starts at once, the next no sooner than `pauseMs` after it started. */
export class Breather {
  readonly #pauseMs: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Resolves when the next round may start. One caller at a time. */
  async rest(): Promise<void> {
    const early = this.#last + this.#pauseMs - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    this.#last = performance.now();
  }
}
