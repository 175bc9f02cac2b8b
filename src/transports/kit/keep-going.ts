import { setTimeout as delay } from "node:timers/promises";
import { backOffMs } from "../../platform/back-off.ts";

/** Pauses after failures: they grow from the first one to the longest. */
export interface Pauses {
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export interface KeepGoing {
  readonly pauses: Pauses;
  /** Aborted when the session or the link closes. */
  readonly signal: AbortSignal;
  /**
   * Told of each failure, to tell core what it says of the link. Answers how long to wait, undefined for the usual
   * back-off, or "stop". What it throws counts as undefined; say so in the log.
   */
  assess(error: unknown): Promise<number | undefined | "stop">;
}

/**
 * Repeats a round until it says that it is done, `assess` says stop or the channel closes. Answers of a round: "again" at
 * once, or how many milliseconds to rest. Never rejects.
 */
export async function keepGoing(
  { pauses, signal, assess }: KeepGoing,
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
      await pause(verdict ?? backOffMs(++failures, { firstMs, longestMs }), signal);
    }
  }
}

/** Ends early, without failing, when the channel closes. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** A quarter more or less, at random, so that channels that were opened together do not ask together. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
