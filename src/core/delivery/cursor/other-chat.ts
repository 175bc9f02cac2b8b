import { type Queryable, sql } from "../../../database/database.ts";
import type { Cursor } from "./cursors.ts";
import type { QueuedEvent } from "./events.ts";
import type { Progress } from "./progress.ts";
import { readEvents } from "./read.ts";
import { waitingFor } from "./waiting.ts";

/** Waiting events that are searched. They are read without their bodies. */
const MAX_SEARCHED = 10_000;

// The parameter lets PostgreSQL skip partitions of the log without opening them.
const OF_LOG = waitingFor("here", {
  picked: "e.id, e.chat",
  bounds: "and e.id > $3::bigint",
  limit: "$7",
});

const FIND = sql(
  "webhook_cursor_find_other_chat",
  `with here as materialized (
     select $1::uuid as id, $2::bigint as account_id, $3::bigint as position, $4::bigint[] as taken, null::uuid as chat
   ), mine as materialized (
     select * from (
       (select event_id as id, chat from webhook_kept where cursor_id = $1 order by cursor_id, event_id limit $7)
       union all
       select e.* from here cross join ${OF_LOG} e
     ) m order by id limit $7
   )
   select id from mine
   where chat is distinct from $5::uuid and (chat = any(array(
     select c.chat from webhook_cursors c
     where c.endpoint_id = $6 and c.chat is not null
       and (select true from webhook_kept where cursor_id = c.id limit 1)))) is not true
   order by id limit 1`,
);

/**
 * The first waiting event of a main cursor that belongs neither to this chat nor to a diverted one, whose events must
 * follow the diverted ones. Null: there is none among the first 10,000 waiting events.
 */
export async function firstOfAnotherChat(
  db: Queryable,
  cursor: Cursor,
  { progress, chat }: { readonly progress: Progress; readonly chat: string },
): Promise<QueuedEvent | null> {
  const { id, accountId, endpointId } = cursor;
  const { position, taken } = progress;
  const values = [id, accountId, position, taken, chat, endpointId, MAX_SEARCHED];
  const [found] = await db.query<{ id: number }>(FIND, values);
  if (found === undefined) return null;
  const { events } = await readEvents(db, cursor, {
    limit: 1,
    maxBytes: 0,
    position,
    taken,
    after: found.id - 1,
  });
  return events[0] ?? null;
}
