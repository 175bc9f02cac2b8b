import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { announce, publish } from "../event/publish.ts";
import { isWritable } from "../writable-accounts.ts";
import { recordChangeOutcome } from "./change.ts";
import { recordOutcomes, type SendOutcome } from "./outcome.ts";
import type { SendJob } from "./send-jobs.ts";

/** Jobs of one call at most. */
export const CANCEL_BATCH = 500;

/** Expression: whether any job waits. */
export const HAS_JOBS = `(select true from send_jobs
  where (account_id, channel_id) > (0, '00000000-0000-0000-0000-000000000000') order by account_id, channel_id limit 1)`;

const FIRST_JOB = `select account_id, channel_id from send_jobs
  where (account_id, channel_id) > (0, '00000000-0000-0000-0000-000000000000') order by account_id, channel_id limit 1`;

// One index lookup for each channel with waiting jobs, so that channels deleted long ago cost nothing.
const ORPHANED = sql(
  "send_jobs_stranded",
  `with recursive waiting as (
     (${FIRST_JOB})
     union all
     select n.account_id, n.channel_id from waiting w cross join lateral (
       select j.account_id, j.channel_id from send_jobs j
       where (j.account_id, j.channel_id) > (w.account_id, w.channel_id) order by j.account_id, j.channel_id limit 1) n
   )
   select j.id, j.account_id, j.channel_id, j.chat, j.message_id, j.kind, j.change, c.reason,
     j.unsure_since is not null as may_have_arrived
   from waiting w
   join channels c on c.id = any(array[w.channel_id])
   cross join lateral (
     select * from send_jobs s where s.account_id = w.account_id and s.channel_id = w.channel_id
     order by s.chat, s.id limit ${CANCEL_BATCH} for update skip locked) j
   where (c.deleted_at is not null or c.status = 'disabled') and ${isWritable("w.account_id")}
     -- A dead owner releases nothing, and no other node acquires a disabled channel.
     and (c.owner is null or c.owner not in (select n.id from nodes n where n.lease_until > now())
       -- A node keeps a deleted channel while the messenger does not answer; what was being sent has ended by then.
       or c.deleted_at < now() - interval '15 seconds')
   limit ${CANCEL_BATCH}`,
);

interface OrphanedRow {
  readonly id: number;
  readonly account_id: number;
  readonly channel_id: string;
  readonly chat: string;
  readonly message_id: string;
  readonly kind: SendJob["kind"];
  readonly change: SendJob["change"];
  readonly reason: string | null;
  readonly may_have_arrived: boolean;
}

/**
 * Reports the messages of ended channels as failed instead of leaving them waiting forever. Returns how many there
 * were.
 */
export async function failOrphanedJobs(core: Base): Promise<number> {
  const { rows, published } = await core.db.tx(async (tx) => {
    const orphaned = await tx.query<OrphanedRow>(ORPHANED, []);
    if (orphaned.length === 0) return { rows: orphaned, published: [] };
    const facts = await recordOutcomes(
      core,
      tx,
      orphaned.filter(({ kind }) => kind === "send").map(cancelled),
    );
    for (const row of orphaned.filter(({ kind }) => kind !== "send")) {
      facts.push(...(await recordChangeOutcome(core, tx, { job: changeJob(row), error: CANCELLED })));
    }
    return { rows: orphaned, published: await publish(tx, facts) };
  });
  announce(core, published);
  for (const row of rows) if (row.kind !== "send") core.signals.notify("outcomes", String(row.id));
  return rows.length;
}

const CANCELLED = {
  code: "MESSAGE_CANCELLED",
  description: "Sending stopped: the channel was deleted or disabled",
};

function cancelled(row: OrphanedRow): SendOutcome {
  return {
    accountId: row.account_id,
    channelId: row.channel_id,
    chat: row.chat,
    messageId: row.message_id,
    jobId: row.id,
    result: { kind: "failed", error: errorOf(row) },
  };
}

function errorOf({ reason, may_have_arrived: mayHaveArrived }: OrphanedRow): {
  code: string;
  description: string;
} {
  if (mayHaveArrived) {
    return {
      code: "UNKNOWN_ERROR",
      description: "The channel ended while the message was being sent; it may have arrived",
    };
  }
  if (reason === "rejected")
    return { code: "CHANNEL_REJECTED", description: "Not sent: the channel is rejected" };
  return CANCELLED;
}

function changeJob(row: OrphanedRow): SendJob {
  const { id, chat, kind, change } = row;
  const ids = { accountId: row.account_id, channelId: row.channel_id, messageId: row.message_id };
  return { ...ids, id, chat, kind, change } as SendJob;
}
