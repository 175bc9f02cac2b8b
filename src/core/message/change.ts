import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { getChannel } from "../channel/channel.ts";
import { publicChatId } from "../chat/nickname.ts";
import { type Attachment, mediaKindOf } from "../content.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import type { Fact, MessageError } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import { notifySends } from "../signals.ts";
import type { MessageType } from "../transport/message.ts";
import { definitionOf } from "../transport/registry.ts";
import { authorNameOf } from "./author-name.ts";
import { cancelMessage } from "./cancel.ts";
import { checkEditable, checkRemovable, type SentMessage } from "./change-rules.ts";
import { loadFacts } from "./load-facts.ts";
import { refuseContent, refuseRejected } from "./refuse-at-once.ts";
import { queueForSearch } from "./search-index.ts";
import { checkAttachment, checkSendable } from "./send.ts";
import type { ChangeKind, JobKey, SendJob, StoredChange } from "./send-jobs.ts";
import { recordOwnReaction } from "./stored-reaction.ts";

export interface EditRequest {
  readonly text?: string;
  readonly attachment?: Attachment;
  /** The CRM's id of the employee who edits. */
  readonly authorId?: string;
}

/** How long a request waits for the messenger, and then for a change that is already under way. */
const WITHDRAW_AFTER_MS = 25_000;
const CHANGE_TIMEOUT_MS = 35_000;
const POLL_INTERVAL_MS = 1_000;

/**
 * Edits a sent message in the messenger and waits for the response. Throws AppError if the interface, the
 * capabilities of the transport or the messenger reject it; then nothing has changed.
 */
export async function editMessage(
  core: Base,
  scope: Scope,
  messageId: string,
  request: EditRequest,
): Promise<{ messageId: string; chatId: string }> {
  if (request.text !== undefined && request.attachment !== undefined)
    throw new AppError("MESSAGE_ONLY_TEXT_OR_CONTENT");
  if (request.attachment === undefined && (request.text ?? "").trim() === "")
    throw new AppError("MESSAGE_NOTHING_TO_SEND");
  const message = await findOutgoing(core, scope, messageId);
  const definition = definitionOf(core.transports, message.transport);
  checkEditable(definition.capabilities, message, request, core.clock.now());
  checkAttachment(core, request.attachment);
  await refuseContent(core, definition, request);
  await runChange(core, scope, message, { kind: "edit", change: request });
  return { messageId, chatId: chatIdOf(message) };
}

/**
 * Removes a sent message for both sides and waits for the messenger's response. A waiting message is cancelled; one
 * that is being sent is removed when the send has ended.
 */
export async function removeMessage(
  core: Base,
  scope: Scope,
  messageId: string,
): Promise<{ messageId: string; chatId: string }> {
  const row = await findMessage(core, scope, messageId);
  if (row.status === "queued" && row.deleted_at === null && (await cancelMessage(core, scope, row)))
    return { messageId, chatId: chatIdOf(row) };
  const message = await findOutgoing(core, scope, messageId);
  const { capabilities } = definitionOf(core.transports, message.transport);
  checkRemovable(capabilities, message, core.clock.now());
  await runChange(core, scope, message, { kind: "remove", change: {} });
  return { messageId, chatId: chatIdOf(message) };
}

function chatIdOf({ chat_type: chatType, chat_id: chatId }: OutgoingRow): string {
  return publicChatId({ chatType, chatId });
}

interface OutgoingRow extends SentMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: string;
  readonly chat_id: string;
  readonly transport: string;
  readonly direction: "in" | "out" | "echo";
  readonly external_id: string | null;
}

const FIND = sql(
  "message_find_outgoing",
  `select m.id, m.channel_id, m.chat, c.chat_type, c.chat_id, h.transport, m.direction, m.status, m.content, m.sent_at,
          m.external_id, m.delivered_at, m.deleted_at
   from messages m
   join chats c on c.account_id = m.account_id and c.id = m.chat
   join channels h on h.account_id = m.account_id and h.id = m.channel_id
   where m.account_id = $1 and m.id = $2`,
);

