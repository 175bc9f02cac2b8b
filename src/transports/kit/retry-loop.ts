import { setTimeout as delay } from "node:timers/promises";
import { backOffMs } from "../../platform/queue/back-off.ts";

/** Back-off after failures: the delay grows from the first value to the maximum. */
export interface BackOffTiming {
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export interface RetryLoop {
  readonly pauses: BackOffTiming;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
  /**
   * Called for each failure; reports the link state to core. Returns the delay in milliseconds, undefined for the
   * default back-off, or "stop" to end the loop. If it throws, the default back-off applies; log the failure inside.
   */
  assess(error: unknown): Promise<number | undefined | "stop">;
}

/**
 * Runs `round` repeatedly until it returns "done", `assess` returns "stop" or the signal aborts. A round returns
 * "again" to run immediately, or a delay in milliseconds. Never rejects.
 */
export async function runRetryLoop(
  { pauses, signal, assess }: RetryLoop,
  round: () => Promise<"again" | "done" | number>,
): Promise<void> {
  const { firstPauseMs: firstMs, maxPauseMs: longestMs } = pauses;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const next = await round();
      if (next === "done") return;
      failures = 0;
      if (next !== "again") await pause(next, signal);
    } catch (error) {
      if (signal.aborted) return;
      const verdict = await assess(error).catch(() => undefined);
      if (verdict === "stop") return;
      await pause(atLeast(verdict) ?? backOffMs(++failures, { firstMs, longestMs }), signal);
    }
  }
}

/** The shortest pause that a messenger's answer can cause. */
const SHORTEST_PAUSE_MS = 100;

function atLeast(given: number | undefined): number | undefined {
  return given === undefined || given >= SHORTEST_PAUSE_MS ? given : SHORTEST_PAUSE_MS;
}

/** The longest pause. A messenger may state any time, and a timer of Node beyond 24 days ends at once. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Resolves early, without an error, when the signal aborts; after an hour in any case. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(ms, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => undefined);
}

/** Adds ±25 % jitter, so that channels opened together do not poll together. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
