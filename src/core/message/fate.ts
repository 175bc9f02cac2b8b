import { type Queryable, sql } from "../../database/database.ts";
import type { Core } from "../core.ts";
import type { MessageError, StatusFact } from "../event/facts.ts";
import type { Event } from "../event/publish.ts";
import { jsonValue } from "../json-rows.ts";
import type { TransportEvent } from "../transport/events.ts";
import { type MessageStatus, statusesBelow } from "./content.ts";
import { toldEvents } from "./told.ts";

/** What the messenger said of a message that it was given. */
export interface FateReport {
  readonly accountId: number;
  readonly channelId: string;
  /** Our id of the chat. */
  readonly chat: string;
  readonly event: Extract<TransportEvent, { kind: "receipt" | "failed" }>;
}

/**
 * Found by the messenger's id, or by ours when this comes before the answer to the sending has been stored, or names
 * the chat by another id than the message was sent to. `status_at` never falls, so that the statuses of a message are
 * told in the order of their times.
 */
const UPDATE = sql(
  "message_fate",
  `update messages m set
     status = $4,
     external_id = coalesce(m.external_id, $3),
     delivered_at = coalesce(m.delivered_at, case when $4 in ('delivered', 'read') then $5::timestamptz end),
     error = coalesce($9::jsonb, m.error),
     status_at = greatest(m.status_at, $10::timestamptz)
   from (
     select id, status as was from messages
     where account_id = $1 and direction <> 'in' and status = any($6)
       and id = coalesce((select id from messages where account_id = $1 and chat = $2 and external_id = $3),
                         (select id from messages where account_id = $1 and id = $7 and channel_id = $8))
     for update
   ) f
   where m.account_id = $1 and m.id = f.id
   returning m.id, m.chat, m.direction, f.was, m.status_at, coalesce(m.content ? 'fromApp', false) as from_app`,
);

interface Row {
  readonly id: string;
  readonly chat: string;
  readonly direction: "out" | "echo";
  readonly was: MessageStatus;
  readonly status_at: Date;
  readonly from_app: boolean;
}

/** The person has read everything up to a message or a moment. */
export type ReadingReport = Omit<FateReport, "event"> & {
  readonly event: Extract<TransportEvent, { kind: "readUpTo" }>;
};

/** Older ones were read, or nobody minds any more. */
const READING = sql(
  "messages_read_up_to",
  `update messages m set status = 'read', delivered_at = coalesce(m.delivered_at, $5),
     status_at = greatest(m.status_at, $7::timestamptz)
   from (
     select id, status as was from messages
     where account_id = $1 and chat = $2 and external_id is not null and direction <> 'in' and status = any($6)
       and sent_at > now() - interval '30 days'
       and sent_at <= coalesce($4, (select sent_at from messages where account_id = $1 and chat = $2 and external_id = $3))
     for update
   ) f
   where m.account_id = $1 and m.id = f.id
   returning m.id, m.chat, m.direction, m.sent_at, f.was, m.status_at,
     coalesce(m.content ? 'fromApp', false) as from_app`,
);

/** The same for all messages of a chat that the person has read by now, in the order in which they were sent. */
export async function recordReading(core: Core, tx: Queryable, report: ReadingReport): Promise<Event[]> {
  const { accountId, channelId, chat, event } = report;
  const { upTo } = event;
  const [externalId, sentAt] = "externalId" in upTo ? [upTo.externalId, null] : [null, upTo.sentAt];
  const values = [accountId, chat, externalId, sentAt, event.at, statusesBelow("read"), core.clock.now()];
  const rows = await tx.query<Row & { sent_at: Date }>(READING, values);
  rows.sort((a, b) => a.sent_at.getTime() - b.sent_at.getTime());
  const statuses = rows.flatMap((row) =>
    statusesToTell(row.was, "read").map((status, place) => ({
      ...factOf(row),
      accountId,
      channelId,
      status,
      error: null,
      isNews: isNews(row, place),
    })),
  );
  return toldEvents(core, tx, statuses);
}

/**
 * Stores how far a message of ours has come, and returns the events to publish. A status that is not above the one the
 * message has changes nothing. `sent` is told even when the messenger reports a later status first.
 */
export async function recordFate(core: Core, tx: Queryable, report: FateReport): Promise<Event[]> {
  const { accountId, channelId, chat, event } = report;
  const status = event.kind === "failed" ? "error" : event.status;
  const error = event.kind === "failed" ? event.error : null;
  const { externalId, messageId = null } = event.ref;
  const rows = await tx.query<Row>(UPDATE, [
    accountId,
    chat,
    externalId,
    status,
    event.at,
    statusesBelow(status),
    messageId,
    channelId,
    error === null ? null : jsonValue(error),
    core.clock.now(),
  ]);
  const statuses = rows.flatMap((row) =>
    statusesToTell(row.was, status).map((each, place) => ({
      ...factOf(row),
      accountId,
      channelId,
      status: each,
      ...errorOf(each, error),
      isNews: isNews(row, place),
    })),
  );
  return toldEvents(core, tx, statuses);
}

function statusesToTell(was: MessageStatus, status: StatusFact["status"]): StatusFact["status"][] {
  const isSkipped = was === "queued" && (status === "delivered" || status === "read");
  return isSkipped ? ["sent", status] : [status];
}

/** The first of the statuses that receivers hear of a message from our own page. */
function isNews({ from_app: fromApp, was }: Row, place: number): boolean {
  return fromApp && was === "queued" && place === 0;
}

function errorOf(status: StatusFact["status"], error: MessageError | null): Pick<StatusFact, "error"> {
  return { error: status === "error" ? error : null };
}

function factOf({
  id,
  chat,
  direction,
  status_at: at,
}: Row): Pick<StatusFact, "messageId" | "requestId" | "chat" | "at"> {
  return { messageId: id, requestId: direction === "out" ? id : null, chat, at };
}