async function findAny(core: Base, scope: Scope, messageId: string): Promise<OutgoingRow> {
  const [row] = await core.db.query<OutgoingRow>(FIND, [scope.accountId, messageId]);
  if (row === undefined) throw new AppError("MESSAGES_NOT_FOUND");
  return row;
}

async function findMessage(core: Base, scope: Scope, messageId: string): Promise<OutgoingRow> {
  const row = await findAny(core, scope, messageId);
  if (row.direction === "in") throw new AppError("MESSAGES_NOT_OUTGOING");
  return row;
}

/** Also checks that the channel allows changes. */
async function findOutgoing(core: Base, scope: Scope, messageId: string): Promise<OutgoingRow> {
  return checkChannel(core, scope, await findMessage(core, scope, messageId));
}

/** A message of either side, whose channel allows changes. */
export async function findChangeable(core: Base, scope: Scope, messageId: string): Promise<OutgoingRow> {
  return checkChannel(core, scope, await findAny(core, scope, messageId));
}

async function checkChannel(core: Base, scope: Scope, row: OutgoingRow): Promise<OutgoingRow> {
  const channel = await getChannel(core, scope, row.channel_id);
  checkSendable(channel);
  // Changes are answered synchronously, so no webhook could report the error later.
  refuseRejected(channel);
  return row;
}

const ENQUEUE = sql(
  "change_enqueue",
  `insert into send_jobs (account_id, channel_id, chat, message_id, kind, change, bytes)
   values ($1, $2, $3, $4, $5, $6, pg_column_size($6::jsonb)) returning id`,
);

/** The change is queued in its chat, so that it cannot overtake a message sent before it. */
export async function runChange(
  core: Base,
  scope: Scope,
  message: OutgoingRow,
  { kind, change }: { kind: ChangeKind; change: StoredChange },
): Promise<void> {
  const values = [scope.accountId, message.channel_id, message.chat, message.id, kind, jsonValue(change)];
  const [row] = await core.db.query<{ id: number }>(ENQUEUE, values);
  if (row === undefined) throw new AppError("INTERNAL_ERROR");
  const { channel_id: channelId, chat } = message;
  notifySends(core.signals, [{ channelId, chat }]);
  const outcome = await waitForOutcome(core, { ...scope, channelId, chat, id: row.id });
  if (outcome.error === null) return;
  const { code, description, data } = outcome.error;
  const direct = DIRECT_CODES[code];
  if (direct !== undefined) throw new AppError(direct, { data: { description } });
  throw new AppError("MESSAGES_CHANGE_REFUSED", {
    data: { error: code, description, ...(data === undefined ? {} : { details: data }) },
  });
}

const OUTCOME = sql(
  "change_outcome",
  "select error from change_outcomes where account_id = $1 and job_id = $2",
);
const WITHDRAW = sql(
  "change_withdraw",
  `delete from send_jobs where account_id = $1 and channel_id = $2 and chat = $3 and id = $4 and unsure_since is null
   returning id`,
);

/** What only the host of a file, or the messenger, could tell has the code that it has when it is known at once. */
const DIRECT_CODES: Readonly<Record<string, ErrorCode>> = {
  TOO_BIG_CONTENT: "MESSAGES_CONTENT_SIZE_EXCEEDED",
  TOO_LONG_TEXT: "MESSAGE_TEXT_TOO_LONG",
};

async function waitForOutcome(core: Base, job: JobKey): Promise<{ error: MessageError | null }> {
  const key = [job.accountId, job.channelId, job.chat, job.id];
  const until = core.clock.monotonicMs() + WITHDRAW_AFTER_MS;
  for (let withdrawn = false; ; ) {
    const outcome = nextOutcome(core, job.id);
    const [row] = await core.db.query<{ error: MessageError | null }>(OUTCOME, [job.accountId, job.id]);
    if (row !== undefined) {
      outcome.cancel();
      return row;
    }
    const late = core.clock.monotonicMs() - until;
    if (late > 0) withdrawn = (await core.db.query(WITHDRAW, key)).length > 0;
    if (withdrawn || late > CHANGE_TIMEOUT_MS) {
      outcome.cancel();
      throw new AppError("MESSENGER_UNAVAILABLE", { retryAfter: 10 });
    }
    await outcome.happened;
  }
}

