import { serialize } from "node:v8";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { fields, listOf } from "../../../platform/foreign/foreign-json.ts";
import { isPassing, Refusal } from "../errors.ts";
import { idIn } from "../people/ids.ts";
import type { Ask, People } from "../people/people.ts";
import { type MaxChat, readChat } from "../people/profile.ts";
import { OP } from "../wire/opcodes.ts";
import { OVERLAP_MS } from "./marker.ts";
import { placeInHistory, type Receiver } from "./receiver.ts";
import { messagesIn } from "./update.ts";

/** The number of chats that the web client requests at login. */
export const CHATS_AT_LOGIN = 40;
const PAGE = 100;
/** This many earlier messages are also checked, because they may have been changed meanwhile. */
const LOOK_BACK = 30;
/** A chat with more pages than this is continued at the next catch-up. */
const MOST_PAGES = 10_000;

const readChats = fields({ chats: listOf(readChat) });

export interface CatchUpParts {
  readonly ask: Ask;
  readonly people: People;
  readonly receiver: Pick<Receiver, "takeHistory" | "emit">;
  /** The time up to which everything is stored. */
  readonly since: number;
  /** When the account was linked; messages from before it are not emitted. */
  readonly linkedAt: number;
  /** Before the next attempt after `failures` consecutive refusals. Rejects if the connection is lost. */
  pause(failures: number): Promise<void>;
  log(level: "warn", message: string, details: Readonly<Record<string, unknown>>): void;
}

/**
 * Fetches the messages that these chats received during an outage, chat by chat, and resolves when all are stored.
 * Throws `NoResponse` if the connection is lost; the catch-up is then incomplete.
 */
export async function catchUp(given: CatchUpParts, chats: readonly MaxChat[]): Promise<void> {
  const parts = { ...given, ask: patiently(given) };
  const from = parts.since - OVERLAP_MS;
  for (const chat of [...chats, ...(await otherChats(parts, chats))]) {
    const { id } = chat;
    parts.people.learnChat(chat);
    const changed = changedAt(chat);
    // A chat without a time may have changed.
    const isOld = changed > 0 && changed <= from;
    if (id !== undefined && parts.people.chatTypeOf(id) !== null && !isOld)
      await catchUpSafely(parts, id, chat);
  }
}

/** Repeats requests that MAX refuses for a while. What is skipped now would never be fetched. */
function patiently({ ask, pause, log }: CatchUpParts): Ask {
  return async (opcode, payload) => {
    for (let failures = 1; ; failures++) {
      try {
        return await ask(opcode, payload);
      } catch (error) {
        if (!(error instanceof Refusal && isPassing(error))) throw error;
        if (failures === 1)
          log("warn", "MAX temporarily refuses to return missed messages", { key: error.key });
        await pause(failures);
      }
    }
  };
}

function changedAt({ lastMessage, lastEventTime = 0, modified = 0 }: MaxChat): number {
  return Math.max(lastMessage?.time ?? 0, lastEventTime, modified);
}

/** A login returns at most this many chats; the others are listed, newest first. */
async function otherChats({ ask, since }: CatchUpParts, chats: readonly MaxChat[]): Promise<MaxChat[]> {
  const found = new Map<string, MaxChat>();
  const known = new Set(chats.map(({ id }) => id));
  let marker = Math.min(...chats.map((chat) => chat.lastEventTime ?? 0));
  for (let page = chats.length; page >= CHATS_AT_LOGIN && marker > since - OVERLAP_MS; ) {
    const { chats: more = [] } = readChats(await ask(OP.chatList, { marker })) ?? {};
    const fresh = more.filter(({ id }) => id !== undefined && !known.has(id) && !found.has(id));
    for (const chat of fresh) found.set(chat.id ?? "", chat);
    page = fresh.length === 0 ? 0 : CHATS_AT_LOGIN;
    marker = Math.min(marker, ...fresh.map((chat) => chat.lastEventTime ?? 0));
  }
  return [...found.values()];
}

/** A chat that MAX no longer shows must not block the others. */
async function catchUpSafely(parts: CatchUpParts, chatId: string, chat: MaxChat): Promise<void> {
  try {
    await fetchChat(parts, chatId, chat);
    for (const event of marksOf(parts.people, chatId, chat)) await parts.receiver.emit(event);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    parts.log("warn", "MAX: the messages of a chat were refused", { key: error.key });
  }
}

