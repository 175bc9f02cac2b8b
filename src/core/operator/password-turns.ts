import { ConcurrencyLimit } from "../concurrency-limit.ts";

/** Work on passwords of the console, on this node. */
export interface HasPasswordTurns {
  readonly passwordTurns: ConcurrencyLimit;
}

export function createPasswordTurns(): ConcurrencyLimit {
  return new ConcurrencyLimit({
    maxConcurrent: 2,
    maxWaiting: 32,
    refusal: "Too many passwords are being checked; repeat the request later",
  });
}

/**
 * Runs work on a password of the console in turn: each takes 19 MiB and occupies a thread for tens of milliseconds.
 * Throws UNAVAILABLE if too many are waiting.
 */
export function inTurn<T>({ passwordTurns }: HasPasswordTurns, work: () => Promise<T>): Promise<T> {
  return passwordTurns.run(work);
}
