import { Long, type tl } from "@mtcute/core";
import type { HistoryMessage } from "../../../core/transport/events.ts";
import { HistoryPlaces } from "../../kit/history-places.ts";
import { refusalIn, secondsToWait } from "../errors.ts";
import { ask, type Line } from "../line.ts";
import type { TgapiLink } from "../link.ts";
import { chatIdOfPeer, type PeerBook } from "../people/peer-book.ts";
import type { Timing } from "../timing.ts";

const PAGE = 100;
/** After a failure that is not Telegram's answer, such as a lost connection. */
const AGAIN_MS = 10_000;
/** Telegram's longest waits are those of a day. */
const LONGEST_WAIT_S = 86_400;
const MOST_FAILURES = 5;

/** How far the list of chats was read: it is sorted by the newest message, which names the next page. */
interface ListPlace {
  readonly date: number;
  readonly messageId: number;
  readonly chatId: string;
  readonly isRead: boolean;
  /** Chats found so far. */
  readonly chats: number;
}
const START: ListPlace = { date: 0, messageId: 0, chatId: "", isRead: false, chats: 0 };

interface ChatPlace {
  /** Messages with smaller ids are still to be imported; 0: all. */
  readonly before: number;
  /** The newest message of the owner that the person has read. */
  readonly readUpTo: number;
}

interface Reading {
  /** Unix seconds. */
  readonly since: number;
  readonly list: ListPlace;
}

export interface HistoryParts {
  readonly link: Pick<TgapiLink, "emit" | "history" | "log" | "vault">;
  readonly timing: Pick<Timing, "callMs" | "historyPauseMs">;
  readonly book: Pick<PeerBook, "inputPeer">;
  readonly signal: AbortSignal;
  client(): Line["client"] | null;
  /** The messages of one of Telegram's; none for what is no message of a chat. */
  read(message: tl.TypeMessage): Promise<readonly HistoryMessage[]>;
  /** Stores what `read` has noted. */
  flush(): Promise<void>;
  pause(ms: number): Promise<void>;
}

/**
 * The import of an account's chats: first the list of chats is read, then each chat page by page, from the newest message
 * back. One request at a time, with a pause after each; Telegram's own waits are kept. Every position is in the vault.
 */
