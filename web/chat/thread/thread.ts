import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { inOrder } from "../../kit/in-order.ts";
import { type Abilities, type Item, isMessage, type WireMessage } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask } from "../session.ts";
import { type Span, withItems, withMessage, withNewer, withNewest, withOlder } from "./span.ts";

const PAGE = 50;
/** Of a reader who scrolls through a long thread. */
const FURTHER_PAGE = 100;
/** Threads kept in memory, so that returning to one is immediate. */
const KEPT_THREADS = 12;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The loaded part of one conversation. */
export interface Thread {
  readonly chatId: string;
  readonly span: Signal<Span<Item> | null>;
  readonly problem: Signal<string | null>;
  readonly abilities: Signal<Abilities | null>;
  /** The first unread message when the conversation was opened: the unread line is before it. */
  readonly unreadFrom: Signal<string | null>;
  /** The message to scroll to, once. */
  readonly target: Signal<string | null>;
  readonly isLoading: Signal<boolean>;
  /** Number of loading pages, and messages that the stream brought since they were requested. */
  readonly loads: { count: number; meanwhile: Item[] };
  /** Per kind of request: discards responses that arrive too late. */
  readonly orders: { readonly span: () => () => boolean; readonly abilities: () => () => boolean };
}

const threads = new Map<string, Thread>();
const openId = signal<string | null>(null);
export const openThread: ReadonlySignal<string | null> = openId;

/** The thread of a chat, from memory if it was opened recently. */
export function threadOf(chatId: string): Thread {
  const thread = threads.get(chatId) ?? {
    chatId,
    span: signal(null),
    problem: signal(null),
    abilities: signal(null),
    unreadFrom: signal(null),
    target: signal(null),
    isLoading: signal(false),
    loads: { count: 0, meanwhile: [] },
    orders: { span: inOrder(), abilities: inOrder() },
  };
  threads.delete(chatId);
  threads.set(chatId, thread);
  for (const oldest of threads.keys()) if (threads.size > KEPT_THREADS) threads.delete(oldest);
  return thread;
}

/** What can be sent in a chat, as far as known. */
export function abilitiesIn(chatId: string): Abilities | null {
  return threads.get(chatId)?.abilities.value ?? null;
}

/** Whether the messenger has a reply window there. */
export function hasWindow(chatId: string): boolean {
  return abilitiesIn(chatId)?.window != null;
}

/** The loaded messages of a thread, without what only employees see. */
export function messagesIn(thread: Thread | null): readonly WireMessage[] {
  return thread?.span.value?.messages.filter(isMessage) ?? [];
}

type Page = Span<Item>;
type Where = { readonly before?: string; readonly after?: string; readonly around?: string };

/** Loads a page and adds it with `merge`. Messages from the stream are newer, and take precedence. */
async function load(thread: Thread, where: Where, merge: (now: Page | null, page: Page) => Page | null) {
  thread.loads.count++;
  await guarded(thread, async () => {
    const path = { id: thread.chatId };
    const limit = where.before === undefined && where.after === undefined ? PAGE : FURTHER_PAGE;
    const { entries, ...page } = await ask("listMessages", { path, query: { limit, ...where } });
    const merged = merge(thread.span.value, withItems<Item>(page, entries));
    if (merged !== null) thread.span.value = thread.loads.meanwhile.reduce(withMessage, merged);
  });
  if (--thread.loads.count === 0) thread.loads.meanwhile = [];
}

/** Loads the newest messages and joins them to the known ones. */
export async function refresh(thread: Thread): Promise<void> {
  const mayTake = thread.orders.span();
  await load(thread, {}, (now, page) => {
    if (!mayTake()) return now;
    return now === null ? page : withNewest(now, page);
  });
}

/** Loads what can be sent there. The stream reports changes only for the open thread. */
export async function refreshAbilities(thread: Thread): Promise<void> {
  const mayTake = thread.orders.abilities();
  await guarded(thread, async () => {
    const abilities = await ask("getAbilities", { path: { id: thread.chatId } });
    if (!mayTake()) return;
    thread.abilities.value = abilities;
    if (abilities.window?.is_open === true) refreshAtEnd(thread, Date.parse(abilities.window.ends_at ?? ""));
  });
}

/** The window may close while the conversation is open. */
function refreshAtEnd(thread: Thread, end: number): void {
  if (!isOpen(thread)) return;
  const left = end - Date.now();
  clearTimeout(closing);
  // Windows of seven days end long after the page has reloaded this.
  if (Number.isNaN(left) || left > DAY_MS) return;
  // By a clock that is fast, a window that is open has already closed.
  const delay = left > 0 ? left + 1_000 : MINUTE_MS;
  closing = window.setTimeout(() => isOpen(thread) && void refreshAbilities(thread), delay);
}

