import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../kit/button.tsx";
import { focusDrawn } from "../../kit/focus-drawn.ts";
import { Icon } from "../../kit/icon.tsx";
import { useVirtual } from "../../kit/virtual.ts";
import { channels } from "../channels.ts";
import { later, togetherParts } from "../later.ts";
import type { Chat } from "../model.ts";
import { openChat, place } from "../navigation.ts";
import { session } from "../session.ts";
import { words } from "../texts/texts.ts";
import { ChatRow } from "./chat-row.tsx";
import {
  answered,
  barrenPages,
  filter,
  isLoaded,
  listed,
  listState,
  loadChats,
  loadMoreChats,
  search,
} from "./chats.ts";
import { Filters } from "./filters.tsx";

const NoneFits = later(async () => (await togetherParts()).NoneFits);
const OlderChats = later(async () => (await togetherParts()).OlderChats);
const Found = later(async () => (await import("../thread/found.tsx")).Found);

/** Set by the page's search shortcut. */
export const searchBox = { current: null as HTMLInputElement | null };
export const asksNewChat = signal(false);

const TYPING_MS = 250;
const ROW = 64;
/** With a filter, pages may have no chats that fit; then the employee decides whether to look further. */
const MAX_BARREN_PAGES = 10;

/** The list of chats: search, filter, and rows, most recent first. */
export function ListPane() {
  const isFirst = useRef(true);
  useEffect(() => {
    // The page itself loads the first list.
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const timer = setTimeout(() => void loadChats(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search.value, filter.value]);
  return (
    <>
      <div class="grid gap-2 border-b border-line p-3">
        <div class="flex gap-2">
          <SearchBox />
          {channels.value.some(({ new_chat: way, can_send: can }) => way !== null && can) && (
            <button
              type="button"
              class="grid h-10 w-10 shrink-0 place-items-center rounded-md border border-edge bg-bg"
              aria-label={words.value.newChat}
              title={words.value.newChat}
              onClick={() => {
                asksNewChat.value = true;
              }}
            >
              <Icon name="edit" />
            </button>
          )}
        </div>
        {search.value.trim() === "" && <Filters />}
      </div>
      <Rows />
    </>
  );
}

function SearchBox() {
  return (
    <span class="relative min-w-0 flex-1">
      <span class="pointer-events-none absolute inset-y-0 left-3 grid items-center text-dim">
        <Icon name="search" />
      </span>
      <input
        ref={searchBox}
        type="search"
        maxLength={200}
        class="h-10 w-full rounded-md border border-edge bg-bg pr-3 pl-9 placeholder:text-dim"
        placeholder={words.value.search}
        aria-label={words.value.search}
        aria-keyshortcuts="Control+K"
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && search.value !== "") {
            event.stopPropagation();
            search.value = "";
          }
          if (event.key === "ArrowDown") {
            event.preventDefault();
            document.querySelector<HTMLElement>("[data-row]")?.focus();
          }
        }}
      />
    </span>
  );
}

/** Pinned chats are above newer ones. */
function newestOf(chats: readonly Chat[]): string {
  return chats.reduce((newest, { last_at: time }) => (time > newest ? time : newest), "");
}

/** Rows, most recent first; while the pointer is on the list they keep their places. */
function useCalmOrder(chats: readonly Chat[]): {
  readonly rows: readonly Chat[];
  /** Chats with updates that are not at their proper place. */
  readonly held: number;
  readonly hold: (isHeld: boolean) => void;
} {
  const [isHeld, hold] = useState(false);
  // A new query or its result: the earlier order is irrelevant.
  const context = `${search.value} ${JSON.stringify(filter.value)} ${answered.value}`;
  const kept = useRef({ context, ids: [] as readonly string[], newest: "" });
  if (!isHeld || kept.current.context !== context || kept.current.ids.length === 0) {
    kept.current = { context, ids: chats.map(({ id }) => id), newest: newestOf(chats) };
    return { rows: chats, held: 0, hold };
  }
  const { ids, newest } = kept.current;
  const byId = new Map(chats.map((chat) => [chat.id, chat]));
  const places = new Set(ids);
  const rows = ids.flatMap((id) => byId.get(id) ?? []);
  // Older rows, loaded while the pointer scrolls, are appended.
  const older = chats.filter(({ id, last_at: time }) => !places.has(id) && time <= newest);
  const news = chats.filter(({ last_at: time }) => time > newest);
  const isMoved = news.some((chat) => rows[chats.indexOf(chat)]?.id !== chat.id);
  return { rows: [...rows, ...older], held: isMoved ? news.length : 0, hold };
}