export class HistoryImport {
  readonly #parts: HistoryParts;
  #isRunning = false;
  readonly #places: HistoryPlaces<ListPlace, ChatPlace>;
  /** Failures in a row with one chat that Telegram did not explain. */
  #failures = 0;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#places = new HistoryPlaces(parts.link.vault);
  }

  /** Continues until everything is imported or the session ends. Never rejects; without effect while it runs. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { signal, link, pause } = this.#parts;
    while (!signal.aborted) {
      try {
        if (!(await this.#step())) return;
      } catch (error) {
        if (signal.aborted) return;
        const waitMs = waitAfter(error);
        link.log("info", "Telegram: the import of the history waits", { error: String(error), waitMs });
        await pause(waitMs).catch(() => undefined);
      }
    }
  }

  /** One request. Returns false once there is nothing to be imported any more. */
  async #step(): Promise<boolean> {
    const { link, timing, pause } = this.#parts;
    const wish = await link.history();
    const places = this.#places;
    await places.load();
    if (wish === null) {
      await places.clear();
      return false;
    }
    const since = Math.floor(wish.since.getTime() / 1_000);
    const list = places.list() ?? START;
    const chatId = places.nextChat();
    if (!list.isRead) await this.#readList(list, since);
    else if (chatId !== undefined) await this.#tryChat(chatId, { since, list });
    else {
      await link.emit({ kind: "history", messages: [], isDone: true });
      return true;
    }
    await pause(timing.historyPauseMs);
    return true;
  }

  async #readList(place: ListPlace, since: number): Promise<void> {
    const offsetPeer = (await this.#peer(place.chatId)) ?? { _: "inputPeerEmpty" };
    const answer = await this.#ask({
      _: "messages.getDialogs",
      offsetDate: place.date,
      offsetId: place.messageId,
      offsetPeer,
      limit: PAGE,
      hash: Long.ZERO,
    });
    if (!("dialogs" in answer)) throw new Error("Telegram returned no chats");
    const dates = new Map(answer.messages.map((each) => [keyOf(each), "date" in each ? each.date : 0]));
    const posts = new Set(
      answer.chats.flatMap((chat) =>
        chat._ === "channel" && chat.broadcast === true ? [`-100${chat.id}`] : [],
      ),
    );
    const dialogs = answer.dialogs.filter((each) => each._ === "dialog");
    const dateOf = (dialog: tl.RawDialog): number =>
      dates.get(`${chatIdOfPeer(dialog.peer)} ${dialog.topMessage}`) ?? 0;
    const wanted = dialogs.filter((each) => dateOf(each) >= since && !posts.has(chatIdOfPeer(each.peer)));
    const last = dialogs.at(-1);
    const isLast = answer._ === "messages.dialogs" || last === undefined || dialogs.length === 0;
    const next: ListPlace = {
      date: last === undefined ? 0 : dateOf(last),
      messageId: last?.topMessage ?? 0,
      chatId: last === undefined ? "" : chatIdOfPeer(last.peer),
      isRead: isLast || (last !== undefined && dateOf(last) < since) || isSame(last, place),
      chats: place.chats + wanted.length,
    };
    await this.#places.foundChats(
      next,
      wanted.map((each) => [chatIdOfPeer(each.peer), { before: 0, readUpTo: each.readOutboxMaxId }]),
    );
  }

  /** A chat that fails again and again is left out, so that it does not hold up the others. */
  async #tryChat(chatId: string, reading: Reading): Promise<void> {
    try {
      await this.#readChat(chatId, reading);
      this.#failures = 0;
    } catch (error) {
      const { signal, link, client } = this.#parts;
      const isTheirs = !signal.aborted && client() !== null && waitOf(error) === null;
      if (!isTheirs || ++this.#failures < MOST_FAILURES) throw error;
      link.log("warn", "Telegram: the history of a chat is left out", { error: String(error) });
      this.#failures = 0;
      await this.#places.setChat(chatId, null);
    }
  }

  async #readChat(chatId: string, { since, list }: Reading): Promise<void> {
    const { link, read, flush } = this.#parts;
    const place = this.#places.chat(chatId) ?? FIRST;
    const messages = await this.#pageOf(chatId, place.before);
    const found = messages.filter((each) => each._ !== "messageEmpty" && each.date >= since);
    const batch: HistoryMessage[] = [];
    for (const message of found.toReversed()) {
      const status = message.id <= place.readUpTo ? ("read" as const) : ("sent" as const);
      for (const each of await read(message)) batch.push({ ...each, status });
    }
    await flush();
    const oldest = messages.at(-1);
    const isRead = oldest === undefined || found.length < messages.length || messages.length < PAGE;
    await link.emit({ kind: "history", messages: batch, progress: this.#places.progress(list, isRead) });
    await this.#places.setChat(chatId, isRead ? null : { ...place, before: oldest.id });
  }

  /** Newest first; none if the account may not read the chat any more. */
  async #pageOf(chatId: string, before: number): Promise<readonly tl.TypeMessage[]> {
    const peer = await this.#peer(chatId);
    if (peer === null) return [];
    try {
      const answer = await this.#ask({
        _: "messages.getHistory",
        peer,
        offsetId: before,
        offsetDate: 0,
        addOffset: 0,
        limit: PAGE,
        maxId: 0,
        minId: 0,
        hash: Long.ZERO,
      });
      return "messages" in answer ? answer.messages : [];
    } catch (error) {
      const refusal = refusalIn(error);
      // 400 and 403 are about this chat: it was left, or the account was removed from it.
      if (refusal === null || (refusal.code !== 400 && refusal.code !== 403)) throw error;
      this.#parts.link.log("info", "Telegram: the history of a chat is not available", {
        error: refusal.text,
      });
      return [];
    }
  }

  async #peer(chatId: string): Promise<tl.TypeInputPeer | null> {
    return chatId === "" ? null : this.#parts.book.inputPeer(chatId);
  }

  #ask<T extends tl.RpcMethod>(request: T) {
    const { timing, signal, client } = this.#parts;
    const connected = client();
    if (connected === null) throw new Error("There is no connection");
    return ask({ client: connected, callMs: timing.callMs, signal }, request, signal);
  }
}

const FIRST: ChatPlace = { before: 0, readUpTo: 0 };

/** Two supergroups may have messages of the same id. */
function keyOf(message: tl.TypeMessage): string {
  const peer = "peerId" in message ? message.peerId : undefined;
  return `${peer === undefined ? "" : chatIdOfPeer(peer)} ${message.id}`;
}

/** A page that ends where the one before did would be repeated for ever. */
function isSame(last: tl.RawDialog | undefined, { chatId, messageId }: ListPlace): boolean {
  return last !== undefined && chatIdOfPeer(last.peer) === chatId && last.topMessage === messageId;
}

function waitAfter(error: unknown): number {
  return waitOf(error) ?? AGAIN_MS;
}

/** How long Telegram asks to wait; null: it does not. */
function waitOf(error: unknown): number | null {
  const refusal = refusalIn(error);
  const seconds = refusal === null ? null : secondsToWait(refusal);
  return seconds === null ? null : Math.min(seconds, LONGEST_WAIT_S) * 1_000 + 1_000;
}