function nextOutcome(core: Base, jobId: number): { happened: Promise<void>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, POLL_INTERVAL_MS);
  const off = core.signals.on("outcomes", (detail) => {
    if (detail === "" || detail === String(jobId)) resolve();
  });
  const cancel = (): void => {
    clearTimeout(timer);
    off();
    resolve();
  };
  return { happened: promise.finally(cancel), cancel };
}

export interface ChangeOutcome {
  readonly job: SendJob;
  readonly error: MessageError | null;
}

const EDITED = sql(
  "message_edit_apply",
  `with edited as (
   update messages set
     old_info = jsonb_strip_nulls(jsonb_build_object('oldText', text, 'oldAuthorId', author_id, 'oldAuthorName', ${authorNameOf("messages")},
       'oldContentUri', case when $6::jsonb is not null then content -> 'attachment' ->> 'url' end)),
     text = case when $4::text is null then $3 end, type = coalesce($4, type), author_id = coalesce($5, author_id),
     author_name = case when $5 is null or $5 = author_id then ${authorNameOf("messages")}
                        else (select u.name from crm_users u where u.account_id = $1 and u.id = $5) end,
     content = case when $6::jsonb is null then content else coalesce(content, '{}') || $6::jsonb end,
     edited_at = now()
   where account_id = $1 and id = $2 returning account_id, id)
   ${queueForSearch("select account_id, id from edited")}`,
);
const REMOVED = sql(
  "message_remove_apply",
  `update messages set deleted_at = now(),
     old_info = jsonb_strip_nulls(jsonb_build_object('oldText', text, 'oldAuthorId', author_id, 'oldAuthorName', ${authorNameOf("messages")}))
   where account_id = $1 and id = $2 and deleted_at is null returning id`,
);
const OUTCOME_INSERT = sql(
  "change_outcome_insert",
  "insert into change_outcomes (account_id, job_id, error) values ($1, $2, $3) on conflict (account_id, job_id) do nothing returning job_id",
);
const DELETE_JOB = sql(
  "change_job_delete",
  "delete from send_jobs where account_id = $1 and channel_id = $2 and chat = $3 and id = $4",
);

/** Stores the outcome of a change in the caller's transaction and returns what to publish. Idempotent. */
export async function recordChangeOutcome(
  core: Base,
  tx: Queryable,
  { job, error }: ChangeOutcome,
): Promise<Fact[]> {
  const values = [job.accountId, job.id, error === null ? null : jsonValue(error)];
  const first = await tx.query(OUTCOME_INSERT, values);
  await tx.query(DELETE_JOB, [job.accountId, job.channelId, job.chat, job.id]);
  if (first.length === 0 || error !== null) return [];
  if (job.kind === "mark") return [];
  if (job.kind === "react") return recordOwnReaction(tx, job, core.clock.now());
  if (job.kind === "remove") {
    const removed = await tx.query(REMOVED, [job.accountId, job.messageId]);
    // Concurrent requests delete it once.
    if (removed.length === 0) return [];
  } else await tx.query(EDITED, editColumns(job));
  const messages = await loadFacts(tx, core.settings.publicUrl, [
    { accountId: job.accountId, id: job.messageId },
  ]);
  return messages.map((message) => ({ kind: "message", message }));
}

function editColumns({ accountId, messageId, change }: SendJob): unknown[] {
  const type: MessageType | null = change?.attachment === undefined ? null : mediaKindOf(change.attachment);
  const content = change?.attachment === undefined ? null : jsonValue({ attachment: change.attachment });
  return [accountId, messageId, change?.text ?? null, type, change?.authorId ?? null, content];
}
