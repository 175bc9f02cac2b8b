import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { MESSAGE_BYTES } from "../message/message-bytes.ts";
import { cursorOf, END, type Position } from "../position.ts";
import { reachChat } from "./chat-list.ts";
import { type EntryView, entriesNear, loadEntries, type PlacedEntry } from "./entries.ts";
import type { MessageRow } from "./message-row.ts";
import {
  loadMessage,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageView,
  messageView,
} from "./message-view.ts";
import { type InboxSession, isReachable } from "./reach.ts";

export interface ThreadPage {
  /** Oldest first. */
  readonly messages: MessageView[];
  /** Internal notes and changes of the part, oldest first; `order` places them between the messages. */
  readonly entries: EntryView[];
  /** Cursors of the previous and the next page; null: there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The part of a thread to read: its end, the messages before or after a position, or both around a message. */
export type ThreadPart =
  | { readonly kind: "end" }
  | { readonly kind: "before" | "after"; readonly position: Position }
  /** Of a message or an internal note. */
  | { readonly kind: "around"; readonly messageId: string };

const POSITION = "(timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid)";

/** A page ends after the message with which it exceeds this many bytes of text. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** `fetched`: messages that were found, of which those over the limit of bytes are left out. */
type ThreadRow = MessageRow & { readonly fetched: number };

function page(name: string, condition: string, direction: "asc" | "desc"): Statement {
  const order = `m.created_at ${direction}, m.id ${direction}`;
  return sql(
    name,
    `with p as materialized (
       select m.account_id, m.id, m.created_at,
         sum(${MESSAGE_BYTES}) over (order by ${order}) - ${MESSAGE_BYTES} as bytes_before
       from (select * from messages m where m.account_id = $1 and m.chat = $2 and ${condition}
             order by ${order} limit $5) m)
     select ${MESSAGE_COLUMNS}, (select count(*) from p)::int as fetched from p
     join messages m on m.account_id = any(array[p.account_id]) and m.id = p.id
     ${MESSAGE_TABLES} where p.bytes_before < $6 order by p.created_at, p.id`,
  );
}
const BEFORE = page("inbox_thread_before", `(m.created_at, m.id) < ${POSITION}`, "desc");
const AFTER = page("inbox_thread_after", `(m.created_at, m.id) > ${POSITION}`, "asc");

/** Part of a chat's messages, in the order in which they were stored. Throws CHAT_NOT_FOUND, MESSAGES_NOT_FOUND. */
export async function readThread(
  core: Base,
  session: InboxSession,
  chat: string,
  { part, limit }: { readonly part: ThreadPart; readonly limit: number },
): Promise<ThreadPage> {
  // Concurrently, to save a round trip to the database. If the chat is outside the scope, the messages read are
  // discarded.
  const page = readPart(core, { accountId: session.scope.accountId, chat, part, limit });
  page.catch(() => {});
  await reachChat(core, session, chat);
  return page;
}

interface Wanted {
  readonly accountId: number;
  readonly chat: string;
  readonly part: ThreadPart;
  readonly limit: number;
}

/** So many entries of a page, on each side of a message that it is around. More of them make a page shorter. */
const MAX_ENTRIES = 200;

async function readPart(core: Base, { accountId, chat, part, limit }: Wanted): Promise<ThreadPage> {
  const parts = part.kind === "around" ? 2 : 1;
  const read = (position: Position, side: Side, count: number): Promise<Half> =>
    readHalf(core, { accountId, chat, position, side, count, maxBytes: MAX_PAGE_BYTES / parts });
  switch (part.kind) {
    case "end":
      return pageOf(core, { older: await read(END, "before", limit) });
    case "before":
      return pageOf(core, { older: await read(part.position, "before", limit), hasNewer: true });
    case "after":
      return pageOf(core, { newer: await read(part.position, "after", limit), hasOlder: true });
    case "around": {
      const middle = await findMiddle(core, accountId, part.messageId);
      if (middle.chat !== chat) throw new AppError("MESSAGES_NOT_FOUND");
      const half = Math.ceil(limit / parts);
      const [older, newer] = await Promise.all([
        read(middle.position, "before", half),
        read(middle.position, "after", half),
      ]);
      return pageOf(core, { older, middle, newer });
    }
  }
}

interface Middle {
  readonly chat: string;
  readonly position: Position;
  readonly message?: MessageRow;
  readonly entry?: PlacedEntry;
}

async function findMiddle(core: Base, accountId: number, id: string): Promise<Middle> {
  const message = await loadMessage(core.db, accountId, id);
  if (message !== undefined) return { chat: message.chat, position: positionOfRow(message), message };
  const [entry] = await loadEntries(core.db, accountId, [id]);
  if (entry === undefined || entry.view.deleted_at !== null) throw new AppError("MESSAGES_NOT_FOUND");
  return { chat: entry.view.chat_id, position: entry, entry };
}

type Side = "before" | "after";
interface Half {
  readonly messages: readonly ThreadRow[];
  readonly entries: readonly PlacedEntry[];
  /** The position farthest from where the part begins, if there is more beyond it. */
  readonly end: Position | null;
}

/** What is on one side of a position, without gaps, oldest first. */
async function readHalf(
  core: Base,
  wanted: {
    readonly accountId: number;
    readonly chat: string;
    readonly position: Position;
    readonly side: Side;
    readonly count: number;
    readonly maxBytes: number;
  },
): Promise<Half> {
  const { accountId, chat, position, side, count, maxBytes } = wanted;
  // One more of each than requested shows whether there are more.
  const rows = await core.db.query<ThreadRow>(side === "before" ? BEFORE : AFTER, [
    accountId,
    chat,
    position.at,
    position.id,
    count + 1,
    maxBytes,
  ]);
  const near = await entriesNear(core.db, { accountId, chat }, position, { side, limit: MAX_ENTRIES + 1 });
  const nearest = <T>(items: readonly T[], most: number): readonly T[] =>
    side === "before" ? items.slice(-most) : items.slice(0, most);
  const farthest = <T>(items: readonly T[]): T | undefined => (side === "before" ? items[0] : items.at(-1));
  const [messages, entries] = [nearest(rows, count), nearest(near, MAX_ENTRIES)];
  const [lastMessage, lastEntry] = [farthest(messages), farthest(entries)];
  const ends = [
    ...(lastMessage !== undefined && hasMore(rows, messages) ? [positionOfRow(lastMessage)] : []),
    ...(lastEntry !== undefined && near.length > MAX_ENTRIES ? [{ at: lastEntry.at, id: lastEntry.id }] : []),
  ];
  // Whichever ends first: beyond it, the others are not known yet.
  const end = ends.sort(side === "before" ? (a, b) => compare(b, a) : compare)[0] ?? null;
  const isIn = (each: Position): boolean =>
    end === null || (side === "before" ? compare(each, end) >= 0 : compare(each, end) <= 0);
  return {
    messages: messages.filter((row) => isIn(positionOfRow(row))),
    entries: entries.filter(isIn),
    end,
  };
}

function compare(a: Position, b: Position): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

interface Read {
  readonly older?: Half;
  readonly middle?: Middle;
  readonly newer?: Half;
  readonly hasOlder?: true;
  readonly hasNewer?: true;
}

const EMPTY: Half = { messages: [], entries: [], end: null };

function pageOf(core: Base, { older = EMPTY, middle, newer = EMPTY, hasOlder, hasNewer }: Read): ThreadPage {
  const message = middle?.message;
  const entry = middle?.entry;
  const rows = [...older.messages, ...(message === undefined ? [] : [message]), ...newer.messages];
  const entries = [...older.entries, ...(entry === undefined ? [] : [entry]), ...newer.entries];
  const all = [...rows.map(positionOfRow), ...entries].sort(compare);
  const [first, last] = [all[0], all.at(-1)];
  const cursor = (end: Position | null, isThere: true | undefined, place: Position | undefined) => {
    if (end !== null) return cursorOf(end);
    return isThere && place !== undefined ? cursorOf(place) : null;
  };
  return {
    messages: rows.map((row) => messageView(core, row)),
    entries: entries.map(({ view }) => view),
    before: cursor(older.end, hasOlder, first),
    after: cursor(newer.end, hasNewer, last),
  };
}

function hasMore([row]: readonly ThreadRow[], shown: readonly ThreadRow[]): boolean {
  return row !== undefined && row.fetched > shown.length;
}

function positionOfRow({ placed_at: at, id }: MessageRow): Position {
  return { at, id };
}

/** A message within the session's scope, with its chat. Throws MESSAGES_NOT_FOUND, also for one outside the scope. */
export async function reachMessage(core: Base, session: InboxSession, id: string): Promise<MessageRow> {
  const row = await loadMessage(core.db, session.scope.accountId, id);
  if (row === undefined) throw new AppError("MESSAGES_NOT_FOUND");
  const { opening } = session;
  if (!isReachable(opening, row)) throw new AppError("MESSAGES_NOT_FOUND");
  return row;
}
