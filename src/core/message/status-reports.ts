import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { statusesBelow } from "../content.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact, MessageError, StatusFact } from "../payload/facts.ts";
import type { TransportEvent } from "../transport/events.ts";
import type { MessageStatus } from "../transport/message.ts";
import { factsOfStatuses, type PublishedStatus } from "./status-facts.ts";

/** A messenger's report about a message that was sent. */
export interface StatusReport {
  readonly accountId: number;
  readonly channelId: string;
  /** Our id of the chat. */
  readonly chat: string;
  readonly event: Extract<TransportEvent, { kind: "receipt" | "failed" }>;
}

/**
 * Applies one report per message; the others come back with `left`. A message is found by the messenger's id, or by
 * ours if the report arrives before the outcome of the send is stored, or names the chat by another id than the
 * message was sent to. `status_at` never falls, so that the statuses of a message are reported in the order of their
 * times.
 */
const APPLY_STATUSES = sql(
  "messages_fates",
  `with input as materialized (
     select * from json_to_recordset($1::json) as r(ord int, account_id bigint, channel_id uuid, chat uuid, external_id text,
       message_id uuid, status text, below text[], at timestamptz, error jsonb)
   ), named as materialized (
     select i.*, coalesce(
       (select m.id from messages m where m.account_id = i.account_id and m.chat = i.chat and m.external_id = i.external_id),
       (select m.id from messages m where m.account_id = i.account_id and m.id = i.message_id and m.channel_id = i.channel_id)
     ) as id
     from input i
   ), first as materialized (
     select distinct on (account_id, id) * from named where id is not null order by account_id, id, ord
   ), found as materialized (
     select f.ord, m.account_id, m.id, m.status as was
     from first f join messages m on m.account_id = any(array[f.account_id]) and m.id = f.id
     where m.direction <> 'in' and m.status = any(f.below)
     for update of m
   ), updated as (
     update messages m set
       status = f.status,
       external_id = coalesce(m.external_id, f.external_id),
       delivered_at = coalesce(m.delivered_at, case when f.status in ('delivered', 'read') then f.at end),
       error = coalesce(f.error, m.error),
       status_at = greatest(m.status_at, $2::timestamptz)
     from found w join first f on f.ord = w.ord
     where m.account_id = any(array[w.account_id]) and m.id = w.id
     returning f.ord, m.id, m.chat, m.direction, w.was, m.status_at, coalesce(m.content ? 'fromApp', false) as from_app,
       coalesce(m.content ? 'isHistory', false) as is_history
   )
   select *, false as left from updated
   union all
   select ord, null, null, null, null, null, null, null, true from named
   where id is not null and ord not in (select ord from first)`,
);

/** A message with a new status. */
export interface ChangedMessage {
  readonly id: string;
  readonly chat: string;
  readonly direction: "out" | "echo";
  readonly was: MessageStatus;
  readonly status_at: Date;
  readonly from_app: boolean;
  /** It was imported. */
  readonly is_history: boolean;
}

interface Row extends ChangedMessage {
  /** Index of the report in its batch. */
  readonly ord: number;
  readonly left: boolean;
}

/**
 * Stores statuses of outbound messages in the order of the reports, and returns what to publish. A status that
 * is not above the current one changes nothing. `sent` is reported even if the messenger reports a later status
 * first. Reports about different messages are stored by one statement.
 */
export async function recordStatusReports(
  core: Base,
  tx: Queryable,
  reports: readonly StatusReport[],
): Promise<Fact[]> {
  const published: Fact[][] = reports.map(() => []);
  let left = [...reports.entries()];
  while (left.length > 0) {
    const rows = await tx.query<Row>(APPLY_STATUSES, [
      jsonRows(left.map(([ord, report]) => statusReportRow(report, ord))),
      core.clock.now(),
    ]);
    for (const row of rows.filter((each) => !each.left)) {
      const report = reports[row.ord];
      if (report === undefined) continue;
      const statuses = statusesOf(report, row, statusOf(report), errorOf(report));
      published[row.ord] = await factsOfStatuses(core, tx, statuses);
    }
    const again = new Set(rows.filter((row) => row.left).map(({ ord }) => ord));
    left = left.filter(([ord]) => again.has(ord));
  }
  return published.flat();
}

function statusReportRow(report: StatusReport, ord: number): object {
  const { accountId, channelId, chat, event } = report;
  const status = statusOf(report);
  return {
    ord,
    account_id: accountId,
    channel_id: channelId,
    chat,
    external_id: event.ref.externalId,
    message_id: event.ref.messageId,
    status,
    below: statusesBelow(status),
    at: event.at,
    error: errorOf(report),
  };
}

function statusOf({ event }: StatusReport): StatusFact["status"] & MessageStatus {
  return event.kind === "failed" ? "error" : event.status;
}

function errorOf({ event }: StatusReport): MessageError | null {
  return event.kind === "failed" ? event.error : null;
}

/** The statuses to report for a message that has reached `status`. */
export function statusesOf(
  { accountId, channelId }: Pick<StatusReport, "accountId" | "channelId">,
  row: ChangedMessage,
  status: StatusFact["status"],
  error: MessageError | null,
): PublishedStatus[] {
  return statusesToPublish(row.was, status).map((each, place) => ({
    ...factOf(row),
    accountId,
    channelId,
    status: each,
    error: each === "error" ? error : null,
    isFirstEvent: isFirstEvent(row, place),
    isHistory: row.is_history,
  }));
}

function statusesToPublish(was: MessageStatus, status: StatusFact["status"]): StatusFact["status"][] {
  const isSkipped = was === "queued" && (status === "delivered" || status === "read");
  return isSkipped ? ["sent", status] : [status];
}

/** Whether this is the first status that receivers get of a message from our own page. */
function isFirstEvent({ from_app: fromApp, was }: ChangedMessage, place: number): boolean {
  return fromApp && was === "queued" && place === 0;
}

function factOf({
  id,
  chat,
  direction,
  status_at: at,
}: ChangedMessage): Pick<StatusFact, "messageId" | "requestId" | "chat" | "at"> {
  return { messageId: id, requestId: direction === "out" ? id : null, chat, at };
}