function Rows() {
  const scroller = useRef<HTMLDivElement>(null);
  const { rows, held, hold } = useCalmOrder(listed.value);
  const keyOf = useMemo(() => (index: number) => rows[index]?.id ?? "", [rows]);
  const { list, apply } = useVirtual(scroller, { count: rows.length, keyOf, estimate: ROW, overscan: 8 });
  const items = list.rows;
  const lastIndex = items.at(-1)?.index ?? 0;
  const isBarren = barrenPages.value >= MAX_BARREN_PAGES;
  useEffect(() => {
    if (lastIndex >= rows.length - 5 && !isBarren) void loadMoreChats();
  }, [lastIndex, rows.length, listState.value, isBarren]);
  const current = place.value?.kind === "chat" ? place.value.id : null;
  const tabStop = Math.max(
    0,
    rows.findIndex(({ id }) => id === current),
  );
  const focusRow = (index: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, index));
    list.scrollTo(next, "auto");
    apply();
    focusDrawn(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"]`));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = event.target instanceof HTMLElement ? event.target.dataset["row"] : undefined;
    if (row === undefined) return;
    const index = Number(row);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const next = targets[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next < 0) searchBox.current?.focus();
    else focusRow(next);
  };
  return (
    <nav
      aria-label={words.value.chats}
      class="relative min-h-0 flex-1"
      onPointerEnter={(event) => event.pointerType === "mouse" && hold(true)}
      onPointerLeave={() => hold(false)}
    >
      {held > 0 && (
        <button
          type="button"
          class="shaped absolute inset-x-0 top-2 z-10 mx-auto min-h-10 w-fit rounded-full bg-accent px-4 py-1.5 text-sm font-semibold text-accent-ink shadow-lg"
          onClick={() => {
            hold(false);
            scroller.current?.scrollTo({ top: 0 });
          }}
        >
          {words.value.showChanged(held)}
        </button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the buttons inside */}
      <div ref={scroller} data-scrolls class="h-full overflow-y-auto" onKeyDown={onKeyDown}>
        <ListState rows={rows.length} />
        <ul class="relative" style={{ height: `${list.size}px` }}>
          {items.map(({ index, key, start }) => {
            const chat = rows[index];
            if (chat === undefined) return null;
            return (
              <li
                key={key}
                data-index={index}
                class="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ChatRow
                  chat={chat}
                  index={index}
                  isCurrent={chat.id === current}
                  isTabStop={index === tabStop}
                  onPress={() => void openChat(chat.id)}
                />
              </li>
            );
          })}
        </ul>
        {isBarren && listState.value === "idle" && <OlderChats />}
        {search.value.trim() !== "" && <Found text={search.value.trim()} hasChats={rows.length > 0} />}
      </div>
    </nav>
  );
}

/** Replaces the rows: a skeleton of their size, "nothing", or an error. */
function ListState({ rows }: { readonly rows: number }) {
  const state = listState.value;
  if (typeof state === "object")
    return (
      <div role="alert" class="grid justify-items-start gap-2 p-4 text-sm">
        <p>
          {words.value.failedLoad} {state.problem}
        </p>
        <Button onPress={() => void loadChats()}>{words.value.retry}</Button>
      </div>
    );
  if (rows > 0) return null;
  if (state === "loading" || !isLoaded.value) return <ListSkeleton />;
  const { noChats, noChatsHint, noneUnanswered, noCardChats } = words.value;
  // `Found` knows whether anything was found.
  if (search.value.trim() !== "") return null;
  const filters = Object.keys(filter.value).join();
  if (filters !== "") return filters === "unanswered" ? <Empty title={noneUnanswered} /> : <NoneFits />;
  const title = session.value?.scope === "card" ? noCardChats : noChats;
  return <Empty title={title} hint={noChatsHint} />;
}

export function Empty({ title, hint }: { readonly title: string; readonly hint?: string }) {
  return (
    <div role="status" class="grid gap-1 p-6 text-center">
      <p class="font-semibold">{title}</p>
      {hint !== undefined && <p class="text-sm text-dim">{hint}</p>}
    </div>
  );
}

export function ListSkeleton() {
  return (
    <div class="appears-late" aria-busy="true">
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <div key={row} class="flex h-16 items-center gap-3 px-3">
          <span class="h-10 w-10 shrink-0 rounded-full bg-line" />
          <span class="grid flex-1 gap-2">
            <span class="h-3.5 w-1/2 rounded-md bg-line" />
            <span class="h-3 w-4/5 rounded-md bg-line" />
          </span>
        </div>
      ))}
    </div>
  );
}
