import type { TransportEvent } from "../../core/transport/events.ts";
import { dateFromUnix } from "../../platform/foreign-date.ts";
import { type AvitoChannel, chatPath } from "./channel.ts";
import { isOwn, toEvent } from "./inbound.ts";
import { factsOf, keepFacts } from "./people.ts";
import { type AvitoChat, type AvitoMessage, readMessages } from "./update.ts";

const PAGE = 100;
/** The largest offset that Avito takes. */
const MAX_OFFSET = 1_000;
/** A chat that nobody reads is asked no longer. */
const LONGEST_READ_MS = 6 * 3_600_000;

/** So many chats are asked for read marks in one round. */
const READS_AT_ONCE = 20;
/** Messages of ours that nobody read for so long are not asked for after a restart. */
const READS_WITHIN_S = 3 * 86_400;
/** Avito lets people delete a message for an hour. */
const DELETABLE_S = 3_600;

/** A chat as the list of chats has it. */
export type Listed = AvitoChat & { readonly id: string };

interface Watched {
  /** What the list of chats said when the chat was read last. */
  readonly mark: string;
  /** When to ask for read marks next, and how long to wait after that; nothing of ours is unread: null. */
  readonly reads: { readonly atMs: number; readonly pauseMs: number } | null;
  /** Unix seconds of the newest message that is known to be read. */
  readonly readUpTo: number;
  /** What was kept of the chat, as JSON. */
  readonly about: string;
}

/** What a session knows of the chats that it looks at. */
export class ChatWatch {
  readonly #channel: AvitoChannel;
  readonly #chats = new Map<string, Watched>();

  constructor(channel: AvitoChannel) {
    this.#channel = channel;
  }

  /**
   * The chats to look at: where something was written since (Unix seconds), or changed, and some of those where our
   * messages may have been read meanwhile.
   */
  due(chats: readonly Listed[], since: number, now = performance.now()): readonly Listed[] {
    for (const chat of chats) if (!this.#chats.has(chat.id)) this.#meet(chat, since, now);
    const changed = chats.filter((chat) => this.#chats.get(chat.id)?.mark !== markOf(chat));
    const reads = chats.filter((chat) => !changed.includes(chat) && this.#isUnread(chat.id, now));
    return [...changed, ...reads.slice(0, READS_AT_ONCE)];
  }

  #isUnread(chatId: string, now: number): boolean {
    return (this.#chats.get(chatId)?.reads?.atMs ?? Number.POSITIVE_INFINITY) <= now;
  }

  /** A chat without news is not read at once: there may be a thousand of them. */
  #meet(chat: Listed, since: number, now: number): void {
    const { updated = 0, last_message } = chat;
    if (updated >= since) return;
    const isRecent = updated > Date.now() / 1000 - READS_WITHIN_S;
    const pauseMs = this.#channel.timing.firstReadMs * (1 + 15 * Math.random());
    const reads = last_message?.direction === "out" && isRecent ? { atMs: now + pauseMs, pauseMs } : null;
    this.#chats.set(chat.id, { mark: markOf(chat), reads, readUpTo: 0, about: "" });
  }

  /**
   * Reads a chat: tells its messages from `since` on (Unix seconds), ours too where they were written elsewhere, and which
   * of ours were read. False when a message of ours is on its way into the chat, and nothing was done.
   */
  async look(chat: Listed, since: number): Promise<boolean> {
    const { link, sends } = this.#channel;
    if (sends.isUnderWay(chat.id)) return false;
    const messages = await this.#fetch(chat.id, since);
    if (sends.isUnderWay(chat.id)) return false;
    const userId = link.credentials.user_id;
    const about = factsOf(chat, userId);
    const context = { chatId: chat.id, userId, about, now: new Date() };
    const news = messages.filter((message) => this.#isNews(message, since));
    // Oldest first, as they were written.
    const told = news.toReversed().map((message) => toEvent(message, context));
    if (this.#chats.get(chat.id)?.about !== JSON.stringify(about)) await keepFacts(link, chat.id, chat);
    await Promise.all([...told, ...this.#readMarks(chat, messages)].map((event) => link.emit(event)));
    this.#remember(chat, messages, JSON.stringify(about));
    return true;
  }

  #isNews({ id, created = 0, type }: AvitoMessage, since: number): boolean {
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
    // Those of this session may not be stored yet, so they are named by our id, too.
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
    this.#chats.set(chat.id, {
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

/** Changes with every message, and when the last one is deleted. */
function markOf({ updated, last_message }: AvitoChat): string {
  return JSON.stringify([updated, last_message?.id, last_message?.type]);
}
