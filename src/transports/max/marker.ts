import type { ChannelLink } from "../../core/transport/connector.ts";

const KEY = "storedUpTo";
/** A catch-up begins so much earlier: messages of different chats may arrive in another order than they were written. */
export const OVERLAP_MS = 2 * 60_000;
/** While messages come one by one, the marker is stored so often at most: an older one only has more told twice. */
const STORE_EVERY_MS = 30_000;

/** Up to when, by MAX's clock, everything that came is stored. It is moved only after that. */
export class Marker {
  readonly #state: ChannelLink["state"];
  #time = 0;
  #stored = 0;
  #storedAt = Number.NEGATIVE_INFINITY;

  constructor({ state }: Pick<ChannelLink, "state">) {
    this.#state = state;
  }

  /** 0 where nothing was stored yet. */
  async load(): Promise<number> {
    const time = Number((await this.#state.get(KEY)) ?? 0);
    this.#time = this.#stored = Number.isSafeInteger(time) ? time : 0;
    return this.#time;
  }

  get time(): number {
    return this.#time;
  }

  /** Everything up to this time is stored. Stored itself at once, or with `save` later. */
  async advance(time: number, { now }: { readonly now: boolean }): Promise<void> {
    if (!Number.isSafeInteger(time) || time <= this.#time) return;
    this.#time = time;
    if (now || performance.now() - this.#storedAt > STORE_EVERY_MS) await this.save();
  }

  async save(): Promise<void> {
    if (this.#stored === this.#time) return;
    const time = this.#time;
    await this.#state.set(KEY, String(time));
    this.#stored = time;
    this.#storedAt = performance.now();
  }
}
