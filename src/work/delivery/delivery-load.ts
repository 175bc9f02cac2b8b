const SAMPLE_MS = 100;
/** Share of the time in which the event loop works, from which on the node counts as busy. */
const BUSY_SHARE = 0.85;
/** Requests per second, by all receivers together, that a busy node makes without making them larger. */
const BUSY_REQUESTS = 250;

type LoopUse = () => { readonly workedMs: number; readonly now: number };

/**
 * Tells whether the node is busy with many small webhook requests. Each costs statements besides the request itself,
 * so fewer and larger ones then deliver more events, sooner.
 */
export class DeliveryLoad {
  readonly #loopUse: LoopUse;
  #last: ReturnType<LoopUse>;
  #requests = 0;
  #isHigh = false;

  constructor(loopUse: LoopUse = loopUseOfThread) {
    this.#loopUse = loopUse;
    this.#last = loopUse();
  }

  /** Counts a request, and returns whether the load is high. */
  count(): boolean {
    this.#requests++;
    const use = this.#loopUse();
    const elapsedMs = use.now - this.#last.now;
    if (elapsedMs >= SAMPLE_MS) {
      const isBusy = (use.workedMs - this.#last.workedMs) / elapsedMs >= BUSY_SHARE;
      this.#isHigh = isBusy && (this.#requests * 1_000) / elapsedMs >= BUSY_REQUESTS;
      this.#last = use;
      this.#requests = 0;
    }
    return this.#isHigh;
  }
}

function loopUseOfThread(): ReturnType<LoopUse> {
  return { workedMs: performance.eventLoopUtilization().active, now: performance.now() };
}
