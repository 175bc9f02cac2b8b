import { type Queryable, sql } from "../../../database/database.ts";
import type { Cursor } from "./cursors.ts";
import type { QueuedEvent } from "./events.ts";
import { isDiverted, readEvents, waitingEvents } from "./read.ts";

/** Waiting events that are searched. They are read without their bodies. */
const MAX_SEARCHED = 10_000;

const FIND = sql(
  "webhook_cursor_find_other_chat",
  `with ${waitingEvents("chat", { limit: "$7" })}, found as materialized (
     select id from mine where chat is distinct from $5::uuid and ${isDiverted("$2", "$6", "mine.chat")} is not true
     order by id limit 1)
   select f.id, array(select m.id from mine m where m.id < f.id) as before,
     array(select distinct m.chat from mine m where m.id < f.id) as chats
   from found f`,
);

/** An event of another chat, and those that wait before it. */
export interface OtherChat {
  readonly event: QueuedEvent;
  /** All are of the chat or of diverted ones. */
  readonly before: readonly number[];
  /** The chats of these. */
  readonly chats: readonly string[];
}

/**
 * The first waiting event of a cursor that belongs neither to this chat nor to a diverted one, whose events have to follow
 * the refused one. Null: there is none among the first 10,000 waiting events.
 */
export async function firstOfAnotherChat(
  db: Queryable,
  cursor: Cursor,
  { position, chat }: { readonly position: number; readonly chat: string },
): Promise<OtherChat | null> {
  const { id, accountId, endpointId } = cursor;
  const values = [id, accountId, position, 0, chat, endpointId, MAX_SEARCHED];
  const [found] = await db.query<Omit<OtherChat, "event"> & { id: number }>(FIND, values);
  if (found === undefined) return null;
  const { before, chats } = found;
  const { events } = await readEvents(db, cursor, { limit: 1, maxBytes: 0, position, after: found.id - 1 });
  const [event] = events;
  return event === undefined ? null : { event, before, chats };
}
