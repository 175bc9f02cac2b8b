/**
 * Runs work under a signal that fires after `ms`, or when `outer` does. Cheaper than `AbortSignal.timeout` and
 * `AbortSignal.any` for thousands of calls per second: nothing outlives the work.
 */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException("It took too long", "TimeoutError")), ms);
  const running = limitsUnder(outer);
  running.add(limit);
  if (outer.aborted) limit.abort(outer.reason);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    running.delete(limit);
  }
}

const limits = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * The limits that run under a signal. The signal has a single listener for all of them: removed listeners stay
 * chained to those added after them, so an old one would keep all of these from the garbage collector until its next
 * full run.
 */
function limitsUnder(outer: AbortSignal): Set<AbortController> {
  const known = limits.get(outer);
  if (known !== undefined) return known;
  const running = new Set<AbortController>();
  limits.set(outer, running);
  outer.addEventListener("abort", () => {
    for (const limit of running) limit.abort(outer.reason);
  });
  return running;
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
