import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { askForClients, type CreationOccasion } from "../crm/creations.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact, MessageError } from "../payload/facts.ts";
import { factsOfStatuses } from "./status-facts.ts";

/** How a send ended; the job is then removed. A job that will be retried has no outcome yet. */
export type SendResult =
  | { readonly kind: "sent"; readonly externalId: string; readonly chatId: string; readonly sentAt: Date }
  | { readonly kind: "failed"; readonly error: MessageError };

export interface SendOutcome {
  readonly accountId: number;
  readonly channelId: string;
  /** Our id of the chat of the job; see `settleResolvedChats` for that of the message. */
  readonly chat: string;
  readonly messageId: string;
  readonly jobId: number;
  /** Of a message whose username or phone was resolved: the id under which its chat is stored until then. */
  readonly nickname?: string;
  readonly result: SendResult;
}

// If the messenger has reported on the message before, its status stays. A request whose response was lost must not
// mark a message as unknown that is known to be sent, and a message that was sent has reached the client, whichever
// report said so.
const UPDATE = sql(
  "messages_outcome",
  `with r as (
     delete from send_jobs j using json_to_recordset($1::json) as r(
       job_id bigint, account_id bigint, channel_id uuid, chat uuid, id uuid, status text, external_id text,
       sent_at timestamptz, error jsonb)
     where j.account_id = any(array[r.account_id]) and j.channel_id = r.channel_id and j.chat = r.chat and j.id = r.job_id
     returning r.*
   ), updated as (
     update messages m set
       status = r.status,
       external_id = coalesce(r.external_id, m.external_id),
       sent_at = coalesce(r.sent_at, m.sent_at),
       error = coalesce(r.error, m.error),
       status_at = greatest(m.status_at, $2::timestamptz)
     from r
     where m.account_id = any(array[r.account_id]) and m.id = r.id and m.status = 'queued'
     returning m.id, m.chat, m.status_at,
       coalesce(m.content ? 'fromApp', false) and (r.status = 'sent' or m.external_id is null) as is_first_event
   )
   select id, chat, true as changed, null as respondent_id, status_at, is_first_event from updated
   union all
   select r.id, m.chat, false, nullif(m.author_id, ''), null, false
   from r join messages m on m.account_id = any(array[r.account_id]) and m.id = r.id
   where r.status = 'sent' and m.status <> 'error'
     and exists (select 1 from crm_settings s where s.account_id = any(array[r.account_id]) and s.new_clients = 'first_respondent')`,
);

/**
 * Stores outcomes in the caller's transaction and returns what to publish at its end. The first outcome of a
 * job counts: a repetition, or a stale result written by a previous owner, changes nothing and publishes nothing.
 */
export async function recordOutcomes(
  core: Base,
  tx: Queryable,
  outcomes: readonly SendOutcome[],
): Promise<Fact[]> {
  if (outcomes.length === 0) return [];
  const now = core.clock.now();
  const first = [
    ...new Map(outcomes.toReversed().map((outcome) => [outcome.jobId, outcome])).values(),
  ].reverse();
  const recorded = await tx.query<RecordedRow>(UPDATE, [jsonRows(first.map(outcomeRow)), now]);
  const changed = new Map(recorded.flatMap((row) => (row.changed ? [[row.id, row]] : [])));
  const statuses = first
    .filter(({ messageId }) => changed.has(messageId))
    .map(({ accountId, channelId, chat, messageId, result }) => ({
      accountId,
      channelId,
      chat: changed.get(messageId)?.chat ?? chat,
      messageId,
      requestId: messageId,
      status: result.kind === "sent" ? ("sent" as const) : ("error" as const),
      at: changed.get(messageId)?.status_at ?? now,
      error: result.kind === "failed" ? result.error : null,
      isFirstEvent: changed.get(messageId)?.is_first_event === true,
    }));
  return [
    ...(await factsOfStatuses(core, tx, statuses)),
    ...(await askForClients(tx, repliesOf(first, recorded))),
  ];
}

interface RecordedRow {
  readonly id: string;
  /** Our id of the message's chat. */
  readonly chat: string;
  /** The status of the message has changed; otherwise the row only names the respondent. */
  readonly changed: boolean;
  /** The author of a sent message, if the account assigns new clients to the first employee who replies. */
  readonly respondent_id: string | null;
  /** When the status was learned; null if it did not change. */
  readonly status_at: Date | null;
  /** Written on our own page, and not yet published to receivers. */
  readonly is_first_event: boolean;
}

/** Replies that reached the client, in the order in which they were sent. */
function repliesOf(outcomes: readonly SendOutcome[], recorded: readonly RecordedRow[]): CreationOccasion[] {
  const replies = recorded.filter(({ changed }) => !changed);
  const byId = new Map(replies.map((row) => [row.id, row]));
  return outcomes.flatMap(({ accountId, messageId }) => {
    const { chat, respondent_id: userId } = byId.get(messageId) ?? {};
    return chat === undefined || userId == null
      ? []
      : [{ accountId, chat, trigger: { kind: "replied", userId } }];
  });
}

function outcomeRow({ accountId, channelId, chat, messageId, jobId, result }: SendOutcome): object {
  const base = { job_id: jobId, account_id: accountId, channel_id: channelId, chat, id: messageId };
  if (result.kind === "failed") return { ...base, status: "error", error: result.error };
  return { ...base, status: "sent", external_id: result.externalId, sent_at: result.sentAt };
}
