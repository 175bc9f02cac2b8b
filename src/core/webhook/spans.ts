import { type Queryable, sql } from "../../database/database.ts";
import { ALL_CREATION_KINDS } from "../event/creation-payloads.ts";
import { lockLogs } from "../event/publish.ts";
import type { Scope } from "../scope.ts";

/** `until` of a span that has not ended: a number that no event reaches. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

/** Nobody acts on a larger number, and counting must not take longer the worse things are. */
export const MAX_COUNTED = 1_000_000;

const CREATIONS = `array[${ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;

// What the CRM answers with an entity has a cursor of its own, so that nothing else waits for the CRM to create it.
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
   ), ended as (
     update webhook_spans s set until = head.id from wanted w, head
     where s.cursor_id = any(array[w.id]) and s.until = ${OPEN_END} and s.kinds <> w.kinds
       and (s.since < head.id or w.kinds = '{}')
   )
   insert into webhook_spans as s (cursor_id, since, kinds)
   select w.id, head.id, w.kinds from wanted w, head
   where w.kinds <> '{}' and not exists (
     select 1 from webhook_spans o where o.cursor_id = any(array[w.id]) and o.until = ${OPEN_END} and o.kinds = w.kinds)
   on conflict (cursor_id, since) do update set kinds = excluded.kinds, until = excluded.until`,
);

/**
 * Marks in the account's log from where on its receivers take which kinds, as `webhook_endpoints.kinds` says by now: an
 * event goes to those who took its kind when it happened. A receiver that begins to take something begins behind
 * everything that is there. Call it last in the transaction that changed the kinds.
 */
export async function settleSpans(tx: Queryable, { accountId }: Scope): Promise<void> {
  await lockLogs(tx, [accountId]);
  await tx.query(SETTLE, [accountId]);
}

/** Condition: the event `e` is not among those that the cursor `c` took out of turn. They are in order, and may be many. */
const isOpen = (c: string, e: string): string =>
  `${c}.taken[width_bucket(${e}.id, ${c}.taken)] is distinct from ${e}.id`;

/**
 * Part of a statement: `picked` of the events `e` of the log that wait for the cursor `c`, in order for each kind of each
 * span; `rest` ends the look at one kind.
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

/** Condition: something waits for the cursor `c`, of the log behind the event `after`. */
export const hasWaiting = (c: string, after = "0"): string => `(
  (select true from webhook_kept where cursor_id = any(array[${c}.id]) limit 1)
  or exists (select 1 from ${waitingFor(c, "1", `and e.id > ${after} order by e.account_id, e.kind, e.id limit 1`)}))`;

/** How much waits for the cursor `c`, beside the log and in it; counted up to a million each. */
export const countWaiting = (c: string): string => `(
  (select count(*) from (select 1 from webhook_kept where cursor_id = ${c}.id limit ${MAX_COUNTED}) q)
  + (select count(*) from (select 1 from ${waitingFor(c, "1", "")} limit ${MAX_COUNTED}) q))`;

/** Condition: the event `e` of the log waits for the cursor `c` of its account. */
export const isWaiting = (c: string, e: string): string => `(
  exists (select 1 from webhook_kept where cursor_id = ${c}.id and event_id = ${e}.id)
  or ${e}.id > ${c}.position and ${isOpen(c, e)} and exists (
    select 1 from webhook_spans s
    where s.cursor_id = any(array[${c}.id]) and s.since < ${e}.id and s.until >= ${e}.id and ${e}.kind = any(s.kinds)))`;
