import type { Database, Queryable } from "../../../database/database.ts";
import { dropOldest, type Log, lastEndedId } from "../../event/log-days.ts";
import { isWritable } from "../../writable-accounts.ts";
import { waitingFor } from "./waiting.ts";

const LAGS = "select 1 from webhook_cursors where position < $1 limit 1";

const EVENT = "account_id, kind, channel_id, chat, subject, body, created_at";
const EVENT_BATCH_SIZE = 5_000;
export const CURSOR_BATCH_SIZE = 1_000;
/** Maximum duration of one step of copying. */
const STEP_MS = 2_000;
const hasWaitingUpTo = (last: string, c: string): string =>
  `exists (select 1 from ${waitingFor(c, { picked: "1", bounds: `and e.id <= ${last}` })} w)`;
const PASS = `
  with idle as materialized (
    select id from webhook_cursors c
    where position < $1 and claim is null and ${isWritable("c.account_id")} and not ${hasWaitingUpTo("$1", "c")}
    limit ${CURSOR_BATCH_SIZE} for update skip locked)
  update webhook_cursors set position = $1 where id = any(array(select id from idle)) returning id`;
// A claimed cursor is skipped: its delivery advances it.
const COPY = `
  with c as materialized (
    select id, account_id, endpoint_id, position from webhook_cursors w
    where position < $1 and claim is null and ${isWritable("w.account_id")} limit 1 for update skip locked
  ), old as materialized (
    select e.* from c cross join ${waitingFor("c", { picked: "e.*", bounds: "and e.id <= $1" })} e
    order by e.account_id, e.id limit ${EVENT_BATCH_SIZE}
  ), kept as (
    insert into webhook_retries (cursor_id, endpoint_id, state, event_id, ${EVENT})
    select c.id, c.endpoint_id, 'kept', old.id, ${EVENT.replaceAll(/(\w+)/g, "old.$1")} from c, old)
  update webhook_cursors set position = case
    when (select count(*) from old) = ${EVENT_BATCH_SIZE} then (select max(id) from old) else $1 end
  where id = (select id from c) returning id`;

/**
 * Drops the oldest partition of a log if all its rows are older than `days`. Events in it that still wait for a receiver,
 * such as a paused one, are first copied to `webhook_retries` in batches. Returns whether there is more to do.
 */
export function dropOldestDay(db: Database, log: Log, days: number): Promise<boolean> {
  return dropOldest(db, log, days, async (log, last) => log !== "events" || advanceCursors(db, last));
}

/**
 * Advances the positions of up to a thousand receivers without waiting events to the end of the days in which no event can
 * still be published. Without this, each search for waiting events would look into all partitions. Returns how many
 * positions changed.
 */
export async function advanceIdleCursors(db: Queryable): Promise<number> {
  const last = await lastEndedId(db);
  return last === null ? 0 : (await db.query(PASS, [last])).length;
}

/** Advances the receivers past event `last`. False: time ran out, or cursors that are being delivered are still before it. */
async function advanceCursors(db: Database, last: number): Promise<boolean> {
  const until = performance.now() + STEP_MS;
  for (const statement of [PASS, COPY])
    while ((await db.query(statement, [last])).length > 0) if (performance.now() > until) return false;
  return (await db.query(LAGS, [last])).length === 0;
}
