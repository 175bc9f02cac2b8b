import { eachWaiting, MAX_COUNTED } from "../../src/core/delivery/cursor/waiting.ts";
import { openDays } from "../../src/core/event/log-days.ts";
import type { Database, Queryable } from "../../src/database/database.ts";

/** How many events wait for the receivers of an account, for each receiver that has to get one; null: of all. */
export async function waitingEvents(db: Queryable, accountId: number | null): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    `select count(*)::int as waiting from webhook_cursors c cross join ${eachWaiting("c", MAX_COUNTED)} w
     where $1::bigint is null or c.account_id = $1`,
    [accountId],
  );
  return row?.waiting ?? 0;
}

/** In a statement with the account's id as `$1`: the value of `events.receivers` for an event of this kind. */
export const receiversOf = (kind: string): string =>
  `array(select id from webhook_endpoints where account_id = $1 and ${kind} = any(kinds))`;

/** Lets all that is in the logs look as if it was so many days older, and new days had been opened since. */
export async function letDaysPass(db: Database, days: number): Promise<void> {
  for (const [log, time] of [["events", "created_at"] as const, ["webhook_attempts", "at"] as const])
    await db.query(`update ${log} set ${time} = ${time} - $1 * interval '1 day'`, [days]);
  const [row] = await db.query<{ day: number }>("select (last_value >> 32)::int + 1 as day from log_ids");
  await openDays(db, row?.day);
  await db.query("update log_days set opened_at = opened_at - $1 * interval '1 day'", [days]);
}
