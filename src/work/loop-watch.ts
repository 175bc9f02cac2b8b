import { setImmediate } from "node:timers/promises";

/** How long the event loop was blocked: by this process, or because it was frozen or got no processor time. */
export interface Blocked {
  /** All blocks together. Those shorter than the interval of the watch may be missing. */
  readonly totalMs: number;
  readonly longestMs: number;
}

interface Block {
  readonly endedAt: number;
  readonly ms: number;
}

/** More than a lease has room for. */
const MAX_BLOCKS = 50;

/**
 * Measures blocks of the event loop by the delay of a timer. `perf_hooks.monitorEventLoopDelay` would not do: it drops
 * the first sample after a reset, and with it a block that begins there.
 */
export class LoopWatch {
  readonly #everyMs: number;
  readonly #timer: NodeJS.Timeout;
  #dueAt: number;
  #blocks: Block[] = [];

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#dueAt = performance.now() + everyMs;
    this.#timer = setInterval(() => this.#measure(), everyMs).unref();
  }

  /** The blocks that ended after this moment of the monotonic clock, including one that has just ended. */
  since(moment: number): Blocked {
    this.#measure();
    const blocks = this.#blocks.filter(({ endedAt }) => endedAt > moment).map(({ ms }) => ms);
    return { totalMs: blocks.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(0, ...blocks) };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    const now = performance.now();
    const ms = now - this.#dueAt;
    if (ms < 0) return;
    this.#blocks = [...this.#blocks.slice(1 - MAX_BLOCKS), { endedAt: now, ms }];
    this.#dueAt = now + this.#everyMs;
  }
}

const TURNS = 3;
const MAX_ATTEMPTS = 20;

/**
 * Resolves when the event loop turns within this time, that is, when it has worked off what was waiting; at the latest
 * after twenty attempts.
 */
export async function untilResponsive(withinMs: number, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal.aborted; attempt++) {
    const began = performance.now();
    for (let turn = 0; turn < TURNS; turn++) await setImmediate();
    if (performance.now() - began <= withinMs) return;
  }
}
