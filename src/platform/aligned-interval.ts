/** Share of the interval by which a timer may fire early or be started late. */
const TOLERANCE = 0.05;

export interface AlignedIntervalOptions {
  /** Whether it keeps the process alive; default true. */
  readonly ref?: boolean;
}

/**
 * Like `setInterval`, but the calls are at multiples of the interval on the monotonic clock. All intervals of a process
 * whose lengths are multiples of each other so fire together, and an idle process wakes up once for all of them. The
 * first call comes after at most one interval. Returns a function that stops it.
 */
export function alignedInterval(
  work: () => void,
  everyMs: number,
  { ref = true }: AlignedIntervalOptions = {},
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const leftMs = everyMs - (performance.now() % everyMs);
    const isNow = leftMs < everyMs * TOLERANCE;
    timer = setTimeout(tick, isNow ? leftMs + everyMs : leftMs);
    if (!ref) timer.unref();
  };
  const tick = (): void => {
    wait();
    work();
  };
  wait();
  return () => clearTimeout(timer);
}
