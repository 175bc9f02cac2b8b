import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { statusesBelow } from "../content.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact } from "../payload/facts.ts";
import type { TransportEvent } from "../transport/events.ts";
import { factsOfStatuses } from "./status-facts.ts";
import { type ChangedMessage, type StatusReport, statusesOf } from "./status-reports.ts";

/** The person has read everything up to a message or a moment. */
export type ReadReport = Omit<StatusReport, "event"> & {
  readonly event: Extract<TransportEvent, { kind: "readUpTo" }>;
  /** Of a report that is partly applied: where the next portion begins. */
  readonly readFrom?: ReadPosition;
};

/** A message of a chat in the order of `sent_at` and id. */
export interface ReadPosition {
  /** `back`: messages before it may be unread. `forward`: all messages up to it have been marked as read. */
  readonly goes: "back" | "forward";
  /** As PostgreSQL writes it, because a Date has no microseconds. */
  readonly sentAt: string;
  readonly id: string;
}

/** The result of one portion. */
export interface AppliedReads {
  readonly facts: readonly Fact[];
  /** Reports that need a further portion, and where it begins. */
  readonly left: ReadonlyMap<ReadReport, ReadPosition>;
}

/** How many messages of a chat a portion visits. */
const WINDOW = 1_000;
/** How many messages a portion marks, for all its chats, unless each has only a few. */
const MAX_MARKED = 500;
const MIN_MARKED_OF_CHAT = 10;

const LOWEST_ID = "00000000-0000-0000-0000-000000000000";
const HIGHEST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

// The conditions of the index `messages_in_order`, which contains no status: receipts then change no indexed column.
const SENT_IN_CHAT = `m.account_id = r.account_id and m.chat = r.chat and m.direction <> 'in' and m.external_id is not null`;

/**
 * Applies one portion of each report, to messages of the last 30 days. It goes back from the newest message that the
 * person has read until half a window contains no unread message: earlier messages were read with an earlier report.
 * From there it goes forward, so that messages are marked in the order in which they were sent. A chat with few unread
 * messages needs one portion. Of reports with the same `part`, the one that reaches furthest is applied.
 */
const APPLY_READS = sql(
  "messages_read_up_to",
  `with input as (
     select i.*, coalesce(i.sent_at, (
       select u.sent_at from messages u where u.account_id = any(array[i.account_id]) and u.chat = any(array[i.chat])
         and u.external_id = i.external_id limit 1)) as bound
     from json_to_recordset($1::json) as i(part int, account_id bigint, chat uuid, external_id text,
       sent_at timestamptz, at timestamptz, goes text, from_at timestamptz, from_id uuid)
   ), reading as materialized (
     select distinct on (part) * from input where bound is not null order by part, bound desc
   ), visited as (
     select r.part, r.at, r.goes, r.from_at, m.*,
       row_number() over in_order as place, count(*) filter (where m.is_unread) over in_order as nth,
       count(m.id) over of_part as size, count(*) filter (where m.is_unread) over of_part as unread
     from reading r left join lateral (
       (select m.account_id, m.id, m.sent_at, m.status = any($2) as is_unread from messages m
        where r.goes = 'back' and ${SENT_IN_CHAT} and m.sent_at > now() - interval '30 days'
          and (m.sent_at, m.id) < (coalesce(r.from_at, r.bound), coalesce(r.from_id, '${HIGHEST_ID}'))
        order by m.sent_at desc, m.id desc limit ${WINDOW})
       union all
       (select m.account_id, m.id, m.sent_at, m.status = any($2) as is_unread from messages m
        where r.goes = 'forward' and ${SENT_IN_CHAT} and m.sent_at <= r.bound
          and (m.sent_at, m.id) > (r.from_at, r.from_id)
        order by m.sent_at, m.id limit ${WINDOW})
     ) m on true
     window of_part as (partition by r.part), in_order as (partition by r.part order by m.sent_at, m.id)
   ), judged as materialized (
     select *, goes = 'back' and size = ${WINDOW}
       and bool_or(is_unread and place <= ${WINDOW / 2}) over (partition by part) as goes_back
     from visited
   ), found as materialized (
     select j.part, j.at, m.account_id, m.id, m.status as was
     from judged j join messages m on m.account_id = any(array[j.account_id]) and m.id = j.id
     where not j.goes_back and j.is_unread and j.nth <= $4::int and m.status = any($2)
     for update of m
   ), updated as (
     update messages m set status = 'read', delivered_at = coalesce(m.delivered_at, f.at),
       status_at = greatest(m.status_at, $3::timestamptz)
     from found f
     where m.account_id = any(array[f.account_id]) and m.id = f.id
     returning f.part, m.id, m.chat, m.direction, m.sent_at, f.was, m.status_at,
       coalesce(m.content ? 'fromApp', false) as from_app,
       coalesce(m.content ? 'isHistory', false) as is_history
   ), next as (
     select part, coalesce(sent_at, from_at) as sent_at, coalesce(id, '${LOWEST_ID}') as id,
       case when goes_back then 'back' else 'forward' end as goes
     from judged
     where case
       when goes_back then place = 1
       when unread > $4::int then is_unread and nth = $4::int
       when goes = 'back' then from_at is not null and place = greatest(size, 1)
       else size = ${WINDOW} and place = size end
   )
   select part, false as is_next, sent_at::text, id, null as goes, chat, direction, was, status_at, from_app, is_history
   from updated
   union all
   select part, true, sent_at::text, id, goes, null, null, null, null, null, null from next
   order by part, is_next, sent_at, id`,
);

type Row = { readonly part: number; readonly sent_at: string } & (
  | (ChangedMessage & { readonly is_next: false })
  | { readonly is_next: true; readonly id: string; readonly goes: ReadPosition["goes"] }
);

/**
 * Marks messages of chats as read that the person has read by now: a limited number, in the order in which they were
 * sent. Call it with the reports that are left, in further transactions, until none is. Idempotent.
 */
export async function recordReadReports(
  core: Base,
  tx: Queryable,
  reports: readonly ReadReport[],
): Promise<AppliedReads> {
  const parts = [...Map.groupBy(reports, partOf).values()];
  const rows = await tx.query<Row>(APPLY_READS, [
    jsonRows(parts.flatMap((part, index) => part.map((report) => readReportRow(report, index)))),
    statusesBelow("read"),
    core.clock.now(),
    Math.max(MIN_MARKED_OF_CHAT, Math.floor(MAX_MARKED / parts.length)),
  ]);
  const left = new Map<ReadReport, ReadPosition>();
  const statuses = rows.flatMap((row) => {
    const part = parts[row.part] ?? [];
    if (!row.is_next) return part.slice(0, 1).flatMap((report) => statusesOf(report, row, "read", null));
    for (const report of part) left.set(report, { goes: row.goes, sentAt: row.sent_at, id: row.id });
    return [];
  });
  return { facts: await factsOfStatuses(core, tx, statuses), left };
}

/** Reports of a chat that are equally far are applied together. */
function partOf({ chat, readFrom: from }: ReadReport): string {
  return from === undefined ? chat : [chat, from.goes, from.sentAt, from.id].join(" ");
}

function readReportRow({ accountId, chat, event: { upTo, at }, readFrom }: ReadReport, part: number): object {
  const [externalId, sentAt] = "externalId" in upTo ? [upTo.externalId, null] : [null, upTo.sentAt];
  const from = { goes: readFrom?.goes ?? "back", from_at: readFrom?.sentAt, from_id: readFrom?.id };
  return { part, account_id: accountId, chat, external_id: externalId, sent_at: sentAt, at, ...from };
}
