import { createThrottleScope, type ThrottleScope } from "../kit/throttle-scope.ts";

/** Viber states no delay; a refusal counts together with others for this long. */
const MEMORY_MS = 10_000;
/** After this long without a refusal, a chat's count starts again: Viber counts the messages of an hour. */
const HOUR_MS = 3_600_000;
/** A refusal within this time of the first one may still be that of the bot's rate. */
const CERTAIN_AFTER_MS = 5_000;
const MAX_CHATS = 1_000;

export interface Flood {
  readonly floodScope: "chat" | "channel";
  readonly isUnanswered: boolean;
}

/**
 * Distinguishes the two meanings of "too many requests": the bot sends too fast, or a person has not answered a hundred
 * messages. The bot's rate recovers within seconds, so a chat that is refused again later is one that did not answer.
 */
export class Floods {
  readonly #scopeOf: ThrottleScope;
  readonly #now: () => number;
  /** When each chat was first refused, and last. */
  readonly #chats = new Map<string, { readonly first: number; readonly last: number }>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#scopeOf = createThrottleScope(now);
  }

  refused(chatId: string): Flood {
    const now = this.#now();
    const known = this.#chats.get(chatId);
    const first = known !== undefined && now - known.last < HOUR_MS ? known.first : now;
    this.#chats.delete(chatId);
    this.#chats.set(chatId, { first, last: now });
    const [oldest] = this.#chats.keys();
    if (this.#chats.size > MAX_CHATS && oldest !== undefined) this.#chats.delete(oldest);
    const floodScope = this.#scopeOf(chatId, MEMORY_MS);
    return { floodScope, isUnanswered: floodScope === "chat" && now - first >= CERTAIN_AFTER_MS };
  }

  accepted(chatId: string): void {
    this.#chats.delete(chatId);
  }
}
