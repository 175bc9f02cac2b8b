import { type Queryable, sql } from "../../database/database.ts";
import { firstIdAtSql, ID_LAG_MS } from "../../platform/ids.ts";
import { MESSAGE_CUT_OFF, older, removals } from "../retention.ts";
import { lockSearchIndex, removeFromSearch } from "./search-index.ts";

export const MESSAGE_RETENTION = removals({
  change_outcomes: older("change_outcomes", "at", "1 day"),
  early_reports: older("early_reports", "kept_at", "1 day"),
});

// Ids begin with the time, or the hour (`ID_LAG_MS`), so the oldest come first. Waiting messages are kept.
const DELETE_OLD = sql(
  "forget_messages",
  `with gone as (
     delete from messages where ctid = any(array(
       select m.ctid from accounts a cross join lateral (
         select ctid from messages m
         where m.account_id = a.id and m.status <> 'queued'
           and m.id < ${firstIdAtSql(`${MESSAGE_CUT_OFF} - interval '${ID_LAG_MS} milliseconds'`)}
         order by m.account_id, m.id limit 5000) m
       limit 5000))
     returning account_id, id
   ), unsearched as (${removeFromSearch("gone")})
   select count(*)::int as rows from gone`,
);

/**
 * Deletes a batch of messages that are older than `days`, and their entries of the search index. Returns how many
 * there were.
 */
export async function deleteOldMessages(tx: Queryable, days: number): Promise<number> {
  await lockSearchIndex(tx);
  const [gone] = await tx.query<{ rows: number }>(DELETE_OLD, [days]);
  return gone?.rows ?? 0;
}
