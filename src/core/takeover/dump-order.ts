import { derivedId, derivedIdAt } from "../../platform/ids.ts";
import type { DumpMessage } from "./dump-row.ts";

/** What distinguishes a message of a dump from all others, and where it stands in its chat. */
export interface Placed {
  /** Starts with the message's time, by which the retention of messages goes. */
  readonly id: string;
  /** Among the messages of its chat with the same time, in microseconds. */
  readonly place: number;
}

interface Moment {
  readonly ms: number;
  count: number;
  /** How often each content occurs; only where the dump has no ids. */
  readonly contents: Map<string, number>;
}

/** Dumps are sorted by time or by chat; in one that is neither, messages of the same time may change places. */
const MAX_CHATS = 20_000;

/**
 * Gives the messages of a dump their ids and places, in the dump's order. Times of many messengers are whole seconds, so
 * messages of a chat often have the same: these keep the dump's order, or the reverse if the dump begins with the newest.
 * The same dump gives the same results.
 */
export class DumpOrder {
  readonly #chats = new Map<string, Moment>();
  #isNewestFirst: boolean | null = null;

  place(messages: readonly DumpMessage[]): Placed[] {
    this.#isNewestFirst ??= directionOf(messages);
    return messages.map((message) => this.#placed(message));
  }

  #placed(message: DumpMessage): Placed {
    const moment = this.#momentOf(message);
    const { messageId } = message;
    const parts = messageId === null ? this.#partsOf(message, moment) : [messageId];
    const count = moment.count++;
    return {
      id: derivedIdAt(moment.ms, "dump", ...parts),
      place: this.#isNewestFirst === true ? -count : count,
    };
  }

  #momentOf({ channelId, chatType, chatId, sentAt }: DumpMessage): Moment {
    const key = `${channelId} ${chatType} ${chatId}`;
    const ms = sentAt.getTime();
    const known = this.#chats.get(key);
    if (known?.ms === ms) return known;
    const moment = { ms, count: 0, contents: new Map<string, number>() };
    // The chat used longest ago is dropped.
    this.#chats.delete(key);
    this.#chats.set(key, moment);
    if (this.#chats.size > MAX_CHATS) this.#chats.delete(this.#chats.keys().next().value ?? "");
    return moment;
  }

  #partsOf(message: DumpMessage, { contents }: Moment): string[] {
    const { channelId, chatType, chatId, isInbound, type, text, contentUri } = message;
    const content = derivedId(
      channelId,
      chatType,
      chatId,
      String(isInbound),
      type,
      text ?? "",
      contentUri ?? "",
    );
    const nth = (contents.get(content) ?? 0) + 1;
    contents.set(content, nth);
    return [content, String(nth)];
  }
}

/** By neighbours of the same chat, or of any if there are none; null: not known yet. */
function directionOf(messages: readonly DumpMessage[]): boolean | null {
  const pairs = messages.slice(1).map((later, index) => ({ earlier: messages[index], later }));
  const ofChat = pairs.filter(
    ({ earlier, later }) => earlier?.chatId === later.chatId && earlier.channelId === later.channelId,
  );
  for (const some of [ofChat, pairs]) {
    const trend = some.reduce(
      (sum, { earlier, later }) => sum + Math.sign(later.sentAt.getTime() - (earlier?.sentAt.getTime() ?? 0)),
      0,
    );
    if (trend !== 0) return trend < 0;
  }
  return null;
}
