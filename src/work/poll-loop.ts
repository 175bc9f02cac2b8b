import type { Signals, WatchedTopic } from "../core/signals.ts";
import { alignedInterval } from "../platform/aligned-interval.ts";

const POLL_INTERVAL_MS = 500;

export interface PollLoopOptions {
  readonly signals?: Pick<Signals, "on" | "onDue">;
  /** A notification of this topic means that work may be due. */
  readonly topic?: WatchedTopic;
  /** Interval between polls without a notification, default 500. */
  readonly everyMs?: number;
  /** While true, only notifications cause polls: this work is watched, see `Signals`. */
  readonly isWatched?: () => boolean;
  /** Polls for work and starts it; true: poll again at once. */
  poll(): Promise<boolean>;
  /** A poll failed. The next one follows with the timer or a notification. */
  onError(error: unknown): void;
  /** Minimum time from the start of one poll to the next, so that each finds more. Default 0. */
  readonly pauseMs?: () => number;
}

/** Polls for work, one poll at a time. A call during a poll causes another one after it. */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #polling: Promise<void> | null = null;
  #again = false;
  #stopping = false;
  #last = Number.NEGATIVE_INFINITY;
  #stopTimer: () => void = () => undefined;
  #endRest: () => void = () => undefined;
  #off: readonly (() => void)[] = [];

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  start(): void {
    const { signals, topic, isWatched, everyMs = POLL_INTERVAL_MS } = this.#options;
    const poll = (): void => this.now();
    if (signals !== undefined && topic !== undefined)
      this.#off = [signals.on(topic, poll), signals.onDue(topic, poll)];
    this.#stopTimer = alignedInterval(() => {
      if (isWatched?.() !== true) this.now();
    }, everyMs);
    this.now();
  }

  /** Resolves when the running poll has ended; no other follows. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopTimer();
    for (const off of this.#off) off();
    this.#endRest();
    await this.#polling;
  }

  now(): void {
    this.#again = true;
    if (this.#polling !== null || this.#stopping) return;
    this.#polling = this.#round().finally(() => {
      this.#polling = null;
      if (this.#again) this.now();
    });
  }

  async #round(): Promise<void> {
    await this.#rest();
    this.#again = false;
    if (this.#stopping) return;
    try {
      if (await this.#options.poll()) this.#again = true;
    } catch (error) {
      this.#again = false;
      this.#options.onError(error);
    }
  }

  async #rest(): Promise<void> {
    const early = this.#last + (this.#options.pauseMs?.() ?? 0) - performance.now();
    if (early > 0) await this.#pause(early);
    this.#last = performance.now();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
