import { type Queryable, sql } from "../../database/database.ts";
import type { Core } from "../core.ts";
import type { MessageError } from "../event/facts.ts";
import { statusEvent } from "../event/payloads.ts";
import type { Event } from "../event/publish.ts";
import { jsonRows } from "../json-rows.ts";
import { statusesBelow } from "./content.ts";

/** How a send ended. The job is done with it; a job to be repeated has no outcome yet. */
export type SendResult =
  | { readonly kind: "sent"; readonly externalId: string; readonly chatId: string; readonly sentAt: Date }
  | { readonly kind: "failed"; readonly error: MessageError };

export interface SendOutcome {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  readonly messageId: string;
  readonly jobId: number;
  readonly result: SendResult;
}

const UPDATE = sql(
  "messages_outcome",
  `update messages m set
     status = r.status,
     external_id = coalesce(r.external_id, m.external_id),
     sent_at = coalesce(r.sent_at, m.sent_at),
     error = coalesce(r.error, m.error)
   from json_to_recordset($1::json) as r(account_id bigint, id uuid, status text, external_id text, sent_at timestamptz, error jsonb)
   where m.account_id = r.account_id and m.id = r.id
     and ((r.status = 'sent' and m.status = any($2)) or (r.status = 'error' and m.status = any($3)))
   returning m.id`,
);
const DELETE_JOBS = sql("send_jobs_delete", "delete from send_jobs where id = any($1) returning id");

/**
 * Stores outcomes in the caller's transaction and returns the events to publish at its end. The first outcome of a
 * job counts: repeating it, or another owner's opinion of the same send, changes nothing and gives no event.
 */
export async function recordOutcomes(
  core: Core,
  tx: Queryable,
  outcomes: readonly SendOutcome[],
): Promise<Event[]> {
  if (outcomes.length === 0) return [];
  const now = core.clock.now();
  const deleted = await tx.query<{ id: number }>(DELETE_JOBS, [outcomes.map(({ jobId }) => jobId)]);
  const open = new Set(deleted.map(({ id }) => id));
  const first = outcomes.filter(({ jobId }) => open.delete(jobId));
  if (first.length === 0) return [];
  const changed = await tx.query<{ id: string }>(UPDATE, [
    jsonRows(first.map(outcomeRow)),
    statusesBelow("sent"),
    statusesBelow("error"),
  ]);
  const changedIds = new Set(changed.map(({ id }) => id));
  return first
    .filter(({ messageId }) => changedIds.has(messageId))
    .map(({ accountId, channelId, chat, messageId, result }) =>
      statusEvent({
        accountId,
        channelId,
        chat,
        messageId,
        status: result.kind === "sent" ? "sent" : "error",
        at: now,
        error: result.kind === "failed" ? result.error : null,
      }),
    );
}

function outcomeRow({ accountId, messageId, result }: SendOutcome): object {
  const base = { account_id: accountId, id: messageId };
  if (result.kind === "failed") return { ...base, status: "error", error: result.error };
  return { ...base, status: "sent", external_id: result.externalId, sent_at: result.sentAt };
}
