import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { askForClients, type CreationOccasion } from "../crm/creations.ts";
import { jsonValue, storable } from "../json-rows.ts";
import type { Fact, MessageError, StatusFact } from "../payload/facts.ts";
import { type Column, rowStatement } from "../row-statement.ts";
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
  /** Written on our own page: receivers do not know the message yet. */
  readonly isFromApp?: true;
  readonly result: SendResult;
}

/** An outcome, and when it was learned. */
export interface OutcomeRow extends SendOutcome {
  readonly at: Date;
}

export const OUTCOME_COLUMNS: readonly Column<OutcomeRow>[] = [
  { name: "job_id", type: "bigint", of: ({ jobId }) => jobId },
  { name: "account_id", type: "bigint", of: ({ accountId }) => accountId },
  { name: "channel_id", type: "uuid", of: ({ channelId }) => channelId },
  { name: "chat", type: "uuid", of: ({ chat }) => chat },
  { name: "id", type: "uuid", of: ({ messageId }) => messageId },
  { name: "status", type: "text", of: ({ result }) => (result.kind === "sent" ? "sent" : "error") },
  {
    name: "external_id",
    type: "text",
    of: ({ result }) => (result.kind === "sent" ? storable(result.externalId) : null),
  },
  {
    name: "sent_at",
    type: "timestamptz",
    of: ({ result }) => (result.kind === "sent" ? result.sentAt.toJSON() : null),
  },
  {
    name: "error",
    type: "jsonb",
    of: ({ result }) => (result.kind === "failed" ? jsonValue(result.error) : null),
  },
  { name: "at", type: "timestamptz", of: ({ at }) => at.toISOString() },
];

// If the messenger has reported on the message before, its status stays. A request whose response was lost must not
// mark a message as unknown that is known to be sent, and a message that was sent has reached the client, whichever
// report said so.
const UPDATE = rowStatement(
  "messages_outcome",
  OUTCOME_COLUMNS,
  (rows) => `
   with r as (
     delete from send_jobs j using (${rows}) r
     where j.account_id = any(array[r.account_id]) and j.channel_id = r.channel_id and j.chat = r.chat and j.id = r.job_id
     returning r.*
   ), updated as (
     update messages m set
       status = r.status,
       external_id = coalesce(r.external_id, m.external_id),
       sent_at = coalesce(r.sent_at, m.sent_at),
       error = coalesce(r.error, m.error),
       status_at = greatest(m.status_at, r.at)
     from r
     where m.account_id = any(array[r.account_id]) and m.id = r.id and m.status = 'queued'
     returning m.id, m.chat, m.status_at,
       coalesce(m.content ? 'fromApp', false) and (r.status = 'sent' or m.external_id is null) as is_first_event
   )
   select id, chat, true as changed, null as respondent_id, status_at, is_first_event from updated
   union all
   select r.id, m.chat, false, nullif(m.author_id, ''), null, false
   from (
     select * from r where status = 'sent' and (
       select true from crm_settings s
       where s.account_id = any(array[r.account_id]) and s.new_clients = 'first_respondent' limit 1)) r
   join messages m on m.account_id = any(array[r.account_id]) and m.id = r.id
   where m.status <> 'error'`,
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
  const recorded = await UPDATE.run<RecordedRow>(
    tx,
    first.map((outcome) => ({ ...outcome, at: now })),
  );
  const changed = new Map(recorded.flatMap((row) => (row.changed ? [[row.id, row]] : [])));
  const statuses = first
    .filter(({ messageId }) => changed.has(messageId))
    .map((outcome) => {
      const { chat, status_at: at, is_first_event: isFirstEvent } = changed.get(outcome.messageId) ?? {};
      const status = statusOf(outcome, at ?? now);
      return { ...status, chat: chat ?? status.chat, isFirstEvent: isFirstEvent === true };
    });
  return [
    ...(await factsOfStatuses(core, tx, statuses)),
    ...(await askForClients(tx, repliesOf(first, recorded))),
  ];
}

/** The status that an outcome gives its message. Pure. */
export function statusOf(
  { accountId, channelId, chat, messageId, result }: SendOutcome,
  at: Date,
): StatusFact {
  const status = result.kind === "sent" ? "sent" : "error";
  const error = result.kind === "failed" ? result.error : null;
  return { accountId, channelId, chat, messageId, requestId: messageId, status, at, error };
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
