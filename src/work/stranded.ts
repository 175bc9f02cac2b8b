import type { Core } from "../core/core.ts";
import { publish, wakeReceivers } from "../core/event/publish.ts";
import { recordChangeOutcome } from "../core/message/change.ts";
import { recordOutcomes, type SendOutcome } from "../core/message/outcome.ts";
import type { SendJob } from "../core/message/send-lanes.ts";
import { sql } from "../database/database.ts";

export const CANCEL_BATCH = 500;

const STRANDED = sql(
  "send_jobs_stranded",
  `select j.id, j.account_id, j.channel_id, j.chat, j.message_id, j.kind, j.change, j.started_epoch, c.reason
   from channels c
   cross join lateral (
     select chat from send_lanes s where s.channel_id = c.id and s.due < 'infinity' limit 50) l
   cross join lateral (
     select * from send_jobs s where s.chat = l.chat order by s.id limit 50 for update skip locked) j
   where (c.deleted_at is not null or c.status = 'disabled')
     -- A node keeps a deleted channel while the messenger does not answer; what was being sent has ended by then.
     and (c.owner is null or c.deleted_at < now() - interval '15 seconds')
   limit ${CANCEL_BATCH}`,
);
const LOCK_LANES = sql(
  "send_lanes_lock",
  "select 1 from send_lanes where chat = any($1) order by chat for no key update",
);
// Whoever accepts a message holds its lane until it is stored. A statement that waits for the lane still looks at the
// jobs as they were before it waited, so the lanes are locked by a statement of their own, before this one begins.
const EMPTY_LANES = sql(
  "send_lanes_rest",
  `update send_lanes s set due = 'infinity', held_by = null, held_until = null where s.chat = any($1)
     and not exists (select 1 from send_jobs j where j.chat = any(array[s.chat]))`,
);

interface StrandedRow {
  readonly id: number;
  readonly account_id: number;
  readonly channel_id: string;
  readonly chat: string;
  readonly message_id: string;
  readonly kind: SendJob["kind"];
  readonly change: SendJob["change"];
  readonly started_epoch: number | null;
  readonly reason: string | null;
}

/** Messages of a channel that ended are reported, not left waiting for ever. Returns how many there were. */
export async function cancelStranded(core: Core): Promise<number> {
  const { rows, told } = await core.db.tx(async (tx) => {
    const stranded = await tx.query<StrandedRow>(STRANDED, []);
    if (stranded.length === 0) return { rows: stranded, told: [] };
    const events = await recordOutcomes(
      core,
      tx,
      stranded.filter(({ kind }) => kind === "send").map(cancelled),
    );
    for (const row of stranded.filter(({ kind }) => kind !== "send")) {
      events.push(...(await recordChangeOutcome(core, tx, { job: changeJob(row), error: CANCELLED })));
    }
    const chats = [...new Set(stranded.map(({ chat }) => chat))];
    await tx.query(LOCK_LANES, [chats]);
    await tx.query(EMPTY_LANES, [chats]);
    return { rows: stranded, told: await publish(tx, events) };
  });
  wakeReceivers(core, told);
  for (const row of rows) if (row.kind !== "send") core.wakes.wake("outcomes", String(row.id));
  return rows.length;
}

const CANCELLED = {
  code: "MESSAGE_CANCELLED",
  description: "Sending stopped: the channel was deleted or disabled",
};

function cancelled(row: StrandedRow): SendOutcome {
  return {
    accountId: row.account_id,
    channelId: row.channel_id,
    chat: row.chat,
    messageId: row.message_id,
    jobId: row.id,
    result: { kind: "failed", error: errorOf(row) },
  };
}

function errorOf({ reason, started_epoch: startedEpoch }: StrandedRow): {
  code: string;
  description: string;
} {
  if (startedEpoch !== null) {
    return {
      code: "UNKNOWN_ERROR",
      description: "The channel ended while the message was being sent; it may have arrived",
    };
  }
  if (reason === "rejected")
    return { code: "CHANNEL_REJECTED", description: "Not sent: the channel is rejected" };
  return CANCELLED;
}

function changeJob(row: StrandedRow): SendJob {
  const { id, chat, kind, change } = row;
  const ids = { accountId: row.account_id, channelId: row.channel_id, messageId: row.message_id };
  return { ...ids, id, chat, kind, change } as SendJob;
}
