import { Cache } from "../../core/cache.ts";

/** An evicted job is counted from zero again. */
const MAX_JOBS = 10_000;

/** A failure with its own limit: the host of a file did not serve it, or the messenger's flood control refused. */
type LimitedFailure = "fetch" | "flood";

/**
 * How many attempts of each job failed for the same reason. The stored number of attempts cannot limit one reason,
 * because it counts all, for example those during an outage of the messenger. Kept in memory by the channel's owner: a
 * new owner counts from zero, which only adds attempts.
 */
export class FailureCounts {
  readonly #counts = new Cache<number, Readonly<Record<LimitedFailure, number>>>({ maxEntries: MAX_JOBS });

  /** Returns the number of such failures of the job, including this one. */
  add(jobId: number, failure: LimitedFailure): number {
    const counts = this.#counts.get(jobId) ?? { fetch: 0, flood: 0 };
    const count = counts[failure] + 1;
    this.#counts.set(jobId, { ...counts, [failure]: count });
    return count;
  }

  /** The job has ended. */
  forget(jobId: number): void {
    this.#counts.delete(jobId);
  }
}
