import { serialize } from "node:v8";
import type { TransportEvent } from "../../../core/transport/events.ts";
import { dateFromUnix } from "../../../platform/foreign/foreign-date.ts";
import { fields, listOf } from "../../../platform/foreign/foreign-json.ts";
import { idIn } from "../people/ids.ts";
import type { People } from "../people/people.ts";
import { type MaxChat, readChat } from "../people/profile.ts";
import { OP } from "../wire/opcodes.ts";
import { OVERLAP_MS } from "./marker.ts";
import { isFinal, isUncertain, type PatienceParts, patiently, reasonOf } from "./patience.ts";
import { placeInHistory, type Receiver } from "./receiver.ts";
import { messagesIn } from "./update.ts";

/** The number of chats that the web client requests at login. */
export const CHATS_AT_LOGIN = 40;
const PAGE = 100;
/** This many earlier messages are also checked, because they may have been changed meanwhile. */
const LOOK_BACK = 30;
/** Ends the requests to a server whose pages do not end. The rest of such a chat is not fetched. */
const MOST_PAGES = 10_000;

const readChats = fields({ chats: listOf(readChat) });

export interface CatchUpParts extends PatienceParts {
  readonly people: People;
  readonly receiver: Pick<Receiver, "takeHistory" | "emit">;
  /** The time up to which everything is stored. */
  readonly since: number;
  /** When the account was linked; messages from before it are not emitted. */
  readonly linkedAt: number;
  /** Skips what MAX does not return. Otherwise this may be an outage, and what is skipped would be lost. */
  readonly maySkip: boolean;
}

/**
 * Fetches the messages that these chats received during an outage, chat by chat, and resolves when all are stored.
 * Throws if the connection is lost, or if MAX does not return something that may not be skipped; the catch-up is then
 * incomplete. One chat that is not returned does not block the others.
 */
export async function catchUp(given: CatchUpParts, chats: readonly MaxChat[]): Promise<void> {
  const parts = { ...given, ask: patiently(given) };
  const from = parts.since - OVERLAP_MS;
  const missing: unknown[] = [];
  const orSkip = async (warning: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isFinal(error) && !isUncertain(error)) throw error;
      if (isFinal(error) || parts.maySkip) parts.log("warn", warning, reasonOf(error));
      else if (missing.push(error) > 1) throw error;
    }
  };
  const others = new Map<string, MaxChat>();
  // A login returns at most this many chats; the others are listed, newest first.
  if (chats.length >= CHATS_AT_LOGIN)
    await orSkip("MAX: other chats are skipped", () => listChats(parts, chats, others));
  for (const chat of [...chats, ...others.values()]) {
    const { id } = chat;
    parts.people.learnChat(chat);
    const changed = changedAt(chat);
    // A chat without a time may have changed.
    const isOld = changed > 0 && changed <= from;
    if (id !== undefined && parts.people.chatTypeOf(id) !== null && !isOld)
      await orSkip("MAX: messages of a chat are skipped", () => fetchChat(parts, id, chat));
  }
  if (missing.length > 0) throw missing[0];
}

function changedAt({ lastMessage, lastEventTime = 0, modified = 0 }: MaxChat): number {
  return Math.max(lastMessage?.time ?? 0, lastEventTime, modified);
}

/** Adds the chats beyond those of the login to `found`. */
async function listChats(
  { ask, since }: CatchUpParts,
  chats: readonly MaxChat[],
  found: Map<string, MaxChat>,
): Promise<void> {
  const known = new Set(chats.map(({ id }) => id));
  let marker = oldestOf(chats) ?? Date.now();
  for (let isMore = true; isMore && marker > since - OVERLAP_MS; ) {
    const { chats: page = [] } = readChats(await ask(OP.chatList, { marker })) ?? {};
    const fresh = page.filter(({ id }) => id !== undefined && !known.has(id) && !found.has(id));
    for (const chat of fresh) found.set(chat.id ?? "", chat);
    isMore = fresh.length > 0;
    marker = Math.min(marker, oldestOf(fresh) ?? marker);
  }
}

/** The time of the oldest event; undefined if no chat has one. */
function oldestOf(chats: readonly MaxChat[]): number | undefined {
  const times = chats.map(({ lastEventTime = 0 }) => lastEventTime).filter((time) => time > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

async function fetchChat(parts: CatchUpParts, chatId: string, chat: MaxChat): Promise<void> {
  await fetchMessages(parts, chatId, chat);
  for (const event of marksOf(parts.people, chatId, chat)) await parts.receiver.emit(event);
}

async function fetchMessages(parts: CatchUpParts, chatId: string, { lastMessage }: MaxChat): Promise<void> {
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
    // An unreadable message may differ in each response, and has no place.
    const hasNews = fresh.some(({ isReadable }) => isReadable);
    if (!hasNews && !isFull) return;
    // It is not known whether MAX includes `from` itself. If more messages have the same time than fit on a page, the
    // rest cannot be requested.
    const newest = Math.max(...found.map(({ time }) => time));
    from = hasNews ? Math.max(from, newest - 1) : from + 1;
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
    const hasNews = fresh.some(({ isReadable }) => isReadable);
    if (!hasNews || oldest <= parts.since - OVERLAP_MS) break;
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