async function fetchChat(parts: CatchUpParts, chatId: string, { lastMessage }: MaxChat): Promise<void> {
  const seen = new Set<string>();
  await fetchForward(parts, chatId, seen);
  const isComplete = (lastMessage?.time ?? 0) <= parts.since || seen.has(lastMessage?.id ?? "");
  // For a server that pages only backwards.
  if (!isComplete) await fetchBackward(parts, chatId, lastMessage?.time ?? Date.now());
}

async function fetchForward(parts: CatchUpParts, chatId: string, seen: Set<string>): Promise<void> {
  let from = parts.since - OVERLAP_MS;
  for (let page = 0; page < MOST_PAGES; page++) {
    const backward = page === 0 ? LOOK_BACK : 0;
    const found = await askHistory(parts, chatId, { from, forward: PAGE, backward });
    const fresh = found.filter(({ key }) => !seen.has(key));
    await emitNews(parts, chatId, fresh);
    for (const { key } of fresh) seen.add(key);
    const isFull = found.filter(({ time }) => time >= from).length >= PAGE;
    if (fresh.length === 0 && !isFull) return;
    // It is not known whether MAX includes `from` itself. If more messages have the same time than fit on a page, the
    // rest cannot be requested.
    const newest = Math.max(...found.map(({ time }) => time));
    from = fresh.length === 0 ? from + 1 : Math.max(from, newest - 1);
  }
}

async function fetchBackward(parts: CatchUpParts, chatId: string, newest: number): Promise<void> {
  const found = new Map<string, Found>();
  let from = newest + 1;
  for (let page = 0; page < MOST_PAGES; page++) {
    const part = await askHistory(parts, chatId, { from, forward: 0, backward: PAGE });
    const fresh = part.filter(({ key }) => !found.has(key));
    for (const each of fresh) found.set(each.key, each);
    const oldest = Math.min(from, ...part.filter(({ isReadable }) => isReadable).map(({ time }) => time));
    if (fresh.length === 0 || oldest <= parts.since - OVERLAP_MS) break;
    from = oldest;
  }
  const inOrder = [...found.values()].toSorted((a, b) => a.time - b.time);
  const missed = inOrder.filter(({ isReadable, time }) => !isReadable || time > parts.since - OVERLAP_MS);
  await emitNews(parts, chatId, missed);
}

/** Emits the missed messages, and edits and deletions of older ones. */
async function emitNews(parts: CatchUpParts, chatId: string, found: readonly Found[]): Promise<void> {
  const after = Math.max(parts.since - OVERLAP_MS, parts.linkedAt);
  // An unreadable message becomes a dead letter.
  const news = found.filter(({ isReadable, time, isChanged }) => !isReadable || isChanged || time > after);
  await parts.receiver.takeHistory(
    chatId,
    news.map(({ raw }) => raw),
  );
}

interface Found {
  /** The id, or the content of an unreadable message. */
  readonly key: string;
  readonly isReadable: boolean;
  /** 0 for an unreadable message. */
  readonly time: number;
  readonly isChanged: boolean;
  readonly raw: unknown;
}

interface Page {
  readonly from: number;
  readonly forward: number;
  readonly backward: number;
}

async function askHistory({ ask }: CatchUpParts, chatId: string, page: Page): Promise<readonly Found[]> {
  const answer = await ask(OP.history, { chatId: idIn(chatId) ?? 0n, ...page, getMessages: true });
  const found = messagesIn(answer).map((raw): Found => {
    const place = placeInHistory(raw);
    const { id: key = serialize(raw).toString("latin1"), time = 0, isChanged = false } = place ?? {};
    return { key, isReadable: place !== undefined, time, isChanged, raw };
  });
  return found.toSorted((a, b) => a.time - b.time);
}

/** A chat contains the read position of each person. */
function marksOf(people: People, chatId: string, { participants = {} }: MaxChat): TransportEvent[] {
  const chatType = people.chatTypeOf(chatId);
  if (chatType === null) return [];
  return Object.entries(participants).flatMap(([userId, mark]) => {
    const isTime = typeof mark === "number" && mark > Date.UTC(2_000, 0);
    if (userId === people.self || !isTime) return [];
    const upTo = { sentAt: dateFromUnix(mark) };
    return [{ kind: "readUpTo" as const, chatType, chatId, upTo, at: new Date() }];
  });
}
