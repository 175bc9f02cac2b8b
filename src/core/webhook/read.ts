import { type Queryable, sql } from "../../database/database.ts";
import type { Cursor } from "./cursors.ts";
import { PACKED_EVENTS, type PackedEvents, type QueuedEvent, unpackEvents } from "./events.ts";
import type { Progress } from "./progress.ts";
import { OPEN_END, waitingFor } from "./spans.ts";

const COLUMNS = "kind, channel_id, chat, body, created_at";
const TO = `coalesce($6::bigint, ${OPEN_END})`;
// From parameters alone PostgreSQL sees which divisions of the log it need not even open.
const REST = `and e.id > greatest($3::bigint, $5::bigint) and e.id <= ${TO} order by e.account_id, e.kind, e.id limit $7`;

/**
 * `fixing` stores where the batch ends, when what is read is all there is. The length of a body is known without its
 * text, which lies elsewhere when it is long: what is left out for its size is not read.
 */
const readStatement = (fixing: string, answer: string): string => `
  with here as materialized (
    select $1::uuid as id, $2::bigint as account_id, greatest($3::bigint, $5::bigint) as position, $4::bigint[] as taken
  ), mine as materialized (
    select * from (
      (select event_id as id, ${COLUMNS} from webhook_kept
       where cursor_id = $1 and event_id > $5 and event_id <= ${TO} order by cursor_id, event_id limit $7)
      union all
      select e.* from here cross join ${waitingFor("here", `e.id, ${COLUMNS.replace("kind", "e.kind")}`, REST)}
    ) m order by id limit $7
  ), sized as (
    select m.*, sum(octet_length(m.body)) over (order by m.id rows unbounded preceding) as bytes from mine m
  ), fitting as (
    select * from sized where bytes <= $8 or bytes = octet_length(body) order by id
  )${fixing}
  select ${PACKED_EVENTS}, case when $9 then array(
    select c.chat from webhook_cursors c
    where c.endpoint_id = $10 and c.chat is not null and (select true from webhook_kept where cursor_id = c.id limit 1)
  ) else '{}' end as apart, (select count(*) from mine) as found, ${answer} as fixed_to,
  (select r.xmin::text from webhook_endpoints r where r.account_id = any(array[$2::bigint]) and r.id = any(array[$10])) as version
  from fitting e`;

const READ = sql("webhook_cursor_read", readStatement("", "null::bigint"));

const READ_AND_FIX = sql(
  "webhook_cursor_read_and_fix",
  readStatement(
    `, fixed as (
    update webhook_cursors set batch_to = m.event_id, batch_limit = $14
    from (select max(id) as event_id, count(*) as events from mine) m
    where webhook_cursors.id = $1 and claim = $11 and turn = $12 and m.events between $13 and $7 - 1
      and m.events = (select count(*) from fitting)
    returning batch_to
  )`,
    "(select batch_to from fixed)",
  ),
);

/** What comes next for a receiver. */
export interface Reading {
  readonly events: readonly QueuedEvent[];
  /** Chats that were set apart around a refused item: events of theirs have to follow them. */
  readonly apart: readonly string[];
  /** There may be more behind them. */
  readonly hasMore: boolean;
  /** Stored as the end of the batch; null: nothing was. */
  readonly fixedTo: number | null;
  /** False: the receiver was changed, or removed, since the cursor was claimed. */
  readonly isCurrent: boolean;
}

export interface ReadOptions extends Progress {
  readonly limit: number;
  readonly maxBytes: number;
  /** Not beyond this event; null: to the end of the log. */
  readonly to?: number | null;
  /** Behind this event; 0: from the beginning of what waits. */
  readonly after: number;
  readonly fix?: Fix | null;
}

/** From so many events on their end is stored, with the limit under which they are composed. */
export interface Fix {
  readonly fewest: number;
  readonly batchLimit: number;
}

/**
 * The next events of a cursor in order, as far as its receiver took their kind when they happened: at most `limit`,
 * whose bodies have at most `maxBytes` together; the first in any case. Ids grow in the order of the commits, so that
 * nothing can appear before what was read. With `fix`, where there are no more than these they are the batch about to be
 * sent, as after `markBatch`; then nothing may be left up to `after`.
 */
export async function readEvents(
  db: Queryable,
  cursor: Cursor,
  { limit, maxBytes, position, taken, after, to = null, fix = null }: ReadOptions,
): Promise<Reading> {
  const { id, chat, endpointId, accountId, nodeId, turn } = cursor;
  const values = [id, accountId, position, taken, after, to, limit, maxBytes, chat === null, endpointId];
  const [row] =
    fix === null
      ? await db.query<ReadRow>(READ, values)
      : await db.query<ReadRow>(READ_AND_FIX, [...values, nodeId, turn, fix.fewest, fix.batchLimit]);
  if (row === undefined) return { events: [], apart: [], hasMore: false, fixedTo: null, isCurrent: true };
  const { apart, found, fixed_to: fixedTo, version } = row;
  const events = unpackEvents(row);
  const hasMore = found === limit || events.length < found;
  return { events, apart, hasMore, fixedTo, isCurrent: version === cursor.version };
}

interface ReadRow extends PackedEvents {
  readonly apart: readonly string[];
  /** Events looked at, those that did not fit included. */
  readonly found: number;
  readonly fixed_to: number | null;
  readonly version: string | null;
}
