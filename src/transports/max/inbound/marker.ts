import type { ChannelLink } from "../../../core/transport/connector.ts";

const KEY = "storedUpTo";
const LINKED_KEY = "linkedAt";
/** A catch-up starts this much earlier, because messages of different chats may arrive out of order. */
export const OVERLAP_MS = 2 * 60_000;
/**
 * The marker is stored at most this often; after a crash, an older marker only means that more messages are emitted
 * twice.
 */
const STORE_EVERY_MS = 30_000;

/** The time, by MAX's clock, up to which every message is stored. Advanced only after storing. */
export class Marker {
  readonly #state: ChannelLink["state"];
  #time = 0;
  #linkedAt = 0;
  #stored = 0;
  #storedAt = Number.NEGATIVE_INFINITY;
  /** How many catch-ups in a row failed although the connection existed. */
  failedCatchUps = 0;

  constructor({ state }: Pick<ChannelLink, "state">) {
    this.#state = state;
  }

  /** 0 if nothing has been stored yet. */
  async load(): Promise<number> {
    this.#time = this.#stored = timeIn(await this.#state.get(KEY));
    this.#linkedAt = timeIn(await this.#state.get(LINKED_KEY));
    return this.#time;
  }

  get time(): number {
    return this.#time;
  }

  /** When the account was linked; messages from before it are never emitted. 0 if it is unknown. */
  get linkedAt(): number {
    return this.#linkedAt;
  }

  /** Stores when the account was linked. Has no effect if it is already stored. */
  async beginAt(time: number): Promise<void> {
    if (this.#linkedAt !== 0 || !Number.isSafeInteger(time)) return;
    await this.#state.set(LINKED_KEY, String(time));
    this.#linkedAt = time;
  }

  /**
   * Records that everything up to this time is stored. The marker itself is stored immediately with `now`, otherwise
   * later or by `save`.
   */
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

function timeIn(stored: string | null): number {
  const time = Number(stored ?? 0);
  return Number.isSafeInteger(time) ? time : 0;
}
