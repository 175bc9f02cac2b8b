import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { focusDrawn } from "../../kit/focus-drawn.ts";
import { Icon } from "../../kit/icon.tsx";
import { useVirtual } from "../../kit/virtual.ts";
import type { VirtualRows } from "../../kit/virtual-rows.ts";
import { dayName } from "../format.ts";
import { later, togetherParts } from "../later.ts";
import { type Chat, type Entry, isMessage, type Message } from "../model.ts";
import { markRead } from "../navigation.ts";
import { words } from "../texts/texts.ts";
import { audiences } from "./audience.ts";
import { Bubble } from "./bubble.tsx";
import { tellRead } from "./marks.ts";
import { messageIn, useRoving } from "./roving.ts";
import { sameRow, type ThreadRow, threadRows } from "./rows.ts";
import { jumpTo, jumpToEnd, loadNewer, loadOlder, type Thread } from "./thread.ts";

const EntryRow = later(async () => (await togetherParts()).EntryRow);

type Row = ThreadRow<Message, Entry>;
/** Only notes and proposals can be reached by keys: they have actions. */
const isActive = (row: Row | undefined): boolean =>
  row?.kind === "entry" && (row.entry.kind === "note" || row.entry.kind === "proposed");

/** Height of a one-line bubble; others are measured. */
const ROW = 36;
const LIT_MS = 2_000;
/** Pages are loaded this many rows ahead. */
const AHEAD = 12;
/** Until a page that could not be loaded is requested again. */
const RETRY_MS = 5_000;

interface ThreadListProps {
  /** Null: a thread that does not exist yet. */
  readonly thread: Thread | null;
  readonly chat: Chat | null;
  readonly messages: readonly Message[];
}

