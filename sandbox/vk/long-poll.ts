import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";

/** How many events are kept for late polls. */
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

/** The events of one community for long polling. All holders of the key read the same events. */
export class LongPoll {
  enabled = false;
  apiVersion = "5.199";
  events: ReadonlySet<string> = new Set();
  key = randomBytes(20).toString("hex");
  /** The number of the last event. */
  ts = 0;
  #kept: object[] = [];
  /** The next poll reports that all events are lost. */
  #lost = false;
  #newEvent = new AbortController();

  constructor() {
    setMaxListeners(0, this.#newEvent.signal);
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

  /** 1: the events are lost. 2: the key is no longer valid. 3: both, and the numbering restarts. */
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

  /** Ends all waiting polls. */
  release(): void {
    this.#newEvent.abort();
    this.#newEvent = new AbortController();
    setMaxListeners(0, this.#newEvent.signal);
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
    const newEvent = this.#newEvent.signal;
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        newEvent.removeEventListener("abort", finish);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, waitMs);
      newEvent.addEventListener("abort", finish);
      signal.addEventListener("abort", finish);
    });
  }
}
