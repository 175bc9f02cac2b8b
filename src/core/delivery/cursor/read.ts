import { type Queryable, sql } from "../../../database/database.ts";
import type { Cursor } from "./cursors.ts";
import { PACKED_EVENTS, type PackedEvents, type QueuedEvent, unpackEvents } from "./events.ts";
import type { Progress } from "./progress.ts";
import { isFor } from "./waiting.ts";

const COLUMNS = "kind, channel_id, chat, body, created_at";
/** How many events of the account, of whatever receivers, one read looks at. */
const MAX_SEARCHED = 10_000;
const TO = `coalesce($6::bigint, ${Number.MAX_SAFE_INTEGER})`;
// Uses parameters only, so that PostgreSQL can skip partitions of the log without opening them.
const log = (columns: string): string => `(
  select ${columns} from events e
  where $9::boolean and e.account_id = $2 and e.id > greatest($3::bigint, $5::bigint) and e.id <= ${TO}
  order by e.account_id, e.id limit ${MAX_SEARCHED}) e`;

/**
 * `fixing` stores where the batch ends if the result contains all waiting events. The length of a body is known
 * without its text, which PostgreSQL stores elsewhere if it is long, so bodies above the limit are not read.
 */
const readStatement = (fixing: string, answer: string): string => `
  with here as materialized (select $1::uuid as id, $4::bigint[] as taken),
  mine as materialized (
    select * from (
      (select event_id as id, ${COLUMNS} from webhook_kept
       where cursor_id = $1 and event_id > $5 and event_id <= ${TO} order by cursor_id, event_id limit $7)
      union all
      (select e.id, ${COLUMNS.replace("kind", "e.kind")} from here, ${log("e.*")} where ${isFor("here", "e")}
       order by e.id limit $7)
    ) m order by id limit $7
  ), passed as (
    select max(e.id) as last, count(*) as searched from ${log("e.id")} where (select count(*) from mine) < $7
  ), sized as (
    select m.*, sum(octet_length(m.body)) over (order by m.id rows unbounded preceding) as bytes from mine m
  ), fitting as (
    select * from sized where bytes <= $8 or bytes = octet_length(body) order by id
  )${fixing}
  select ${PACKED_EVENTS}, case when $9 then array(
    select c.chat from webhook_cursors c
    where c.endpoint_id = $10 and c.chat = any(array(select distinct f.chat from fitting f where f.chat is not null))
      and (select true from webhook_kept where cursor_id = c.id limit 1)
  ) else '{}' end as apart, (select count(*) from mine) as found, ${answer} as fixed_to,
  (select last from passed) as passed_to, (select searched from passed) as searched,
  (select r.xmin::text from webhook_endpoints r where r.account_id = any(array[$2::bigint]) and r.id = any(array[$10])) as version
  from fitting e`;

const READ = sql("webhook_cursor_read", readStatement("", "null::bigint"));

const READ_AND_FIX = sql(
  "webhook_cursor_read_and_fix",
  readStatement(
    `, fixed as (
    update webhook_cursors set batch_to = m.event_id, batch_limit = $14
    from (select max(id) as event_id, count(*) as events from mine) m
    where webhook_cursors.id = $1 and claim = $11 and claim_version = $12 and m.events between $13 and $7 - 1
      and m.events = (select count(*) from fitting)
    returning batch_to
  )`,
    "(select batch_to from fixed)",
  ),
);

/** The next events of a cursor. */
export interface Reading {
  readonly events: readonly QueuedEvent[];
  /** All events up to this one were looked at. */
  readonly readTo: number;
  /** The diverted chats of these events, which have to follow the diverted ones. */
  readonly apart: readonly string[];
  /** More events may follow these. */
  readonly hasMore: boolean;
  /** The stored end of the batch; null: none was stored. */
  readonly fixedTo: number | null;
  /** False: the receiver was changed or removed since the cursor was claimed. */
  readonly isCurrent: boolean;
}

export interface ReadOptions extends Progress {
  readonly limit: number;
  readonly maxBytes: number;
  /** Not beyond this event; null: to the end of the log. */
  readonly to?: number | null;
  /** After this event; 0: from the first waiting event. */
  readonly after: number;
  readonly fix?: Fix | null;
}

/** From this number of events on, the end of the batch is stored, with the limit under which it was composed. */
export interface Fix {
  readonly fewest: number;
  readonly batchLimit: number;
}

/**
 * The next events of a cursor in order, those that its receiver took when they happened: at most `limit`, with
 * bodies of at most `maxBytes` together; the first in any case. Ids grow in commit order, so no event can appear
 * before one that was read. With `fix`, if no more events wait, these are stored as the batch about to be sent, as by
 * `markBatch`; then all events up to `after` must be settled.
 */
export async function readEvents(
  db: Queryable,
  cursor: Cursor,
  { limit, maxBytes, position, taken, after, to = null, fix = null }: ReadOptions,
): Promise<Reading> {
  const { id, chat, endpointId, accountId, nodeId, claimVersion } = cursor;
  const values = [id, accountId, position, taken, after, to, limit, maxBytes, chat === null, endpointId];
  const [row] =
    fix === null
      ? await db.query<ReadRow>(READ, values)
      : await db.query<ReadRow>(READ_AND_FIX, [...values, nodeId, claimVersion, fix.fewest, fix.batchLimit]);
  if (row === undefined) throw new Error("An aggregate of events returned no row");
  const { apart, found, fixed_to: fixedTo, passed_to: passedTo, searched, version } = row;
  const events = unpackEvents(row);
  const isCut = found === limit || events.length < found;
  const readTo = Math.max(events.at(-1)?.id ?? 0, isCut ? 0 : (passedTo ?? 0));
  const hasMore = isCut || searched === MAX_SEARCHED;
  return { events, readTo, apart, hasMore, fixedTo, isCurrent: version === cursor.version };
}

interface ReadRow extends PackedEvents {
  readonly apart: readonly string[];
  /** Number of events found, including those that did not fit. */
  readonly found: number;
  readonly fixed_to: number | null;
  readonly passed_to: number | null;
  readonly searched: number;
  readonly version: string | null;
}