/** The messages: only visible rows are in the document, and the reading position stays while others are added. */
export function ThreadList({ thread, chat, messages }: ThreadListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const unreadFrom = thread?.unreadFrom.value ?? null;
  const spanned = thread?.span.value?.messages;
  const entries = useMemo(() => (spanned ?? []).filter((item): item is Entry => !isMessage(item)), [spanned]);
  const rows = useMemo(() => threadRows(messages, unreadFrom, entries), [messages, unreadFrom, entries]);
  const keyOf = useMemo(() => (index: number) => rows[index]?.key ?? "", [rows]);
  const isPrinting = usePrinting();
  const { list, apply } = useVirtual(scroller, {
    count: rows.length,
    keyOf,
    estimate: ROW,
    overscan: isPrinting ? rows.length : 6,
    fromEnd: true,
    paddingEnd: 12,
  });
  const [lit, setLit] = useState<string | null>(null);
  const goTo = useCallback(
    (id: string) => {
      if (thread !== null) void jumpTo(thread, id);
    },
    [thread],
  );
  useLayoutEffect(() => {
    const unread = rows.findIndex(({ kind }) => kind === "unread");
    if (unread < 0 || list.size - list.startOf(unread) <= list.height) return;
    list.scrollTo(unread, "start");
    apply();
  }, [list]);
  useTarget(thread, rows, list, apply, setLit, scroller);
  const onKeyDown = useRoving(scroller, {
    count: rows.length,
    next(from, step) {
      for (let index = from; index >= 0 && index < rows.length; index += step)
        if (rows[index]?.kind === "bubble" || isActive(rows[index])) return index;
      return undefined;
    },
    reveal(index) {
      list.scrollTo(index, "auto");
      apply();
    },
  });
  const answers = useMemo(() => audiences(messages), [messages]);
  const items = list.rows;
  const shown = useShown(items, rows);
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useLoading(thread, first < AHEAD, last > rows.length - AHEAD);
  const span = thread?.span.value ?? null;
  const isAtEnd = (span === null || span.after === null) && list.isAtEnd;
  const below = useNewBelow(messages, isAtEnd);
  useEffect(() => {
    if (!isAtEnd || chat === null) return;
    void markRead(chat);
    if (thread !== null) tellRead(thread);
  }, [isAtEnd, chat?.unread, thread?.abilities.value]);
  return (
    <div class="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        data-scrolls
        role="log"
        aria-label={words.value.conversation(chat?.name ?? "")}
        aria-busy={thread?.isLoading.value === true}
        tabIndex={-1}
        class="@container flex min-h-0 flex-1 flex-col overflow-x-hidden overflow-y-auto -outline-offset-2 [overflow-anchor:none] print:overflow-visible"
        onKeyDown={onKeyDown}
      >
        <div class="relative mt-auto shrink-0 print:h-auto!" style={{ height: `${list.size}px` }}>
          {items.map(({ index, key, start }) => {
            const row = shown.get(key);
            if (row === undefined) return null;
            return (
              <div
                key={key}
                data-index={index}
                class="absolute inset-x-0 top-0 print:static print:transform-none!"
                style={{ transform: `translateY(${start}px)` }}
              >
                <RowView row={row} chatName={chat?.name ?? ""} lit={lit} answers={answers} onQuoted={goTo} />
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          class="absolute right-4 bottom-3 z-10 flex h-10 min-w-10 items-center justify-center gap-2 rounded-full border print:hidden border-edge bg-bg px-2.5 text-sm font-semibold shadow-lg"
          aria-label={below > 0 ? words.value.newBelow(below) : words.value.toEnd}
          onClick={() => {
            if (thread !== null) void jumpToEnd(thread);
            list.scrollToEnd();
            apply();
          }}
        >
          {below > 0 && <span>{words.value.newBelow(below)}</span>}
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

/** Loads the pages that the view comes near to, one after another; after a failure, it tries again in a while. */
function useLoading(thread: Thread | null, isNearStart: boolean, isNearEnd: boolean): void {
  const isLoading = thread?.isLoading.value === true;
  const hasFailed = thread !== null && thread.problem.value !== null;
  const span = thread?.span.value ?? null;
  useEffect(() => {
    if (thread === null || isLoading) return;
    const load = () => {
      if (isNearStart) void loadOlder(thread);
      if (isNearEnd) void loadNewer(thread);
    };
    if (!hasFailed) return load();
    const timer = setTimeout(load, RETRY_MS);
    return () => clearTimeout(timer);
  }, [thread, isNearStart, isNearEnd, isLoading, hasFailed, span?.before, span?.after]);
}

/** The rows in the document by key; unchanged ones stay the same objects and are not rendered again. */
function useShown(items: VirtualRows["rows"], rows: readonly Row[]): ReadonlyMap<string, Row> {
  const kept = useRef<ReadonlyMap<string, Row>>(new Map());
  const shown = new Map<string, Row>();
  for (const { index, key } of items) {
    const row = rows[index];
    if (row !== undefined) shown.set(key, sameRow(kept.current.get(key), row));
  }
  kept.current = shown;
  return shown;
}

interface RowProps {
  readonly row: Row;
  readonly chatName: string;
  readonly lit: string | null;
  readonly answers: ReturnType<typeof audiences>;
  readonly onQuoted: (id: string) => void;
}

function RowView({ row, chatName, lit, answers, onQuoted }: RowProps) {
  switch (row.kind) {
    case "day":
      return <h3 class="py-3 text-center text-xs text-dim">{dayName(row.time, Date.now())}</h3>;
    case "unread":
      return (
        <p class="flex items-center gap-3 px-4 py-3 text-xs text-accent-text before:flex-1 before:border-t before:border-current/40 after:flex-1 after:border-t after:border-current/40">
          {words.value.unreadCount(row.count)}
        </p>
      );
    case "entry":
      return <EntryRow entry={row.entry} isLit={row.key === lit} />;
    case "bubble":
      return (
        <Bubble
          messages={row.messages}
          chatName={chatName}
          isFirst={row.isFirst}
          isLit={row.messages.some(({ id }) => id === lit)}
          audience={answers.get(row.key) ?? null}
          onQuoted={onQuoted}
        />
      );
  }
}

/** Scrolls to the requested message, highlights it briefly and focuses it. */
function useTarget(
  thread: Thread | null,
  rows: readonly Row[],
  list: VirtualRows,
  apply: () => void,
  light: (id: string | null) => void,
  scroller: { readonly current: HTMLElement | null },
): void {
  const target = thread?.target.value ?? null;
  useLayoutEffect(() => {
    if (thread === null || target === null) return;
    if (target === "end") list.scrollToEnd();
    else {
      const index = rows.findIndex(
        (row) =>
          (row.kind === "bubble" && row.messages.some(({ id }) => id === target)) ||
          (row.kind === "entry" && row.key === target),
      );
      if (index < 0) return;
      list.scrollTo(index, "center");
      light(target);
      setTimeout(() => light(null), LIT_MS);
      // A search goes on from its own field.
      if (document.activeElement?.closest("[data-keeps-focus]") == null)
        focusDrawn(() => messageIn(scroller.current, index) ?? scroller.current);
    }
    apply();
    thread.target.value = null;
  }, [target, rows]);
}

/** Whether the page is being printed: then all loaded messages are in the document. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const print = matchMedia("print");
    const change = () => setPrinting(print.matches);
    print.addEventListener("change", change);
    return () => print.removeEventListener("change", change);
  }, []);
  return isPrinting;
}

/** Number of messages added below the visible ones. */
function useNewBelow(messages: readonly Message[], isAtEnd: boolean): number {
  const seen = useRef<string>("");
  const newest = messages.findLast(({ pending }) => pending === null)?.order ?? "";
  if (isAtEnd || seen.current === "") seen.current = newest;
  if (isAtEnd) return 0;
  let count = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || (message.pending === null && message.order <= seen.current)) break;
    if (!message.isOut) count++;
  }
  return count;
}