const isOpen = ({ chatId }: Thread): boolean => openId.value === chatId;
let closing = 0;

export async function loadOlder(thread: Thread): Promise<void> {
  const before = thread.span.value?.before ?? null;
  if (before === null || thread.isLoading.value) return;
  thread.isLoading.value = true;
  await load(thread, { before }, (now, page) => (now?.before === before ? withOlder(now, page) : now));
  thread.isLoading.value = false;
}

export async function loadNewer(thread: Thread): Promise<void> {
  const after = thread.span.value?.after ?? null;
  if (after === null || thread.isLoading.value) return;
  thread.isLoading.value = true;
  await load(thread, { after }, (now, page) => (now?.after === after ? withNewer(now, page) : now));
  thread.isLoading.value = false;
}

/** Scrolls to a message, loading its surroundings if necessary. */
export async function jumpTo(thread: Thread, messageId: string): Promise<void> {
  const isThere = thread.span.value?.messages.some(({ id }) => id === messageId) === true;
  await jump(thread, isThere ? null : { around: messageId }, messageId);
}

/** Returns to the end of the thread from a part in its middle. */
export async function jumpToEnd(thread: Thread): Promise<void> {
  // A reload under way is kept.
  if (thread.span.value?.after === null) thread.target.value = "end";
  else await jump(thread, {}, "end");
}

/** `where`: the page to load for it. No effect if the reader has requested another target by then. */
async function jump(thread: Thread, where: Where | null, target: string): Promise<void> {
  const mayTake = thread.orders.span();
  let isTaken = where === null && mayTake();
  if (where !== null)
    await load(thread, where, (now, page) => {
      isTaken = mayTake();
      return isTaken ? page : now;
    });
  if (isTaken) thread.target.value = target;
}

/** Adds a message or an entry from the stream or a response to its thread, if that is in memory. */
export function takeMessage(message: Item): void {
  const thread = threads.get(message.chat_id);
  if (thread === undefined) return;
  if (thread.loads.count > 0) thread.loads.meanwhile.push(message);
  if (thread.span.value !== null) thread.span.value = withMessage(thread.span.value, message);
}

/** The chat in whose thread a message is besides its own: it was there before it moved. Null: none in memory. */
export function formerThread({ id, chat_id: chatId }: WireMessage): string | null {
  for (const { chatId: other, span } of threads.values())
    if (other !== chatId && span.value?.messages.some((message) => message.id === id)) return other;
  return null;
}

/** Drops a thread from memory, so that it is loaded again when it is opened. */
export function forgetThread(chatId: string): void {
  threads.delete(chatId);
}

/** The present state of a message; undefined: not in memory. */
export function messageNow({ id, chat_id: chatId }: WireMessage): WireMessage | undefined {
  return messagesIn(threads.get(chatId) ?? null).find((message) => message.id === id);
}

/** After a gap in the stream: drops all threads but the open one, which is reloaded. */
export function forgetThreads(open: string | null): void {
  for (const id of [...threads.keys()]) if (id !== open) threads.delete(id);
  const thread = open === null ? undefined : threads.get(open);
  if (thread === undefined) return;
  void refresh(thread);
  void refreshAbilities(thread);
}

async function guarded(thread: Thread, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    thread.problem.value = null;
  } catch (error) {
    thread.problem.value = problemOf(error);
  }
}

/** Opens a thread at its end or at a message: from memory, else from the service. */
export async function enter(thread: Thread, unread: number, messageId?: string): Promise<void> {
  openId.value = thread.chatId;
  thread.unreadFrom.value = null;
  const isKnown = thread.abilities.value !== null;
  const fresh = refreshAbilities(thread);
  // While it was not open, they may have changed: what is remembered is shown until they are loaded.
  const abilities = isKnown ? null : fresh;
  if (messageId !== undefined) await Promise.all([jumpTo(thread, messageId), abilities]);
  else {
    if (thread.span.value === null) await Promise.all([refresh(thread), abilities]);
    thread.unreadFrom.value = firstUnread(thread.span.value?.messages ?? [], unread);
  }
}

/** The first message of the last `unread` incoming messages and waiting proposals. */
function firstUnread(items: readonly Item[], unread: number): string | null {
  if (unread === 0) return null;
  const counted = items.filter((item) =>
    isMessage(item) ? item.direction === "in" : item.proposal?.state === "waiting",
  );
  return counted.slice(-unread).find(isMessage)?.id ?? null;
}
