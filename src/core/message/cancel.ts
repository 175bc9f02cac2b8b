import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import { notifyReceivers, publishAndCommit } from "../event/publish.ts";
import { jsonValue } from "../json-rows.ts";
import type { MessageError } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import type { MessageStatus } from "../transport/message.ts";
import { factsOfStatuses } from "./status-facts.ts";

/** A message that the messenger has not accepted yet. */
export interface WaitingMessage {
  readonly id: string;
  readonly channel_id: string;
  /** Our id of the chat. */
  readonly chat: string;
}

const CANCELLED: MessageError = { code: "MESSAGE_CANCELLED", description: "Sending was stopped" };
/** How long a request waits for the outcome of a send that is under way. */
const CANCEL_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 250;

// Any other job may have reached the messenger.
const CANCEL = sql(
  "message_cancel",
  `with job as (
     delete from send_jobs
     where account_id = $1 and channel_id = $6 and chat = $2 and message_id = $3 and kind = 'send'
       and unsure_since is null
     returning message_id
   )
   update messages m set status = 'error', error = $4, status_at = greatest(m.status_at, $5::timestamptz)
   from job where m.account_id = $1 and m.id = job.message_id and m.status = 'queued'
   returning m.status_at, coalesce(m.content ? 'fromApp', false) as is_first_event`,
);

/**
 * Cancels a waiting message: it ends as `error` / `MESSAGE_CANCELLED`, which is reported by webhook. Resolves with
 * true then, or with false once a send under way has ended, whatever its outcome. Throws MESSENGER_UNAVAILABLE if
 * that takes longer than ten seconds.
 */
export async function cancelMessage(core: Base, scope: Scope, message: WaitingMessage): Promise<boolean> {
  const until = core.clock.monotonicMs() + CANCEL_TIMEOUT_MS;
  for (;;) {
    if (await cancelIfWaiting(core, scope, message)) return true;
    if ((await statusOf(core, scope, message)) !== "queued") return false;
    if (core.clock.monotonicMs() > until) throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/** One attempt. False: the message may have been sent, or has ended. */
export async function cancelIfWaiting(
  core: Base,
  { accountId }: Scope,
  message: WaitingMessage,
): Promise<boolean> {
  const { id: messageId, channel_id: channelId, chat } = message;
  const values = [accountId, chat, messageId, jsonValue(CANCELLED), core.clock.now(), channelId];
  const isCancelled = await core.db.tx(async (tx) => {
    const [row] = await tx.query<{ status_at: Date; is_first_event: boolean }>(CANCEL, values);
    if (row === undefined) return false;
    const of = { accountId, channelId, chat, messageId, requestId: messageId };
    const { status_at: at, is_first_event: isFirstEvent } = row;
    const facts = await factsOfStatuses(core, tx, [
      { ...of, status: "error", at, error: CANCELLED, isFirstEvent },
    ]);
    await publishAndCommit(tx, facts);
    return true;
  });
  if (isCancelled) notifyReceivers(core, [accountId]);
  return isCancelled;
}

const STATUS = sql("message_status", "select status from messages where account_id = $1 and id = $2");

async function statusOf(
  core: Base,
  { accountId }: Scope,
  { id }: WaitingMessage,
): Promise<MessageStatus | null> {
  const [row] = await core.db.query<{ status: MessageStatus }>(STATUS, [accountId, id]);
  return row?.status ?? null;
}
