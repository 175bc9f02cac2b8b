import type { Log } from "../platform/log.ts";
import { type Blocked, LoopWatch, untilResponsive } from "./loop-watch.ts";
import { AFTER_LOSS, AT_START, afterRenewal, lossesInRow, pauseBeforeLeaseMs } from "./slow-start.ts";

/** A lost lease; times on the monotonic clock. */
export interface LostLease {
  readonly nodeId: string;
  /** When the renewal that failed was requested. */
  readonly askedAt: number;
  /** Whether other live nodes existed. */
  readonly hasOthers: boolean;
}

/** How well a node keeps its leases, and what follows from that: its concurrency, and its pauses between leases. */
export class LeaseHealth {
  readonly #leaseMs: number;
  readonly #log: Log;
  readonly #watch: LoopWatch;
  #concurrency = AT_START;
  #losses = 0;
  #takenAt = 0;
  /** When the last confirmed renewal was requested. */
  #renewedAt = 0;

  constructor(leaseMs: number, log: Log) {
    this.#leaseMs = leaseMs;
    this.#log = log;
    this.#watch = new LoopWatch(leaseMs / 12);
  }

  /** The part of its usual concurrency that the node may use, see `slow-start.ts`. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /** A lease was taken. Its term counts from the request. */
  taken(askedAt: number): void {
    this.#takenAt = askedAt;
    this.#renewedAt = askedAt;
  }

  /** A renewal was confirmed. `dueAt`: when it should have been requested. */
  renewed({ dueAt, askedAt }: { readonly dueAt: number; readonly askedAt: number }): void {
    this.#renewedAt = askedAt;
    this.#concurrency = afterRenewal(this.#concurrency, performance.now() - dueAt, this.#leaseMs);
  }

  /** Logs the loss. Returns how long to wait for the next lease. */
  lost({ nodeId, askedAt, hasOthers }: LostLease): number {
    const now = performance.now();
    const blocked = this.#watch.since(this.#renewedAt);
    this.#losses = lossesInRow(this.#losses, now - this.#takenAt);
    this.#concurrency = AFTER_LOSS;
    const pauseMs = pauseBeforeLeaseMs(this.#losses, hasOthers);
    const sinceRenewalMs = now - this.#renewedAt;
    const figures = rounded({
      sinceRenewalMs,
      renewalMs: now - askedAt,
      blockedMs: blocked.totalMs,
      longestBlockMs: blocked.longestMs,
      pauseMs,
    });
    this.#log.warn(
      { nodeId, ...figures, losses: this.#losses, cause: causeOf(blocked, sinceRenewalMs) },
      "this node lost its lease: it stops all sessions and starts over",
    );
    return pauseMs;
  }

  /**
   * Resolves when the process responds again: what the end of the sessions left to do would delay the answer to the
   * request for the next lease, and that lease would be lost as well.
   */
  untilResponsive(signal: AbortSignal): Promise<void> {
    return untilResponsive(this.#leaseMs / 3, signal);
  }

  end(): void {
    this.#watch.stop();
  }
}

function causeOf({ totalMs }: Blocked, sinceRenewalMs: number): string {
  return totalMs * 2 > sinceRenewalMs
    ? "the process was blocked, frozen or short of processor time"
    : "PostgreSQL did not answer in time";
}

function rounded<Names extends string>(figures: Readonly<Record<Names, number>>): Record<Names, number> {
  const entries = Object.entries<number>(figures).map(([name, value]) => [name, Math.round(value)]);
  return Object.fromEntries(entries) as Record<Names, number>;
}
