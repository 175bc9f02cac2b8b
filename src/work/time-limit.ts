/**
 * Runs work that ends after a time, or with an outer signal. Cheaper than `AbortSignal.timeout` and `AbortSignal.any`
 * for thousands of calls per second: nothing outlives the work. The outer signal has a single listener for all of
 * it: removed listeners stay chained to those added after them, so an old one would keep all of these from the
 * garbage collector until its next full run.
 */
export class TimeLimits {
  readonly #outer: AbortSignal;
  readonly #running = new Set<AbortController>();

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    outer.addEventListener("abort", () => {
      for (const limit of this.#running) limit.abort(outer.reason);
    });
  }

  /** The signal fires after `ms`, or when the outer one does. */
  async run<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new DOMException("It took too long", "TimeoutError")), ms);
    this.#running.add(limit);
    if (this.#outer.aborted) limit.abort(this.#outer.reason);
    try {
      return await work(limit.signal);
    } finally {
      clearTimeout(timer);
      this.#running.delete(limit);
    }
  }
}

/** Resolves with whether the work succeeded within `ms`; it goes on otherwise. */
export async function succeedsWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  return orWhenLate(ms, done, () => false);
}

/** Settles like `work`, or like `whenLate()` if `work` takes longer than `ms`; it goes on then. */
export async function orWhenLate<T>(
  ms: number,
  work: Promise<T>,
  whenLate: () => T | Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    return await Promise.race([work, late.promise.then(whenLate)]);
  } finally {
    clearTimeout(timer);
  }
}
