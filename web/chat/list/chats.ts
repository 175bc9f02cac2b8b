import { batch, computed, signal } from "@preact/signals";
import type { Operations } from "../../kit/api/generated.ts";
import { type Chat, type WireMessage, withShortName } from "../model.ts";
import { problemOf } from "../problem.ts";
import { ask, session, trouble } from "../session.ts";
import { openThread } from "../thread/thread.ts";

/** The list's filter, as the service takes it. */
export type Filter = Pick<
  NonNullable<Operations["listChats"]["input"]["query"]>,
  "unanswered" | "assigned" | "transport" | "channel_id" | "failed" | "snoozed"
>;
export type Loading = "idle" | "loading" | { readonly problem: string };

/** All known chats, by id. */
export const known = signal<ReadonlyMap<string, Chat>>(new Map());
export const filter = signal<Filter>({});
export const search = signal("");
export const unansweredCount = signal(0);
/** Messages that the employee has not seen, proposed ones included, in the chats that are known. */
export const unreadCount = computed(() => {
  let count = 0;
  for (const { unread } of known.value.values()) count += unread;
  return count;
});
/** The chat whose client the CRM has changed last; null: possibly any. */
export const changedClient = signal<{ readonly of: string | null } | null>(null);
export const listState = signal<Loading>("idle");
/** Cursor to older chats; null: all are loaded; undefined: none was requested yet. */
const next = signal<string | null | undefined>(undefined);
export const isLoaded = computed(() => next.value !== undefined);
/** How many of the last pages had no chat that fits the filter, while there are more pages. */
export const barrenPages = signal(0);
/** Chats found by the service, with their query. */
const found = signal<{ readonly question: string; readonly ids: ReadonlySet<string> }>({
  question: "",
  ids: new Set(),
});
/** The query that the list shows; a newer one may be pending. */
export const answered = computed(() => found.value.question);

/** Changes a part of the filter; undefined: any. */
export function refine(part: { readonly [Key in keyof Filter]?: Filter[Key] | undefined }): void {
  // Without what is undefined, as requests are written.
  filter.value = JSON.parse(JSON.stringify({ ...filter.value, ...part }));
}

/** Pinned chats are above the others. */
const byActivity = (a: Chat, b: Chat): number =>
  Number(b.pinned_at !== null) - Number(a.pinned_at !== null) || byTime(a, b);
const byTime = (a: Chat, b: Chat): number =>
  a.last_at > b.last_at ? -1 : a.last_at < b.last_at ? 1 : a.id > b.id ? -1 : 1;

/** The displayed chats, most recent first. Until a search is answered: the known chats with a matching name. */
export const listed = computed<readonly Chat[]>(() => {
  const all = [...known.value.values()];
  const asked = search.value.trim();
  const { question, ids } = found.value;
  const fitting =
    asked !== ""
      ? all.filter((chat) => (question === questionNow() ? ids.has(chat.id) : isCalled(chat, asked)))
      : all.filter(fitsFilter);
  return fitting.sort(byActivity);
});

function fitsFilter(chat: Chat): boolean {
  const { unanswered, assigned, transport, channel_id: channelId, failed, snoozed } = filter.value;
  const assignee = chat.assignee?.id ?? null;
  return (
    (snoozed !== undefined) === (chat.snoozed_until !== null) &&
    (unanswered === undefined || chat.unanswered > 0) &&
    (failed === undefined || chat.failed) &&
    (transport === undefined || chat.transport === transport) &&
    (channelId === undefined || chat.channel_id === channelId) &&
    (assigned === undefined || assignee === (assigned === "mine" ? session.value?.user.id : null))
  );
}

/** Shorter queries match only beginnings of names, as in the service. */
const SHORT = 2;
/** The service takes no longer queries. */
const LONGEST_SEARCH = 100;

function isCalled({ name, username, phone }: Chat, asked: string): boolean {
  const begin = asked.length > SHORT ? "" : " ";
  return ` ${name} ${username ?? ""} ${phone ?? ""}`.toLowerCase().includes(begin + asked.toLowerCase());
}

/** Chats that changed while a page of the list was loading; they are newer than the page. */
let meanwhile: Chat[] = [];

/** Applies the present state of a chat. */
export function takeChat(whole: Chat): void {
  const chat = withShortName(whole);
  if (listState.value === "loading") meanwhile.push(chat);
  const before = known.value.get(chat.id);
  batch(() => {
    known.value = new Map(known.value).set(chat.id, chat);
    if ((before?.unanswered ?? 0) !== chat.unanswered && isLoaded.value) void countUnanswered();
  });
}

