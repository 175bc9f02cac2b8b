import { type Queryable, sql } from "../../../database/database.ts";
import { AppError } from "../../errors.ts";
import { type Page, pageOf, readCursor, writeCursor } from "../../page.ts";
import type { Scope } from "../../scope.ts";
import { readByIds } from "../cursor/events.ts";
import type { Attempt } from "./attempts.ts";
import { composeWhole } from "./batch.ts";

export type Result = "delivered" | "refused" | "failed";
export const RESULTS: readonly Result[] = ["delivered", "refused", "failed"];

/** One request of the log. */
export interface LoggedAttempt {
  readonly id: number;
  readonly receiverId: string;
  /** `webhook-id` of the request. */
  readonly deliveryId: string;
  readonly purpose: Attempt["purpose"];
  readonly at: Date;
  readonly durationMs: number;
  readonly kinds: readonly string[];
  readonly channelIds: readonly string[];
  /** Number of events in it. */
  readonly items: number;
  /** `refused`: a status other than 2xx, or an unusable response; `failed`: no response. */
  readonly result: Result;
  readonly status: number | null;
  readonly failure: string | null;
}

/** The same with headers and bodies. */
export interface LoggedExchange extends LoggedAttempt {
  readonly eventIds: readonly number[];
  /** The body that was sent; null for a test, and once its events are deleted. */
  readonly body: string | null;
  readonly sentHeaders: Readonly<Record<string, string>> | null;
  readonly receivedHeaders: Readonly<Record<string, string>> | null;
  /** The first 4 KB. */
  readonly answer: string | null;
}

export interface LogFilter {
  readonly receiverId?: string;
  readonly channelId?: string;
  readonly kind?: string;
  readonly result?: Result;
  readonly eventId?: number;
  /** Id of the message, channel or other object that an event is about. */
  readonly subject?: string;
  readonly from?: Date;
  readonly to?: Date;
}

const RESULT = `case when a.status is null then 'failed'
  when a.status between 200 and 299 and a.failure is null then 'delivered' else 'refused' end`;
const COLUMNS = `a.id, a.endpoint_id as "receiverId", a.delivery_id as "deliveryId", a.purpose, a.at,
  a.duration_ms as "durationMs", a.kinds, a.channels as "channelIds", cardinality(a.event_ids) as items,
  ${RESULT} as result, a.status, a.failure`;

/** Conditions on `webhook_attempts a`; parameters 2 to 9 are `filterValues`. */
export const LOG_FILTER = `
  ($2::uuid is null or a.endpoint_id = $2) and ($3::uuid is null or $3 = any(a.channels))
  and ($4::text is null or $4 = any(a.kinds)) and ($5::text is null or ${RESULT} = $5)
  and ($6::bigint is null or $6 = any(a.event_ids))
  and ($7::text is null or a.event_ids && array(
    select e.id from events e where e.subject = $7 and e.account_id = $1))
  and a.at >= coalesce($8::timestamptz, '-infinity') and a.at <= coalesce($9::timestamptz, 'infinity')`;

export function filterValues(filter: LogFilter): unknown[] {
  const { receiverId, channelId, kind, result, eventId, subject, from, to } = filter;
  return [receiverId, channelId, kind, result, eventId, subject, from, to].map((value) => value ?? null);
}

const LIST = sql(
  "webhook_log_list",
  `select ${COLUMNS} from webhook_attempts a where a.account_id = $1 and ${LOG_FILTER}
     and ($10::timestamptz is null or (a.at, a.id) < ($10, $11))
     and ($13::uuid is null or a.id = any(array(
       select i.attempt_id from webhook_replay_items i where i.account_id = $1 and i.replay_id = $13)))
   order by a.account_id desc, a.at desc, a.id desc limit $12`,
);

export interface PageRequest {
  readonly limit: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
}

const CURSOR = /^(\d{1,15}) (\d{1,16})$/;

interface ListRequest extends PageRequest {
  readonly filter: LogFilter;
  /** Only the requests that this replay has sent. */
  readonly replayId?: string;
}

/** Requests of the last 30 days, newest first. */
export async function listAttempts(
  db: Queryable,
  { accountId }: Scope,
  { filter, limit, cursor, replayId }: ListRequest,
): Promise<Page<LoggedAttempt>> {
  const [at, id] = cursor === undefined ? [null, null] : readCursor(cursor, CURSOR);
  const before = [at === null ? null : new Date(Number(at)), id];
  const values = [accountId, ...filterValues(filter), ...before, limit + 1, replayId ?? null];
  const rows = await db.query<LoggedAttempt>(LIST, values);
  return pageOf(rows, limit, (row) => writeCursor(row.at.getTime(), row.id));
}

const FIND = sql(
  "webhook_log_find",
  `select ${COLUMNS}, a.event_ids as "eventIds", a.sent as "sentHeaders", a.received as "receivedHeaders", a.answer
   from webhook_attempts a where a.account_id = $1 and a.id = $2`,
);

/** Throws WEBHOOK_DELIVERY_NOT_FOUND. */
export async function getExchange(db: Queryable, scope: Scope, id: number): Promise<LoggedExchange> {
  const [row] = await db.query<Omit<LoggedExchange, "body">>(FIND, [scope.accountId, id]);
  if (row === undefined) throw new AppError("WEBHOOK_DELIVERY_NOT_FOUND");
  const batch = composeWhole(await readByIds(db, scope, row.eventIds), row.eventIds);
  return { ...row, body: batch?.body ?? null };
}
