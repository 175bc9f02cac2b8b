import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { isWaiting } from "../delivery/cursor/waiting.ts";
import { AppError } from "../errors.ts";
import { checkFiles } from "../quota/files.ts";
import { lockAccount } from "../quota/quotas.ts";
import { removeEach } from "../remove-each.ts";
import type { Scope } from "../scope.ts";
import { exportUrl } from "./link.ts";

/** Messages of a period, both ends included, of one channel or all. */
export interface ExportRequest {
  readonly startAt: Date;
  readonly endAt: Date;
  readonly channelId: string | null;
}

/** `webhook_failed`: the file is ready, but a receiver has not accepted the webhook about it. */
export type ExportStatus = "pending" | "processing" | "done" | "webhook_failed";

export interface MessageExport {
  readonly id: string;
  readonly status: ExportStatus;
  /** Link to the file, once it exists. Anyone with the link can download the file until the export is deleted. */
  readonly url: string | null;
}

/** Maximum unfinished exports of an account. */
const MAX_OPEN = 100;

// Channels that were deleted without their chats can be exported too.
const CHANNEL = sql("message_export_channel", "select id from channels where account_id = $1 and id = $2");
const INSERT = sql(
  "message_export_insert",
  `insert into message_exports (account_id, id, start_at, end_at, channel_id)
   select $1, $2, $3, $4, $5
   where (select count(*) from message_exports where account_id = $1 and finished_at is null) < ${MAX_OPEN}
      or exists (select 1 from message_exports where account_id = $1 and id = $2)
   on conflict (account_id, id) do update set id = excluded.id returning xmax = 0 as is_new`,
);

/**
 * Requests an export. A node with the role `jobs` writes it, one at a time per account. `operationId`, if given,
 * becomes its id and makes the request idempotent. Throws CHANNEL_NOT_FOUND, EXPORT_QUEUE_FULL and QUOTA_EXCEEDED.
 */
export async function requestExport(
  core: Base,
  { accountId }: Scope,
  { startAt, endAt, channelId }: ExportRequest,
  operationId: string | null = null,
): Promise<MessageExport> {
  if (channelId !== null && (await core.db.query(CHANNEL, [accountId, channelId])).length === 0)
    throw new AppError("CHANNEL_NOT_FOUND");
  await checkFiles(core, { accountId });
  const id = operationId ?? newId();
  await core.db.tx(async (tx) => {
    // Concurrent requests must count each other.
    await lockAccount(tx, { accountId });
    const [row] = await tx.query<{ is_new: boolean }>(INSERT, [accountId, id, startAt, endAt, channelId]);
    if (row === undefined) throw new AppError("EXPORT_QUEUE_FULL");
    const details = { startAt, endAt, channelId };
    if (row.is_new) await audit(tx, { accountId, action: "message.export", subject: id, details });
  });
  core.signals.notify("exports");
  return getExport(core, { accountId }, id);
}

/** The event that reports the end of an export. */
const EXPORT_EVENT = "messages_dump.status_update";

const COLUMNS = `x.started_at as "startedAt", x.finished_at as "finishedAt", x.expires_at as "expiresAt",
     x.start_at as "startAt", x.end_at as "endAt", exists (
       select 1 from events e where e.subject = any(array[x.id::text]) and e.account_id = x.account_id and e.kind = '${EXPORT_EVENT}' and (
         exists (
           select 1 from webhook_endpoints r cross join lateral (
             select state from webhook_retries w
             where w.account_id = any(array[r.account_id]) and w.endpoint_id = any(array[r.id]) and w.event_id = any(array[e.id])) w
           where r.account_id = any(array[e.account_id]) and w.state <> 'kept')
         or exists (
           select 1 from webhook_cursors c
           join webhook_endpoints r on r.account_id = any(array[c.account_id]) and r.id = any(array[c.endpoint_id])
           where c.account_id = any(array[e.account_id]) and (c.attempts > 0 or r.failing_since is not null)
             and ${isWaiting("c", "e")}))) as undelivered`;
const FIND = sql(
  "message_export_find",
  `select ${COLUMNS} from message_exports x where x.account_id = $1 and x.id = $2`,
);

interface ExportRow {
  readonly startAt: Date;
  readonly endAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly undelivered: boolean;
}

/** Throws EXPORT_NOT_FOUND, also for an export that was deleted with its file. */
export async function getExport(core: Base, { accountId }: Scope, id: string): Promise<MessageExport> {
  const [row] = await core.db.query<ExportRow>(FIND, [accountId, id]);
  if (row === undefined || (row.expiresAt !== null && row.expiresAt <= core.clock.now()))
    throw new AppError("EXPORT_NOT_FOUND");
  const { startAt, endAt, expiresAt } = row;
  const url = expiresAt === null ? null : exportUrl(core, { id, startAt, endAt, expiresAt });
  return { id, url, status: statusOf(row) };
}

function statusOf({
  startedAt,
  finishedAt,
  undelivered,
}: Pick<ExportRow, "startedAt" | "finishedAt" | "undelivered">): ExportStatus {
  if (finishedAt !== null) return undelivered ? "webhook_failed" : "done";
  return startedAt === null ? "pending" : "processing";
}

/** An export as an operator sees it. */
export interface ListedExport {
  readonly id: string;
  readonly accountId: number;
  readonly status: ExportStatus;
  /** Null: all channels of the account. */
  readonly channelId: string | null;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  /** When its file is deleted; null until there is one. */
  readonly expiresAt: Date | null;
  /** Messages written so far. */
  readonly messages: number;
  /** Failed attempts. */
  readonly failures: number;
  /** The node that is writing it. */
  readonly node: string | null;
}

/** Exports of one account, or of all, newest first, without those whose file was deleted. */
export async function listExports(db: Queryable, accountId: number | null): Promise<ListedExport[]> {
  const rows = await db.query<ExportRow & Omit<ListedExport, "status">>(
    `select ${COLUMNS}, x.id, x.account_id as "accountId", x.channel_id as "channelId",
       x.requested_at as "requestedAt", x.messages, x.failures, n.name as node
     from message_exports x left join nodes n on n.id = x.claim and n.lease_until > now()
     where ($1::bigint is null or x.account_id = $1) and (x.expires_at is null or x.expires_at > now())
     order by x.requested_at desc, x.id`,
    [accountId],
  );
  return rows.map(({ undelivered, startedAt, ...rest }) => ({
    ...rest,
    status: statusOf({ undelivered, startedAt, ...rest }),
  }));
}

const EXPIRED = sql(
  "message_exports_expired",
  "select account_id, id from message_exports where expires_at <= now() order by expires_at, id limit $1 offset $2",
);
const REMOVE = sql("message_export_remove", "delete from message_exports where account_id = $1 and id = $2");

/** Deletes up to this many expired exports with their files, as `removeEach` does; returns their number. */
export async function removeExpired(
  core: { db: Queryable; files: Base["files"] },
  run: { readonly limit: number; readonly signal: AbortSignal },
): Promise<number> {
  return removeEach<{ account_id: number; id: string }>({
    ...run,
    read: (count, skipped) => core.db.query(EXPIRED, [count, skipped]),
    async remove({ account_id: accountId, id }) {
      // The file first: a row without its file is found again, a file without its row would remain forever.
      await core.files.remove(id);
      await core.db.query(REMOVE, [accountId, id]);
    },
  });
}
