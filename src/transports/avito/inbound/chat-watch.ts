import type { TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { type AvitoChannel, chatPath } from "../channel.ts";
import { isOwn, toEvent, unknownIn } from "../inbound.ts";
import { factsOf, keepFacts } from "../people.ts";
import { type AvitoChat, type AvitoMessage, readMessages } from "./update.ts";

const PAGE = 100;
/** The largest offset that Avito accepts. */
const MAX_OFFSET = 1_000;
/** A chat whose delay has grown beyond this is no longer checked for read receipts. */
const LONGEST_READ_MS = 6 * 3_600_000;

/** The number of chats checked for read receipts in one round. */
const READS_AT_ONCE = 20;
/** After a restart, chats whose last outgoing message is older than this are not checked. */
const READS_WITHIN_S = 3 * 86_400;
/** Avito allows deletion within an hour. */
const DELETABLE_S = 3_600;

/** A chat as returned by the list of chats. */
export type Listed = AvitoChat & { readonly id: string };

/** The list of chats has at most 1,100. */
const MAX_CHATS = 5_000;
/** After this many failures in a row, a chat is skipped. */
const TRIES = 3;

interface Watched {
  /** The chat's fingerprint in the list when it was last read. */
  readonly mark: string;
  /** When to check for read receipts next, and the current delay; null if no outgoing message is unread. */
  readonly reads: { readonly atMs: number; readonly pauseMs: number } | null;
  /** Unix seconds of the newest message known to be read. */
  readonly readUpTo: number;
  /** The stored facts about the chat, as JSON. */
  readonly about: string;
}

/** What a session knows about the chats that it polls. */
export class ChatWatch {
  readonly #channel: AvitoChannel;
  /** Least recently read first. */
  readonly #chats = new Map<string, Watched>();
  /** Chats that could not be read: the number of failures, and how many chats had been read before the first. */
  readonly #failures = new Map<string, { readonly count: number; readonly readBefore: number }>();
  #readCount = 0;

  constructor(channel: AvitoChannel) {
    this.#channel = channel;
  }

  /**
   * Returns the chats to read: those with messages since `since` (Unix seconds), those that changed, and some of
   * those that are due for a check of read receipts.
   */
  due(chats: readonly Listed[], since: number, now = performance.now()): readonly Listed[] {
    for (const chat of chats) if (!this.#chats.has(chat.id)) this.#addUnchanged(chat, since, now);
    const changed = chats.filter((chat) => this.#chats.get(chat.id)?.mark !== markOf(chat));
    const reads = chats.filter((chat) => !changed.includes(chat) && this.#isUnread(chat.id, now));
    const due = [...changed, ...reads.slice(0, READS_AT_ONCE)];
    const failuresOf = ({ id }: Listed): number => this.#failures.get(id)?.count ?? 0;
    return due.toSorted((a, b) => failuresOf(a) - failuresOf(b));
  }

  #isUnread(chatId: string, now: number): boolean {
    return (this.#chats.get(chatId)?.reads?.atMs ?? Number.POSITIVE_INFINITY) <= now;
  }

  /** Schedules the first check of an old chat at a random time: there may be a thousand chats. */
  #addUnchanged(chat: Listed, since: number, now: number): void {
    const { updated = 0, last_message } = chat;
    if (updated >= since) return;
    const isRecent = updated > Date.now() / 1000 - READS_WITHIN_S;
    const pauseMs = this.#channel.timing.firstReadMs * (1 + 15 * Math.random());
    const reads = last_message?.direction === "out" && isRecent ? { atMs: now + pauseMs, pauseMs } : null;
    this.#keep(chat.id, { mark: markOf(chat), reads, readUpTo: 0, about: "" });
  }

  /**
   * Reads a chat and emits its messages from `since` (Unix seconds) on, including echoes, and its read receipts.
   * Returns false if the chat must be read again: without emitting anything if a send into it is in progress, only
   * what precedes the first echo if an earlier session has just sent into it.
   */
  async readChat(chat: Listed, since: number): Promise<boolean> {
    const { link, sends, marks } = this.#channel;
    if (sends.isUnderWay(chat.id)) return false;
    const messages = await this.#fetch(chat.id, since);
    if (sends.isUnderWay(chat.id)) return false;
    const userId = link.credentials.user_id;
    const about = factsOf(chat, userId);
    const context = { chatId: chat.id, userId, about, now: new Date() };
    const found = messages.filter((message) => this.#isNew(message, since)).toReversed();
    const firstOwn = found.findIndex((message) => isOwn(message, userId));
    const isHeld = firstOwn >= 0 && (await marks.isHeld(chat.id));
    // What follows an own message waits with it: a chat's messages keep their order.
    const fresh = isHeld ? found.slice(0, firstOwn) : found;
    // The response of `GET v3 …/messages/` is an object or, as in the API description, a bare list.
    const events = fresh.map((message) => toEvent(message, context)).filter((event) => event !== null);
    if (this.#chats.get(chat.id)?.about !== JSON.stringify(about)) await keepFacts(link, chat.id, chat);
    await Promise.all([...events, ...this.#readMarks(chat, messages)].map((event) => link.emit(event)));
    // Otherwise the webhook reports them.
    if (link.callbackUrl === null) await this.#reportUnknown(fresh);
    if (isHeld) return false;
    this.#remember(chat, messages, JSON.stringify(about));
    return true;
  }

  async #reportUnknown(messages: readonly AvitoMessage[]): Promise<void> {
    const unknown = messages.flatMap(unknownIn);
    await Promise.all(unknown.map(({ kind, sample }) => this.#channel.link.reportUnknown(kind, sample)));
  }

  /** Does not read the chat before it changes again. */
  skip(chat: Listed): void {
    const { readUpTo = 0, about = "" } = this.#chats.get(chat.id) ?? {};
    this.#keep(chat.id, { mark: markOf(chat), reads: null, readUpTo, about });
  }

  /**
   * Records a failure to read a chat. Returns whether to skip the chat. If Avito itself may have failed, that requires
   * that another chat could be read meanwhile.
   */
  fail({ id }: Listed, isRefused: boolean): boolean {
    const { count = 0, readBefore = this.#readCount } = this.#failures.get(id) ?? {};
    this.#failures.set(id, { count: count + 1, readBefore });
    return count + 1 >= TRIES && (isRefused || this.#readCount > readBefore);
  }

  #keep(chatId: string, watched: Watched): void {
    this.#failures.delete(chatId);
    this.#chats.delete(chatId);
    this.#chats.set(chatId, watched);
    const [oldest] = this.#chats.keys();
    if (this.#chats.size > MAX_CHATS && oldest !== undefined) {
      this.#chats.delete(oldest);
      this.#failures.delete(oldest);
    }
  }

  #isNew({ id, created = 0, type }: AvitoMessage, since: number): boolean {
    if (id === undefined) return false;
    if (type === "deleted") return created >= since - DELETABLE_S;
    return created >= since && this.#channel.sends.messageIdOf(id) === undefined;
  }

  async #fetch(chatId: string, since: number): Promise<readonly AvitoMessage[]> {
    const { link, client, signal } = this.#channel;
    const found: AvitoMessage[] = [];
    for (let offset = 0; offset <= MAX_OFFSET; offset += PAGE) {
      const query = { limit: PAGE, offset };
      const page = readMessages(
        await client.call("GET", chatPath(link, "v3", chatId, "/messages/"), { query, signal }),
      );
      found.push(...page);
      if (page.length < PAGE || (page.at(-1)?.created ?? 0) < since) break;
    }
    return found;
  }

  #readMarks(chat: Listed, messages: readonly AvitoMessage[]): TransportEvent[] {
    const { link, sends } = this.#channel;
    const known = this.#chats.get(chat.id)?.readUpTo ?? 0;
    const read = messages.filter(
      (message) =>
        isOwn(message, link.credentials.user_id) && isRead(message) && (message.created ?? 0) >= known,
    );
    const [newest] = read;
    if (newest?.id === undefined) return [];
    const place = { chatType: "avito", chatId: chat.id } as const;
    const at = dateFromUnix(newest.read);
    // Messages of this session may not be stored yet, so they are also referenced by our message id.
    const single = read.flatMap(({ id = "" }): TransportEvent[] => {
      const messageId = sends.messageIdOf(id);
      const ref = { ...place, externalId: id };
      return messageId === undefined
        ? []
        : [{ kind: "receipt", ref: { ...ref, messageId }, status: "read", at }];
    });
    return [{ kind: "readUpTo", ...place, upTo: { externalId: newest.id }, at }, ...single];
  }

  #remember(chat: Listed, messages: readonly AvitoMessage[], about: string): void {
    const { link, timing } = this.#channel;
    const known = this.#chats.get(chat.id);
    const own = messages.filter((message) => isOwn(message, link.credentials.user_id));
    const mark = markOf(chat);
    const pauseMs =
      known?.mark === mark ? (known.reads?.pauseMs ?? timing.firstReadMs) * 2 : timing.firstReadMs;
    const waits = own[0] !== undefined && !isRead(own[0]) && pauseMs <= LONGEST_READ_MS;
    this.#readCount++;
    this.#keep(chat.id, {
      about,
      mark,
      reads: waits ? { atMs: performance.now() + pauseMs, pauseMs } : null,
      readUpTo: Math.max(known?.readUpTo ?? 0, ...own.filter(isRead).map(({ created = 0 }) => created)),
    });
  }
}

function isRead({ read, is_read }: AvitoMessage): boolean {
  return read !== undefined || is_read === true;
}

/** Changes with every message, and when the last message is deleted. */
function markOf({ updated, last_message }: AvitoChat): string {
  return JSON.stringify([updated, last_message?.id, last_message?.type]);
}
