import { type Queryable, sql } from "../../../database/database.ts";
import type { Cursor } from "./cursors.ts";
import { PACKED_EVENTS, type PackedEvents, type QueuedEvent, unpackEvents } from "./events.ts";

const COLUMNS = "kind, channel_id, chat, body, created_at";
/** How many events of the account, of whatever receivers, one read looks at. */
const MAX_SEARCHED = 10_000;
const TO = `coalesce($5::bigint, ${Number.MAX_SAFE_INTEGER})`;

/** Condition: the chat is diverted, so its events have to follow the refused one. */
export const isDiverted = (account: string, endpoint: string, chat: string): string =>
  `(select true from webhook_retries r where r.account_id = ${account} and r.endpoint_id = ${endpoint} and r.chat = ${chat}
    and r.state in ('refused', 'following') limit 1)`;

/**
 * Common table expression "mine": the first waiting events of a cursor in order, kept ones and those of the log.
 * Parameters 1 to 4: the cursor, the account, the position, and the event after which to read; `limit` bounds the result.
 * Only parameters bound the log, so that PostgreSQL can skip its partitions without opening them.
 */
export const waitingEvents = (
  columns: string,
  { limit, to = `${Number.MAX_SAFE_INTEGER}` }: { limit: string; to?: string },
): string => `mine as materialized (
    select * from (
      (select event_id as id, ${columns} from webhook_retries
       where account_id = $2::bigint and cursor_id = $1::uuid and state = 'kept' and event_id > $4::bigint and event_id <= ${to}
       order by account_id, cursor_id, event_id limit ${limit})
      union all
      (select id, ${columns} from ${logAfter("*", to)} where $1 = any(e.receivers) order by id limit ${limit})
    ) m order by id limit ${limit}
  )`;

const logAfter = (columns: string, to: string): string => `(
  select ${columns} from events e
  where e.account_id = $2 and e.id > greatest($3::bigint, $4::bigint) and e.id <= ${to}
  order by e.account_id, e.id limit ${MAX_SEARCHED}) e`;

/**
 * `fixing` stores where the batch ends if the result contains all waiting events. The length of a body is known
 * without its text, which PostgreSQL stores elsewhere if it is long, so bodies above the limit are not read.
 */
const readStatement = (fixing: string, answer: string): string => `
  with ${waitingEvents(COLUMNS, { limit: "$6", to: TO })}, passed as (
    select max(e.id) as last, count(*) as searched from ${logAfter("e.id", TO)} where (select count(*) from mine) < $6
  ), sized as (
    select m.*, sum(octet_length(m.body)) over (order by m.id rows unbounded preceding) as bytes from mine m
  ), fitting as (
    select * from sized where bytes <= $7 or bytes = octet_length(body) order by id
  )${fixing}
  select ${PACKED_EVENTS}, array(
    select d.chat from (select distinct f.chat from fitting f where f.chat is not null) d
    where ${isDiverted("$2", "$8", "d.chat")}
  ) as diverted, (
    select true from webhook_retries r where r.account_id = $2 and r.endpoint_id = $8 and r.state in ('refused', 'following')
    limit 1) as diverts, (select count(*) from mine) as found, ${answer} as fixed_to,
  (select last from passed) as passed_to, (select searched from passed) as searched,
  (select r.xmin::text from webhook_endpoints r where r.account_id = any(array[$2::bigint]) and r.id = any(array[$8])) as version
  from fitting e`;

const READ = sql("webhook_cursor_read", readStatement("", "null::bigint"));

const READ_AND_FIX = sql(
  "webhook_cursor_read_and_fix",
  readStatement(
    `, fixed as (
    update webhook_cursors set batch_to = m.event_id, batch_limit = $12
    from (select max(id) as event_id, count(*) as events from mine) m
    where webhook_cursors.id = $1 and claim = $9 and claim_version = $10 and m.events between $11 and $6 - 1
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
  /** The diverted chats of these events. */
  readonly diverted: readonly string[];
  /** Some chat of the receiver is diverted. */
  readonly diverts: boolean;
  /** More events may follow these. */
  readonly hasMore: boolean;
  /** The stored end of the batch; null: none was stored. */
  readonly fixedTo: number | null;
  /** False: the receiver was changed or removed since the cursor was claimed. */
  readonly isCurrent: boolean;
}

export interface ReadOptions {
  /** All events of the log up to this one were passed. */
  readonly position: number;
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
 * `markBatch`; then all events up to `after` must be delivered.
 */
export async function readEvents(
  db: Queryable,
  cursor: Cursor,
  { limit, maxBytes, position, after, to = null, fix = null }: ReadOptions,
): Promise<Reading> {
  const { id, endpointId, accountId, nodeId, claimVersion } = cursor;
  const values = [id, accountId, position, after, to, limit, maxBytes, endpointId];
  const [row] =
    fix === null
      ? await db.query<ReadRow>(READ, values)
      : await db.query<ReadRow>(READ_AND_FIX, [...values, nodeId, claimVersion, fix.fewest, fix.batchLimit]);
  if (row === undefined) throw new Error("An aggregate of events returned no row");
  const { diverted, found, fixed_to: fixedTo, passed_to: passedTo, searched, version } = row;
  const events = unpackEvents(row);
  const isCut = found === limit || events.length < found;
  const readTo = Math.max(events.at(-1)?.id ?? 0, isCut ? 0 : (passedTo ?? 0));
  const hasMore = isCut || searched === MAX_SEARCHED;
  const isCurrent = version === cursor.version;
  return { events, readTo, diverted, diverts: row.diverts === true, hasMore, fixedTo, isCurrent };
}

interface ReadRow extends PackedEvents {
  readonly diverted: readonly string[];
  readonly diverts: true | null;
  /** Number of events found, including those that did not fit. */
  readonly found: number;
  readonly fixed_to: number | null;
  readonly passed_to: number | null;
  readonly searched: number;
  readonly version: string | null;
}
