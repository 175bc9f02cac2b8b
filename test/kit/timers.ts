import { onTestFinished, vi } from "vitest";
import type { Clock } from "../../src/platform/clock.ts";

/** Until the test has ended, the clock's monotonic time passes by calls of the returned function alone, so many ms each. */
export function stopClock(clock: Pick<Clock, "monotonicMs">): (ms: number) => void {
  let now = clock.monotonicMs();
  const stopped = vi.spyOn(clock, "monotonicMs").mockImplementation(() => now);
  onTestFinished(() => stopped.mockRestore());
  return (ms) => {
    now += ms;
  };
}

/** The longest that a timer can have. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * Timers of these lengths fire when the test has ended, and not before: limits of the service that would end what the test
 * looks at if the machine stopped for as long.
 */
export function holdTimers(...lengthsMs: readonly number[]): void {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const held = new Map<unknown, () => void>();
  const hold = (work: () => void, ms = 0, ...values: []) => {
    // Those with values are of libraries.
    if (!lengthsMs.includes(ms) || values.length > 0) return start(work, ms, ...values);
    const timer = start(work, NEVER_MS);
    held.set(timer, work);
    return timer;
  };
  const starting = vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout);
  const clearing = vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    held.delete(timer);
    clear(timer);
  });
  onTestFinished(() => {
    starting.mockRestore();
    clearing.mockRestore();
    for (const [timer, work] of held) {
      clear(timer as NodeJS.Timeout);
      work();
    }
  });
}
