import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";

/** How many events are kept for those who ask late. */
const keptEvents = 1000;

/** An answer of the server: https://dev.vk.com/ru/api/bots-long-poll/getting-started */
export type PollAnswer =
  | { readonly ts: string; readonly updates: readonly object[] }
  | { readonly failed: 1; readonly ts: number }
  | { readonly failed: 2 | 3 };

export interface PollRequest {
  readonly key: string;
  readonly ts: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The events of one community for those who poll. Everybody with the key reads the same events. */
export class LongPoll {
  enabled = false;
  apiVersion = "5.199";
  events: ReadonlySet<string> = new Set();
  key = randomBytes(20).toString("hex");
  /** The number of the last event. */
  ts = 0;
  #kept: object[] = [];
  /** The next request is answered that everything is lost. */
  #lost = false;
  #wake = new AbortController();

  constructor() {
    setMaxListeners(0, this.#wake.signal);
  }

  push(event: object): void {
    this.ts++;
    this.#kept.push(event);
    if (this.#kept.length > keptEvents) this.#kept.shift();
    this.release();
  }

  async poll(request: PollRequest): Promise<PollAnswer> {
    const failure = this.#refuse(request);
    if (failure) return failure;
    const from = Number(request.ts);
    if (from === this.ts) await this.#wait(request);
    return this.#refuse(request) ?? { ts: String(this.ts), updates: this.#since(from) };
  }

  /** 1: what was kept is gone. 2: the key is no longer valid. 3: both, and the numbering starts anew. */
  fail(kind: 1 | 2 | 3): void {
    if (kind !== 2) this.#kept = [];
    if (kind === 1) this.ts++;
    else this.key = randomBytes(20).toString("hex");
    if (kind === 3) {
      this.ts = 0;
      this.#lost = true;
    }
    this.release();
  }

  /** Answers everybody who waits with what there is. */
  release(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
    setMaxListeners(0, this.#wake.signal);
  }

  #refuse({ key, ts }: PollRequest): PollAnswer | undefined {
    if (this.#lost) {
      this.#lost = false;
      return { failed: 3 };
    }
    if (key !== this.key) return { failed: 2 };
    const from = /^\d+$/.test(ts) ? Number(ts) : -1;
    if (from > this.ts || from < this.ts - this.#kept.length) return { failed: 1, ts: this.ts };
    return undefined;
  }

  #since(from: number): readonly object[] {
    return this.#kept.slice(this.#kept.length - (this.ts - from));
  }

  #wait({ waitMs, signal }: PollRequest): Promise<void> {
    const wake = this.#wake.signal;
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        wake.removeEventListener("abort", finish);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, waitMs);
      wake.addEventListener("abort", finish);
      signal.addEventListener("abort", finish);
    });
  }
}
