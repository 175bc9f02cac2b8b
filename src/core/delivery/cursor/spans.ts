import { type Queryable, sql } from "../../../database/database.ts";
import { lockLogs } from "../../event/log.ts";
import { ALL_CREATION_KINDS } from "../../payload/creation-kinds.ts";
import type { Scope } from "../../scope.ts";

/** `until` of an open span: higher than any event id. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

/**
 * Limit of counting: larger numbers have no additional use, and counting must not slow down with the length of the
 * queues.
 */
export const MAX_COUNTED = 1_000_000;

const CREATIONS = `array[${ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;

// Events that the CRM responds to with an entity have a separate cursor, so that no other event waits for the CRM.
const SETTLE = sql(
  "webhook_spans_settle",
  `with head as materialized (select last_value as id from log_ids),
   wanted as materialized (
     select e.account_id, e.id as endpoint_id, c.id, array(
       select k from unnest(e.kinds) k where (k = any(${CREATIONS})) = c.creations order by k) as kinds
     from webhook_endpoints e cross join lateral (values (e.id, false), (e.creation_lane, true)) c (id, creations)
     where e.account_id = $1
   ), begun as (
     insert into webhook_cursors (id, account_id, endpoint_id, position)
     select w.id, w.account_id, w.endpoint_id, head.id from wanted w, head where w.kinds <> '{}'
     on conflict (id) do nothing
   ), over as materialized (
     select s.cursor_id, s.since, s.since < head.id and not exists (
       select 1 from unnest(s.kinds) k (kind) cross join lateral (
         select 1 from events e
         where e.account_id = any(array[w.account_id]) and e.kind = k.kind and e.id > s.since and e.id <= head.id
         limit 1) e) as is_empty
     from wanted w, head, webhook_spans s
     where s.cursor_id = any(array[w.id]) and s.until = ${OPEN_END} and s.kinds <> w.kinds
       and (s.since < head.id or w.kinds = '{}')
   ), forgotten as (
     delete from webhook_spans s using over o
     where o.is_empty and s.cursor_id = any(array[o.cursor_id]) and s.since = o.since
   ), ended as (
     update webhook_spans s set until = head.id from over o, head
     where not o.is_empty and s.cursor_id = any(array[o.cursor_id]) and s.since = o.since
   )
   insert into webhook_spans as s (cursor_id, since, kinds)
   select w.id, head.id, w.kinds from wanted w, head
   where w.kinds <> '{}' and not exists (
     select 1 from webhook_spans o where o.cursor_id = any(array[w.id]) and o.until = ${OPEN_END} and o.kinds = w.kinds)
   on conflict (cursor_id, since) do update set kinds = excluded.kinds, until = excluded.until`,
);

/**
 * Records from which event of the account's log on its receivers take which kinds, according to
 * `webhook_endpoints.kinds`: an event goes to the receivers that took its kind when it was published. A new kind
 * starts after all existing events. Call it last in the transaction that changed the kinds. Spans in which nothing
 * happened are forgotten, so that there are no more of them than events.
 */
export async function settleSpans(tx: Queryable, { accountId }: Scope): Promise<void> {
  await lockLogs(tx, [accountId]);
  await tx.query(SETTLE, [accountId]);
}

/**
 * Condition: the event `e` is not among those that the cursor `c` took out of order. They are sorted, and may be
 * many.
 */
const isOpen = (c: string, e: string): string =>
  `${c}.taken[width_bucket(${e}.id, ${c}.taken)] is distinct from ${e}.id`;

/**
 * Part of a statement: selects `picked` of the events `e` of the log that wait for the cursor `c`, in order within
 * each kind of each span; `rest` ends the query of one kind.
 */
export const waitingFor = (c: string, picked: string, rest: string): string => `webhook_spans s
  cross join unnest(s.kinds) as k (kind)
  cross join lateral (
    select ${picked} from events e
    where e.account_id = ${c}.account_id and e.kind = k.kind
      and e.id > greatest(${c}.position, s.since) and e.id <= s.until
      and ${isOpen(c, "e")}
    ${rest}) e
  where s.cursor_id = any(array[${c}.id])`;

/** Condition: the receiver of the cursor `c` is not paused. */
export const isUnpaused = (c: string): string =>
  `(select e.paused_at is null from webhook_endpoints e where e.account_id = ${c}.account_id and e.id = ${c}.endpoint_id)`;

/** Condition: events wait for the cursor `c`; of the log, only events after `after`. */
export const hasWaiting = (c: string, after = "0"): string => `(
  (select true from webhook_kept where cursor_id = any(array[${c}.id]) limit 1)
  or exists (select 1 from ${waitingFor(c, "1", `and e.id > ${after} order by e.account_id, e.kind, e.id limit 1`)}))`;

/** Number of events that wait for the cursor `c`, kept ones and those of the log; each counted up to a million. */
export const countWaiting = (c: string): string => `(
  (select count(*) from (select 1 from webhook_kept where cursor_id = ${c}.id limit ${MAX_COUNTED}) q)
  + (select count(*) from (select 1 from ${waitingFor(c, "1", "")} limit ${MAX_COUNTED}) q))`;

/** Condition: the event `e` of the log waits for the cursor `c` of its account. */
export const isWaiting = (c: string, e: string): string => `(
  exists (select 1 from webhook_kept where cursor_id = ${c}.id and event_id = ${e}.id)
  or ${e}.id > ${c}.position and ${isOpen(c, e)} and exists (
    select 1 from webhook_spans s
    where s.cursor_id = any(array[${c}.id]) and s.since < ${e}.id and s.until >= ${e}.id and ${e}.kind = any(s.kinds)))`;
