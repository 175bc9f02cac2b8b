import { Long, type tl } from "@mtcute/core";
import type { VaultEntry } from "../../../core/transport/connector.ts";
import type { HistoryMessage } from "../../../core/transport/events.ts";
import { refusalIn, secondsToWait } from "../errors.ts";
import { ask, type Line } from "../line.ts";
import type { TgapiLink } from "../link.ts";
import { chatIdOfPeer, type PeerBook } from "../people/peer-book.ts";
import type { Timing } from "../timing.ts";

/** Chats whose history is still to be imported, by chat id; "": how far the list of chats was read. */
const FAMILY = "history";
const LIST = "";
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
  /** Chats that are still to be imported, with this one. */
  readonly left: number;
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
  /** What the vault has; null: not read yet. */
  #kept: Map<string, Uint8Array> | null = null;
  /** Failures in a row with one chat that Telegram did not explain. */
  #failures = 0;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
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
    this.#kept ??= new Map(await link.vault.readAll(FAMILY));
    const kept = this.#kept;
    if (wish === null) {
      await this.#write([...kept.keys()].map((id) => ({ family: FAMILY, id, value: null })));
      return false;
    }
    const since = Math.floor(wish.since.getTime() / 1_000);
    const list = placeIn(kept.get(LIST), START);
    const chatId = kept.keys().find((id) => id !== LIST);
    if (!list.isRead) await this.#readList(list, since);
    else if (chatId !== undefined) await this.#tryChat(chatId, { since, list, left: kept.size - 1 });
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
    await this.#write([
      ...wanted.map((each) =>
        entryOf(chatIdOfPeer(each.peer), { before: 0, readUpTo: each.readOutboxMaxId }),
      ),
      entryOf(LIST, next),
    ]);
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
      await this.#write([{ family: FAMILY, id: chatId, value: null }]);
    }
  }

  async #readChat(chatId: string, { since, list, left }: Reading): Promise<void> {
    const { link, read, flush } = this.#parts;
    const place = placeIn(this.#kept?.get(chatId), FIRST);
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
    const progress = ((list.chats - left + (isRead ? 1 : 0)) * 100) / Math.max(1, list.chats);
    await link.emit({ kind: "history", messages: batch, progress: Math.min(99, progress) });
    await this.#write([
      isRead ? { family: FAMILY, id: chatId, value: null } : entryOf(chatId, { ...place, before: oldest.id }),
    ]);
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

  async #write(entries: readonly VaultEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#parts.link.vault.write(entries);
    for (const { id, value } of entries) {
      if (value === null) this.#kept?.delete(id);
      else this.#kept?.set(id, value);
    }
  }
}

const FIRST: ChatPlace = { before: 0, readUpTo: 0 };

function placeIn<T>(stored: Uint8Array | undefined, otherwise: T): T {
  return stored === undefined ? otherwise : (JSON.parse(Buffer.from(stored).toString()) as T);
}

function entryOf(id: string, place: ListPlace | ChatPlace): VaultEntry {
  return { family: FAMILY, id, value: Buffer.from(JSON.stringify(place)) };
}

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
