import { batch, computed, signal } from "@preact/signals";
import type { Channel, Chat } from "./model.ts";
import { problemOf } from "./problem.ts";
import { ask } from "./session.ts";

export type Filter = "all" | "unanswered";
export type Loading = "idle" | "loading" | { readonly problem: string };

/** Every chat that is known, by its id. */
export const known = signal<ReadonlyMap<string, Chat>>(new Map());
export const channels = signal<readonly Channel[]>([]);
export const filter = signal<Filter>("all");
export const search = signal("");
export const unansweredCount = signal(0);
export const listState = signal<Loading>("idle");
/** Cursor to older chats; null: these are all; undefined: none was asked for yet. */
const next = signal<string | null | undefined>(undefined);
export const isLoaded = computed(() => next.value !== undefined);
/** Chats that the server found for the search or the filter, in its order. */
const found = signal<ReadonlySet<string>>(new Set());

const byActivity = (a: Chat, b: Chat): number =>
  a.last_at > b.last_at ? -1 : a.last_at < b.last_at ? 1 : a.id > b.id ? -1 : 1;

/** What the list shows, by activity, newest first. */
export const listed = computed<readonly Chat[]>(() => {
  const all = [...known.value.values()];
  const asked = search.value.trim();
  const fitting =
    asked !== ""
      ? all.filter(({ id }) => found.value.has(id))
      : filter.value === "unanswered"
        ? all.filter(({ unanswered }) => unanswered > 0)
        : all;
  return fitting.sort(byActivity);
});

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

function takeChats(chats: readonly Chat[]): void {
  const all = new Map(known.value);
  for (const chat of [...chats, ...meanwhile]) all.set(chat.id, chat);
  meanwhile = [];
  known.value = all;
}

/** A channel as it is now; null: deleted. */
export function takeChannel(channelId: string, channel: Channel | null): void {
  const others = channels.value.filter(({ channel_id: id }) => id !== channelId);
  channels.value = channel === null ? others : [...others, channel];
}

let asking = new AbortController();

/** Asks for the list from its begin: at the start, for another search or filter, and after a gap in the stream. */
export async function loadChats(): Promise<void> {
  asking.abort();
  asking = new AbortController();
  const abort = asking.signal;
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: query() }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats(page.chats);
      found.value = new Set(page.chats.map(({ id }) => id));
      next.value = page.next;
      listState.value = "idle";
    });
  } catch (error) {
    if (!abort.aborted) listState.value = { problem: problemOf(error) };
  }
}

/** Asks for older chats, when there are any and none are on their way. */
export async function loadMoreChats(): Promise<void> {
  if (listState.value !== "idle" || typeof next.value !== "string") return;
  const abort = asking.signal;
  listState.value = "loading";
  try {
    const page = await ask("listChats", { query: { ...query(), before: next.value } }, abort);
    if (abort.aborted) return;
    batch(() => {
      takeChats(page.chats);
      found.value = new Set([...found.value, ...page.chats.map(({ id }) => id)]);
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

export async function countUnanswered(): Promise<void> {
  const { counter } = await ask("getUnanswered", {}).catch(() => ({ counter: unansweredCount.value }));
  unansweredCount.value = counter;
}

export async function loadChannels(): Promise<void> {
  channels.value = await ask("listChatChannels", {});
}
