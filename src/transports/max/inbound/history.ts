import { setTimeout as sleep } from "node:timers/promises";
import type { HistoryMessage, InboundMessage } from "../../../core/transport/events.ts";
import { fields, listOf } from "../../../platform/foreign/foreign-json.ts";
import { HistoryPlaces } from "../../kit/history-places.ts";
import { retryingVault } from "../../kit/retrying-vault.ts";
import type { MaxLink } from "../link.ts";
import { idIn } from "../people/ids.ts";
import type { People } from "../people/people.ts";
import { type MaxChat, readChat } from "../people/profile.ts";
import type { Timing } from "../timing.ts";
import { OP } from "../wire/opcodes.ts";
import { isFinal, type PatienceParts, patiently, reasonOf } from "./patience.ts";
import { placeInHistory } from "./receiver.ts";
import { messagesIn } from "./update.ts";

const PAGE = 100;
const AGAIN_MS = 30_000;

const readChats = fields({ chats: listOf(readChat) });

interface ListPlace {
  /** Chats whose last event is before this time are still to be listed. */
  readonly before: number;
  readonly isRead: boolean;
  /** Chats found so far. */
  readonly chats: number;
}

interface ChatPlace {
  /** Messages up to this time are still to be imported. */
  readonly upTo: number;
  /** The other side has read what was sent until then. */
  readonly readUpTo: number;
}

export interface HistoryParts extends PatienceParts {
  readonly link: MaxLink;
  readonly timing: Pick<Timing, "historyPauseMs">;
  readonly people: People;
  /** By MAX's clock. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** The messages that one of MAX's consists of; none for what is no message of a chat. */
  read(chatId: string, raw: unknown): Promise<readonly InboundMessage[]>;
}

/**
 * The import of an account's chats: first the list of chats is read, then each chat page by page, from the newest message
 * back. One request at a time, with a pause after each. Every position is in the vault.
 */
export class HistoryImport {
  readonly #parts: HistoryParts;
  readonly #places: HistoryPlaces<ListPlace, ChatPlace>;

  constructor(given: HistoryParts) {
    const { link, signal } = given;
    this.#parts = { ...given, ask: patiently(given) };
    this.#places = new HistoryPlaces(retryingVault(link, "MAX", signal));
  }

  /** Continues until everything is imported or the connection ends. Never rejects. */
  async run(): Promise<void> {
    const { signal, link } = this.#parts;
    while (!signal.aborted) {
      try {
        if (!(await this.#step())) return;
      } catch (error) {
        if (signal.aborted) return;
        link.log("info", "MAX: the import of the history waits", reasonOf(error));
        await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** One request. Returns false once there is nothing to be imported any more. */
  async #step(): Promise<boolean> {
    const { link, timing, signal } = this.#parts;
    const wish = await link.history();
    const places = this.#places;
    if (wish === null && !places.isLoaded) return false;
    await places.load();
    if (wish === null) {
      await places.clear();
      return false;
    }
    const since = wish.since.getTime();
    const list = places.list() ?? { before: this.#parts.now, isRead: false, chats: 0 };
    const chatId = places.nextChat();
    if (!list.isRead) await this.#readList(list, since);
    else if (chatId !== undefined) await this.#readChat(chatId, { since, list });
    else {
      await link.emit({ kind: "history", messages: [], isDone: true });
      return true;
    }
    await sleep(timing.historyPauseMs, undefined, { signal, ref: false });
    return true;
  }

  async #readList(place: ListPlace, since: number): Promise<void> {
    const { ask, people } = this.#parts;
    const { chats = [] } = readChats(await ask(OP.chatList, { marker: place.before })) ?? {};
    const known = chats.filter((chat) => (chat.lastEventTime ?? 0) > 0);
    for (const chat of chats) people.learnChat(chat);
    const wanted = known.filter(
      ({ id, lastEventTime = 0 }) =>
        id !== undefined && people.chatTypeOf(id) !== null && lastEventTime >= since,
    );
    const oldest = Math.min(place.before, ...known.map(({ lastEventTime = 0 }) => lastEventTime));
    const next: ListPlace = {
      before: oldest,
      isRead: known.length === 0 || oldest >= place.before || oldest < since,
      chats: place.chats + wanted.length,
    };
    await this.#places.foundChats(
      next,
      wanted.map((chat) => [chat.id ?? "", { upTo: this.#parts.now, readUpTo: readUpTo(chat, people.self) }]),
    );
  }

  async #readChat(
    chatId: string,
    { since, list }: { readonly since: number; readonly list: ListPlace },
  ): Promise<void> {
    const { link } = this.#parts;
    const place = this.#places.chat(chatId) ?? { upTo: this.#parts.now, readUpTo: 0 };
    const page = await this.#pageOf(chatId, place.upTo);
    const batch: HistoryMessage[] = [];
    for (const { raw } of page.filter(({ time }) => time >= since))
      batch.push(...(await this.#read(chatId, raw, place.readUpTo)));
    const oldest = page[0]?.time;
    const isRead = oldest === undefined || oldest < since;
    // Whether MAX includes the time itself is not documented: a page that brings nothing older ends a millisecond before.
    const upTo = oldest === undefined || oldest >= place.upTo ? place.upTo - 1 : oldest;
    await link.emit({ kind: "history", messages: batch, progress: this.#places.progress(list, isRead) });
    await this.#places.setChat(chatId, isRead ? null : { ...place, upTo });
  }

  async #read(chatId: string, raw: unknown, readUpTo: number): Promise<HistoryMessage[]> {
    try {
      const messages = await this.#parts.read(chatId, raw);
      return messages.map((message) => ({
        ...message,
        status: message.sentAt.getTime() <= readUpTo ? ("read" as const) : ("sent" as const),
      }));
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      this.#parts.link.log("warn", "MAX: a message of the history could not be parsed", {
        error: String(error),
      });
      return [];
    }
  }

  /** Oldest first; none if MAX does not give the chat's messages. */
  async #pageOf(
    chatId: string,
    from: number,
  ): Promise<readonly { readonly raw: unknown; readonly time: number }[]> {
    const { ask, link } = this.#parts;
    const page = { from, forward: 0, backward: PAGE, getMessages: true };
    try {
      const answer = await ask(OP.history, { chatId: idIn(chatId) ?? 0n, ...page });
      return messagesIn(answer)
        .flatMap((raw) => {
          const place = placeInHistory(raw);
          return place === undefined ? [] : [{ raw, time: place.time }];
        })
        .toSorted((a, b) => a.time - b.time);
    } catch (error) {
      if (!isFinal(error)) throw error;
      link.log("info", "MAX: the history of a chat is not available", reasonOf(error));
      return [];
    }
  }
}

/** A chat contains the time up to which each member has read. */
function readUpTo({ participants = {} }: MaxChat, self: string): number {
  const marks = Object.entries(participants).flatMap(([userId, mark]) =>
    userId !== self && typeof mark === "number" ? [mark] : [],
  );
  return Math.max(0, ...marks);
}
