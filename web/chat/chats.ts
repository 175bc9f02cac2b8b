import { batch, computed, signal } from "@preact/signals";
import { inOrder } from "../kit/in-order.ts";
import type { Chat } from "./model.ts";
import { problemOf } from "./problem.ts";
import { ask } from "./session.ts";

export type Filter = "all" | "unanswered";
export type Loading = "idle" | "loading" | { readonly problem: string };

/** Every chat that is known, by its id. */
export const known = signal<ReadonlyMap<string, Chat>>(new Map());
export const filter = signal<Filter>("all");
export const search = signal("");
export const unansweredCount = signal(0);
/** Of which chat the CRM has changed the client, at last; null: maybe of any. */
export const changedClient = signal<{ readonly of: string | null } | null>(null);
export const listState = signal<Loading>("idle");
/** Cursor to older chats; null: these are all; undefined: none was asked for yet. */
const next = signal<string | null | undefined>(undefined);
export const isLoaded = computed(() => next.value !== undefined);
/** Chats that the service found, and the question that it answered so. */
const found = signal<{ readonly question: string; readonly ids: ReadonlySet<string> }>({
  question: "",
  ids: new Set(),
});
/** The question that the list answers; what is asked now may be a later one. */
export const answered = computed(() => found.value.question);

const byActivity = (a: Chat, b: Chat): number =>
  a.last_at > b.last_at ? -1 : a.last_at < b.last_at ? 1 : a.id > b.id ? -1 : 1;

/** What the list shows, by activity, newest first. Until a search is answered: what is known and called so. */
export const listed = computed<readonly Chat[]>(() => {
  const all = [...known.value.values()];
  const asked = search.value.trim();
  const { question, ids } = found.value;
  const fitting =
    asked !== ""
      ? all.filter((chat) => (question === questionNow() ? ids.has(chat.id) : isCalled(chat, asked)))
      : filter.value === "unanswered"
        ? all.filter(({ unanswered }) => unanswered > 0)
        : all;
  return fitting.sort(byActivity);
});

/** Letters that a name only has to begin with, as the service takes them. */
const SHORT = 2;

function isCalled({ name, username, phone }: Chat, asked: string): boolean {
  const begin = asked.length > SHORT ? "" : " ";
  return ` ${name} ${username ?? ""} ${phone ?? ""}`.toLowerCase().includes(begin + asked.toLowerCase());
}

/** Chats that changed while a page of the list was on its way: they are newer than the page. */
let meanwhile: Chat[] = [];

/** A chat as it is now. */
export function takeChat(chat: Chat): void {
  if (listState.value === "loading") meanwhile.push(chat);
  const before = known.value.get(chat.id);
  batch(() => {
    known.value = new Map(known.value).set(chat.id, chat);
    if ((before?.unanswered ?? 0) > 0 !== chat.unanswered > 0 && isLoaded.value) void countUnanswered();
  });
}

/**
 * A chat as a request answers it. The stream tells of the same change: what it has brought meanwhile may be newer, and
 * stays.
 */
export async function settleChat(id: string, answer: Promise<Chat>): Promise<void> {
  const before = known.value.get(id);
  const chat = await answer.catch(() => null);
  if (chat !== null && known.value.get(id) === before) takeChat(chat);
}

function takeChats(chats: readonly Chat[]): void {
  const all = new Map(known.value);
  for (const chat of [...chats, ...meanwhile]) all.set(chat.id, chat);
  meanwhile = [];
  known.value = all;
}

let asking = new AbortController();

/** Asks for the list from its begin: at the start, for another search or filter, and after a gap in the stream. */
export async function loadChats(): Promise<void> {
  asking.abort();
  asking = new AbortController();
  const abort = asking.signal;
  const question = questionNow();
  meanwhile = [];
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: query() }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats(page.chats);
      found.value = { question, ids: new Set(page.chats.map(({ id }) => id)) };
      next.value = page.next;
      listState.value = "idle";
    });
  } catch (error) {
    if (!abort.aborted) listState.value = { problem: problemOf(error) };
  }
}

/** Asks for older chats, when there are any and none are on their way. */
export async function loadMoreChats(): Promise<void> {
  const { question, ids } = found.value;
  if (listState.value !== "idle" || typeof next.value !== "string" || question !== questionNow()) return;
  const abort = asking.signal;
  meanwhile = [];
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: { ...query(), before: next.value } }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats(page.chats);
      found.value = { question, ids: new Set([...ids, ...page.chats.map(({ id }) => id)]) };
      next.value = page.next;
      listState.value = "idle";
    });
  } catch (error) {
    if (!abort.aborted) listState.value = { problem: problemOf(error) };
  }
}

function query() {
  const asked = search.value.trim();
  return {
    limit: "50",
    ...(asked === "" ? {} : { search: asked }),
    ...(asked === "" && filter.value === "unanswered" ? ({ unanswered: "true" } as const) : {}),
  };
}

function questionNow(): string {
  return JSON.stringify(query());
}

const counts = inOrder();

export async function countUnanswered(): Promise<void> {
  const mayTake = counts();
  const answer = await ask("getUnanswered", {}).catch(() => null);
  if (answer !== null && mayTake()) unansweredCount.value = answer.counter;
}
