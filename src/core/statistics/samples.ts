import type { Queryable } from "../../database/database.ts";
import type { Statistics } from "./statistics.ts";

/** Counting stops here: a sample must stay cheap. */
const MAX_COUNTED = 200_000;

// Raw statement: reads all jobs, once a minute, up to the limit.
const DEPTHS = `select account_id as "accountId", channel_id as subject, count(*)::int as value
   from (select account_id, channel_id from send_jobs limit ${MAX_COUNTED}) j group by 1, 2`;

/** Adds the present depth of each channel's queue that is not empty. */
export async function sampleQueues(db: Queryable, statistics: Statistics): Promise<void> {
  const rows = await db.query<{ accountId: number; subject: string; value: number }>(DEPTHS, []);
  for (const row of rows) statistics.add({ ...row, kind: "waiting", label: "" });
}
