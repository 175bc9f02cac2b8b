import { type Queryable, sql } from "../../database/database.ts";
import type { Scope } from "../core.ts";
import type { QueuedEvent } from "./lanes.ts";

const BY_IDS = sql(
  "webhook_events_by_ids",
  `select e.id, e.kind, e.channel_id as "channelId", e.chat, e.subject, e.body, e.created_at as at, false as follows
   from events e where e.account_id = $1 and e.id = any($2) order by e.id`,
);

/** Events as they were sent, in order; forgotten ones are missing. */
export function readByIds(
  db: Queryable,
  { accountId }: Scope,
  ids: readonly number[],
): Promise<QueuedEvent[]> {
  return db.query<QueuedEvent>(BY_IDS, [accountId, ids]);
}