/** The chat that is listed with this last message, besides the message's own. Null: none. */
export function formerRow({ id, chat_id: chatId }: WireMessage): string | null {
  for (const chat of known.value.values())
    if (chat.id !== chatId && chat.last_message?.id === id) return chat.id;
  return null;
}

/** Reloads a chat that a message has left; without another message it is no longer listed. */
export async function reloadLeft(id: string): Promise<void> {
  const chat = await ask("getChat", { path: { id } }).catch(() => null);
  if (chat === null) return;
  if (chat.last_message !== null) return takeChat(chat);
  const all = new Map(known.value);
  all.delete(id);
  known.value = all;
}

/** Applies a chat in a response. If the stream has brought a state meanwhile, that may be newer and is kept. */
export async function settleChat(id: string, answer: Promise<Chat>): Promise<void> {
  const before = known.value.get(id);
  const chat = await answer.catch(() => null);
  if (chat !== null && known.value.get(id) === before) takeChat(chat);
}

function takeChats(chats: readonly Chat[]): void {
  const before = known.value;
  const all = new Map(isOutdated ? openOne() : before);
  // What the stream reports next may be in the list already, and then it changes nothing here.
  let isCountOld = isOutdated || !isLoaded.value;
  for (const chat of [...chats.map(withShortName), ...meanwhile]) {
    isCountOld ||= (before.get(chat.id)?.unanswered ?? 0) !== chat.unanswered;
    all.set(chat.id, chat);
  }
  meanwhile = [];
  isOutdated = false;
  known.value = all;
  if (isCountOld) void countUnanswered();
}

/** Whether the known chats may have changed without the stream reporting it. */
let isOutdated = false;

/** The open chat, which the page shows even if it is not in the list. */
function openOne(): readonly [string, Chat][] {
  const chat = known.value.get(openThread.value ?? "");
  return chat === undefined ? [] : [[chat.id, chat]];
}

/** Reloads the list after a gap in the stream: what is known of other chats is dropped, the open one is reloaded. */
export async function reloadChats(): Promise<void> {
  isOutdated = true;
  const open = openThread.value;
  await Promise.all([
    loadChats(),
    open === null ? null : settleChat(open, ask("getChat", { path: { id: open } })),
  ]);
}

let asking = new AbortController();

/** Reloads the list: at the start, and for another search or filter. */
export async function loadChats(): Promise<void> {
  asking.abort();
  asking = new AbortController();
  const abort = asking.signal;
  const question = questionNow();
  meanwhile = [];
  barrenPages.value = 0;
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: query() }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats([...page.pinned, ...page.chats]);
      found.value = { question, ids: new Set(page.chats.map(({ id }) => id)) };
      next.value = page.next;
      listState.value = "idle";
    });
  } catch (error) {
    if (!abort.aborted) listState.value = { problem: problemOf(error) };
  }
}

/** Loads older chats, if there are any and none are loading. */
export async function loadMoreChats(): Promise<void> {
  const { question, ids } = found.value;
  if (listState.value !== "idle" || typeof next.value !== "string" || question !== questionNow()) return;
  const abort = asking.signal;
  const before = listed.value.length;
  meanwhile = [];
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: { ...query(), before: next.value } }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats(page.chats);
      found.value = { question, ids: new Set([...ids, ...page.chats.map(({ id }) => id)]) };
      next.value = page.next;
      barrenPages.value = page.next !== null && listed.value.length === before ? barrenPages.value + 1 : 0;
      listState.value = "idle";
    });
  } catch (error) {
    if (!abort.aborted) listState.value = { problem: problemOf(error) };
  }
}

function query() {
  const asked = search.value.trim().slice(0, LONGEST_SEARCH);
  return {
    limit: 50,
    ...(asked === "" ? filter.value : { search: asked }),
  };
}

function questionNow(): string {
  return JSON.stringify(query());
}

const COUNT_PAUSE_MS = 1_000;
const FAILED_COUNT_PAUSE_MS = 10_000;
let isCountPaused = false;
let isCountOutdated = false;

/** At most one request per second: after a burst of messages, one more follows. One that fails is repeated. */
async function countUnanswered(): Promise<void> {
  isCountOutdated = true;
  if (isCountPaused) return;
  isCountOutdated = false;
  isCountPaused = true;
  const answer = await ask("getUnanswered", {}).catch(() => null);
  if (answer !== null) unansweredCount.value = answer.counter;
  else if (trouble.value !== "over") isCountOutdated = true;
  setTimeout(
    () => {
      isCountPaused = false;
      if (isCountOutdated) void countUnanswered();
    },
    answer === null ? FAILED_COUNT_PAUSE_MS : COUNT_PAUSE_MS,
  );
}
