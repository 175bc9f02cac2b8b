import { alignedInterval } from "./aligned-interval.ts";

const TICK_MS = 500;
/** A tick that is later than this was not delayed by work: the process was stopped, or its machine was. */
const LATE_MS = 1_000;

/**
 * Monotonic time without that for which the process stood still (SIGSTOP, a suspended machine). A time limit that passes
 * meanwhile says nothing about what is waited for, whose response may lie unread.
 */
export class RunningClock {
  readonly #stopTimer: () => void;
  #tickedAt = performance.now();
  /** Up to the last tick. */
  #stoodStillMs = 0;

  constructor() {
    this.#stopTimer = alignedInterval(() => this.#tick(), TICK_MS, { ref: false });
  }

  nowMs(): number {
    return performance.now() - this.stoodStillMs;
  }

  /** How long the process has stood still so far. */
  get stoodStillMs(): number {
    return this.#stoodStillMs + this.#sinceTick();
  }

  /** After a stop of the process, its timers may be served in any order: the next tick need not be the first. */
  #sinceTick(): number {
    const lateMs = performance.now() - this.#tickedAt - TICK_MS;
    return lateMs > LATE_MS ? lateMs : 0;
  }

  #tick(): void {
    this.#stoodStillMs += this.#sinceTick();
    this.#tickedAt = performance.now();
  }

  /** Measures no more. */
  stop(): void {
    this.#stopTimer();
    this.#tickedAt = Number.POSITIVE_INFINITY;
  }
}
