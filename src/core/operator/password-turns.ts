import type { Base } from "../base.ts";
import { ConcurrencyLimit } from "../concurrency-limit.ts";

const turns = new WeakMap<Base, ConcurrencyLimit>();

/**
 * Runs work on a password of the console in turn: each takes 19 MiB and occupies a thread for tens of milliseconds.
 * Throws UNAVAILABLE if too many are waiting.
 */
export function inTurn<T>(core: Base, work: () => Promise<T>): Promise<T> {
  const known =
    turns.get(core) ??
    new ConcurrencyLimit({
      maxConcurrent: 2,
      maxWaiting: 32,
      refusal: "Too many passwords are being checked; repeat the request later",
    });
  turns.set(core, known);
  return known.run(work);
}
