import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { notifyReceivers, publish } from "../event/publish.ts";
import { jsonValue } from "../json-rows.ts";
import { factsOfStatuses } from "./status-facts.ts";

const BATCH = 500;
const CLEARED = { code: "MESSAGE_CANCELLED", description: "Sending was stopped by an operator" };

// Other jobs may have reached the messenger and stay.
const CLEAR = sql(
  "send_waiting_clear",
  `with waiting as (
     select j.chat, j.id from send_jobs j
     where j.account_id = $1 and j.channel_id = $2 and j.kind = 'send' and j.unsure_since is null and j.created_at <= $3::timestamptz
     limit ${BATCH}
   ), job as (
     delete from send_jobs j using waiting w
     where j.account_id = $1 and j.channel_id = $2 and j.chat = any(array[w.chat]) and j.id = w.id and j.unsure_since is null
     returning j.message_id, j.chat
   ), cleared as (
     update messages m set status = 'error', error = $4, status_at = greatest(m.status_at, $5::timestamptz)
     from job where m.account_id = $1 and m.id = job.message_id and m.status = 'queued'
     returning m.id, job.chat, m.status_at as at, coalesce(m.content ? 'fromApp', false) as is_first_event
   )
   select found, cleared.* from (select count(*) as found from waiting) w left join cleared on true`,
);

const NOW = sql("send_waiting_now", "select clock_timestamp()::text as now");

/** With `found`, the number of jobs looked at: some may have started or ended meanwhile. */
type ClearRow = { readonly found: number } & (Cleared | { readonly id: null });

interface Cleared {
  readonly id: string;
  readonly chat: string;
  readonly at: Date;
  readonly is_first_event: boolean;
}

/**
 * Cancels all messages of a channel that wait now: each ends as `error` / `MESSAGE_CANCELLED`, which is reported by
 * webhook. Sends under way, edits and removals go on. Returns how many were cancelled.
 */
export async function cancelWaiting(
  core: Base,
  { accountId, channelId }: { readonly accountId: number; readonly channelId: string },
): Promise<number> {
  // By the database's clock, as the jobs' times; as text, because a Date has no microseconds.
  const [now] = await core.db.query<{ now: string }>(NOW);
  let total = 0;
  for (;;) {
    const values = [accountId, channelId, now?.now, jsonValue(CLEARED), core.clock.now()];
    const { found, cancelled } = await core.db.tx(async (tx) => {
      const all = await tx.query<ClearRow>(CLEAR, values);
      const rows = all.filter((row): row is Cleared & { found: number } => row.id !== null);
      const counts = { found: all[0]?.found ?? 0, cancelled: rows.length };
      if (rows.length === 0) return counts;
      const details = { messages: rows.length };
      await audit(tx, { accountId, action: "channel.clear", subject: channelId, details });
      const of = { accountId, channelId, status: "error", error: CLEARED } as const;
      const statuses = rows.map(({ id, chat, at, is_first_event: isFirstEvent }) => ({
        ...of,
        chat,
        messageId: id,
        requestId: id,
        at,
        isFirstEvent,
      }));
      await publish(tx, await factsOfStatuses(core, tx, statuses));
      return counts;
    });
    total += cancelled;
    if (found < BATCH) break;
  }
  if (total > 0) {
    notifyReceivers(core, [accountId]);
    core.signals.notify("sends", channelId);
  }
  return total;
}
