import { type Statement, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { MESSAGE_BYTES } from "../message/message-bytes.ts";
import { cursorOf, END, type Position } from "../position.ts";
import { reachChat } from "./chat-list.ts";
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
  /** Cursors of the previous and the next page; null: there is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The part of a thread to read: its end, the messages before or after a position, or both around a message. */
export type ThreadPart =
  | { readonly kind: "end" }
  | { readonly kind: "before" | "after"; readonly position: Position }
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

async function readPart(core: Base, { accountId, chat, part, limit }: Wanted): Promise<ThreadPage> {
  // One row more than requested shows whether there are more.
  const parts = part.kind === "around" ? 2 : 1;
  const read = (statement: Statement, { at, id }: Position, count: number): Promise<ThreadRow[]> =>
    core.db.query<ThreadRow>(statement, [accountId, chat, at, id, count + 1, MAX_PAGE_BYTES / parts]);
  switch (part.kind) {
    case "end":
      return pageOf(core, { older: await read(BEFORE, END, limit), limit });
    case "before":
      return pageOf(core, { older: await read(BEFORE, part.position, limit), limit, hasNewer: true });
    case "after":
      return pageOf(core, { newer: await read(AFTER, part.position, limit), limit, hasOlder: true });
    case "around": {
      const middle = await loadMessage(core.db, accountId, part.messageId);
      if (middle === undefined || middle.chat !== chat) throw new AppError("MESSAGES_NOT_FOUND");
      const half = Math.ceil(limit / parts);
      const [older, newer] = await Promise.all([
        read(BEFORE, positionOfRow(middle), half),
        read(AFTER, positionOfRow(middle), half),
      ]);
      return pageOf(core, { older, middle, newer, limit: half });
    }
  }
}

interface Read {
  readonly older?: readonly ThreadRow[];
  readonly middle?: MessageRow;
  readonly newer?: readonly ThreadRow[];
  readonly limit: number;
  readonly hasOlder?: true;
  readonly hasNewer?: true;
}

function pageOf(core: Base, { older = [], middle, newer = [], limit, hasOlder, hasNewer }: Read): ThreadPage {
  const [before, after] = [older.slice(-limit), newer.slice(0, limit)];
  const rows = [...before, ...(middle === undefined ? [] : [middle]), ...after];
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    messages: rows.map((row) => messageView(core, row)),
    before:
      first !== undefined && (hasMore(older, before) || hasOlder) ? cursorOf(positionOfRow(first)) : null,
    after: last !== undefined && (hasMore(newer, after) || hasNewer) ? cursorOf(positionOfRow(last)) : null,
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
