import type { Readable } from "node:stream";
import { type Queryable, sql } from "../../database/database.ts";
import { safeName } from "../../platform/file/download-name.ts";
import type { StagedUpload } from "../../platform/file/staged-upload.ts";
import { type Batcher, createBatcher } from "../../platform/queue/batcher.ts";
import type { Base } from "../base.ts";
import { storedName } from "../content.ts";
import { AppError } from "../errors.ts";
import { jsonValue } from "../json-rows.ts";
import { removeEach } from "../remove-each.ts";
import type { FileRef } from "../transport/events.ts";
import { IS_WAITING } from "./room.ts";

/**
 * A stored file with a public link. `size` in bytes; `open` streams the file, or a range of bytes (both ends
 * included).
 */
export interface PublicFile {
  readonly name: string | null;
  readonly mimeType: string;
  readonly size: number;
  open(range?: { readonly start: number; readonly end: number }): Readable;
}

/**
 * Expression: whether the file of an imported message waits for somebody to open it. Files without a token are being
 * written by ourselves.
 */
export const isAsleep = (file: string): string =>
  `(${file}.state = 'waiting' and ${file}.due = 'infinity' and ${file}.source ? 'token')`;

const FETCH_TIMEOUT_MS = 25_000;
const POLL_INTERVAL_MS = 1_000;
const FIND = sql(
  "files_by_key",
  `select f.key, f.id, f.name, f.mime_type, f.size, f.state, ${isAsleep("f")} as is_asleep
   from files f where f.key = any($1)`,
);
const WAKE = sql("files_wake", `update files f set due = now() where f.key = $1 and ${isAsleep("f")}`);

interface FoundFile {
  readonly key: string;
  readonly id: string;
  readonly name: string | null;
  readonly mime_type: string | null;
  readonly size: number | null;
  readonly state: string;
  /** Of an imported message, and not opened yet. */
  readonly is_asleep: boolean;
}

/** Every waiting request asks again with each file that arrives, so those of a node ask together. */
type FileLookups = Batcher<string, FoundFile | undefined>;

export interface HasFileLookups {
  readonly fileLookups: FileLookups;
}

export function createFileLookups(db: Queryable): FileLookups {
  return createBatcher({
    run: async (keys: readonly string[]) => {
      const rows = await db.query<FoundFile>(FIND, [keys]);
      const found = new Map(rows.map((row) => [row.key, row]));
      return keys.map((key) => found.get(key));
    },
    maxItems: 500,
    maxConcurrent: 2,
  });
}

/**
 * Opens the file of a link. A link is published before its file has been downloaded, so this waits up to 25 seconds
 * for a pending download, or until the client has gone, then throws UNAVAILABLE. Opening the file of an imported message
 * starts its download. Throws NOT_FOUND for an unknown key
 * and for a file whose download failed.
 */
export async function openPublicFile(
  core: Base & HasFileLookups,
  key: string,
  gone: AbortSignal,
): Promise<PublicFile> {
  const until = core.clock.monotonicMs() + FETCH_TIMEOUT_MS;
  for (;;) {
    const arrival = nextArrival(core);
    const row = await core.fileLookups.add(key);
    if (row?.state === "waiting" && row.is_asleep) await core.db.query(WAKE, [key]);
    if (row?.state === "waiting" && !gone.aborted && core.clock.monotonicMs() < until) {
      await arrival.happened;
      continue;
    }
    arrival.cancel();
    if (row?.state === "waiting")
      throw new AppError("UNAVAILABLE", {
        retryAfter: 10,
        description: "The file is still being fetched from the messenger",
      });
    const size = row?.state === "stored" ? await core.files.size(row.id) : undefined;
    if (row === undefined || size === undefined)
      throw new AppError("NOT_FOUND", { description: "There is no such file" });
    const { id, name, mime_type: mimeType } = row;
    return {
      name,
      mimeType: mimeType ?? "application/octet-stream",
      size,
      open: (range) => core.files.open(id, range),
    };
  }
}

function nextArrival(core: Base): { happened: Promise<void>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, POLL_INTERVAL_MS);
  const off = core.signals.on("files", () => resolve());
  const cancel = (): void => {
    clearTimeout(timer);
    off();
    resolve();
  };
  return { happened: promise.finally(cancel), cancel };
}

/** What attempts to download a file have written. */
export interface FileProgress {
  readonly upload: StagedUpload;
  /** Of the content, see `OpenedFile`. Null: the download cannot be continued. */
  readonly validator: string | null;
  /** Everything is written; only the completion is missing. */
  readonly isWhole: boolean;
  readonly name: string | null;
  readonly mimeType: string | null;
}

/** A file of an inbound message that has not been downloaded yet. */
export interface WaitingFile {
  readonly accountId: number;
  /** Of the account; null: it has none. */
  readonly partnerId: number | null;
  readonly id: string;
  readonly channelId: string;
  readonly source: FileRef;
  readonly attempts: number;
  readonly progress: FileProgress | null;
  /** The quota had no room for so many bytes of it; null: that is not known. */
  readonly neededBytes: number | null;
  /** The picture of a chat, which may not exist. */
  readonly isAvatar: boolean;
  /** Our id of the chat that shows it; null: it was deleted meanwhile. */
  readonly chat: string | null;
  /** The message that shows it; null: the picture of a chat. */
  readonly messageId: string | null;
}

/**
 * Expression: when the latest of the files that are due became due, in seconds since 1970; null if none is due. Files of
 * channels without a session remain due, so a worker compares it with what it has seen.
 */
export const LATEST_DUE_FILE = `(select extract(epoch from due)::float8 from files
  where state = 'waiting' and due <= now() order by due desc limit 1)`;

const CLAIM = "now() + interval '11 minutes'";
const TAKE = sql(
  "files_take",
  `with due as (
     select account_id, id from files
     where state = 'waiting' and channel_id = any($1) and due <= now() and id <> all($3)
       and (cardinality($4::bigint[]) = 0 or not exists (
         select 1 from accounts a where a.id = any(array[files.account_id]) and a.partner_id = any($4)))
     order by due limit $2 for update skip locked)
   update files f set due = ${CLAIM}, attempts = attempts + 1 from due
   where f.account_id = any(array[due.account_id]) and f.id = due.id
   returning f.account_id, (select a.partner_id from accounts a where a.id = any(array[f.account_id])) as partner_id, f.id, f.channel_id, f.source, f.attempts, f.progress, f.needed_bytes, f.avatar_of is not null as is_avatar, f.message_id,
     coalesce(f.avatar_of, (select m.chat from messages m
                            where m.account_id = any(array[f.account_id]) and m.id = f.message_id)) as chat`,
);

/**
 * Claims pending files of these channels for a few minutes, without those that the node already downloads, and without
 * those of accounts of full partners. If the node dies, a later poll claims them again.
 */
export async function takeWaitingFiles(
  db: Queryable,
  channelIds: readonly string[],
  limit: number,
  {
    running = [],
    fullPartners = [],
  }: { readonly running?: readonly string[]; readonly fullPartners?: readonly number[] } = {},
): Promise<WaitingFile[]> {
  const rows = await db.query<{
    account_id: number;
    partner_id: number | null;
    id: string;
    channel_id: string;
    source: FileRef;
    attempts: number;
    progress: FileProgress | null;
    needed_bytes: number | null;
    is_avatar: boolean;
    chat: string | null;
    message_id: string | null;
  }>(TAKE, [channelIds, limit, running, fullPartners]);
  return rows.map((row) => ({
    accountId: row.account_id,
    partnerId: row.partner_id,
    id: row.id,
    channelId: row.channel_id,
    source: row.source,
    attempts: row.attempts,
    progress: row.progress,
    neededBytes: row.needed_bytes,
    isAvatar: row.is_avatar,
    chat: row.chat,
    messageId: row.message_id,
  }));
}

// A claim is identified by its number of attempts.
const EXTEND = sql(
  "file_extend_claim",
  `update files set due = ${CLAIM}, progress = coalesce($4, progress)
   where account_id = $1 and id = $2 and ${IS_WAITING} and attempts = $3 returning 1`,
);

/**
 * Extends the claim on a file whose download continues, and stores its progress. False: the claim was lost, or the file
 * was stored or deleted.
 */
export async function extendClaim(
  db: Queryable,
  { accountId, id, attempts }: WaitingFile,
  progress: FileProgress | null = null,
): Promise<boolean> {
  const values = [accountId, id, attempts, progress && jsonValue(progress)];
  return (await db.query(EXTEND, values)).length > 0;
}

// Files of a deleted chat must not come back (`deleteHistoryBatch`). A file counts once, even if it is reported
// repeatedly; what was reserved for it, and is more than its size, is free again.
const STORED = sql(
  "file_stored",
  `with file as (
     select account_id, id, case when state = 'stored' then 0 else $3::bigint - coalesce(counted_bytes, 0) end as more
     from files where account_id = $1 and id = $2 and isfinite(created_at) for update
   ), room as (
     insert into account_usage as u (account_id, file_bytes)
     select account_id, more from file where more <> 0 and (more < 0 or $6::bigint = 0 or more <= $6::bigint)
     on conflict (account_id) do update set file_bytes = greatest(0, u.file_bytes + excluded.file_bytes)
       where excluded.file_bytes < 0 or $6::bigint = 0 or u.file_bytes + excluded.file_bytes <= $6::bigint
     returning account_id
   ), stored as (
     update files f set state = 'stored', size = $3, counted_bytes = $3, mime_type = coalesce(mime_type, $4),
       name = coalesce(name, $5), failure = null, progress = null, needed_bytes = null
     from file where f.account_id = any(array[file.account_id]) and f.id = file.id and (file.more <= 0 or exists (select 1 from room))
     returning f.account_id, f.id, f.avatar_of
   ), shown as (
     update chats c set avatar_file_id = s.id from stored s
     where s.avatar_of is not null and c.account_id = any(array[s.account_id]) and c.id = s.avatar_of
   )
   select case when exists (select 1 from stored) then 'stored' when exists (select 1 from file) then 'full' else 'gone' end
     as outcome`,
);

/**
 * "full", with no effect: the account's files would exceed `maxBytes` in total (0: no limit). "gone": the file was deleted
 * meanwhile; the caller removes its content.
 */
export type StoreOutcome = "stored" | "full" | "gone";

/** Idempotent. */
export async function markStored(
  db: Queryable,
  file: Pick<WaitingFile, "accountId" | "id">,
  {
    maxBytes = 0,
    ...stored
  }: {
    readonly size: number;
    readonly mimeType: string | null;
    readonly name: string | null;
    readonly maxBytes?: number;
  },
): Promise<StoreOutcome> {
  // The files of messages have names already; the pictures of chats get theirs now.
  const { mimeType } = stored;
  const name = storedName(
    { name: safeName(stored.name ?? ""), ...(mimeType !== null && { mimeType }) },
    "image",
  );
  const [result] = await db.query<{ outcome: StoreOutcome }>(STORED, [
    file.accountId,
    file.id,
    stored.size,
    stored.mimeType,
    name,
    maxBytes,
  ]);
  return result?.outcome ?? "gone";
}

const FAILED = sql(
  "file_failed",
  `with file as (
     select account_id, id, $7::bigint - coalesce(counted_bytes, 0) as more
     from files where account_id = $1 and id = $2 and ${IS_WAITING} and attempts = $5 for update
   ), counted as (
     insert into account_usage as u (account_id, file_bytes) select account_id, more from file where more <> 0
     on conflict (account_id) do update set file_bytes = greatest(0, u.file_bytes + excluded.file_bytes)
   )
   update files f set state = case when $3::float8 is null then 'failed' else 'waiting' end, failure = $4,
     due = now() + coalesce($3, 0) * interval '1 millisecond', progress = $6, counted_bytes = $7,
     needed_bytes = coalesce($8, needed_bytes)
   from file where f.account_id = any(array[file.account_id]) and f.id = file.id`,
);

/** What a failed attempt leaves. */
export interface FetchFailure {
  readonly reason: string;
  /** Delay of the next attempt; null: there is none. */
  readonly againMs: number | null;
  /** What the next attempt continues; only this still counts for the quota. */
  readonly progress?: FileProgress | null;
  /** The quota had no room for so many bytes. */
  readonly neededBytes?: number | null;
}

/** No effect if the file was stored or claimed again meanwhile. */
export async function markFetchFailed(
  db: Queryable,
  file: Pick<WaitingFile, "accountId" | "id" | "attempts">,
  { reason, againMs, progress = null, neededBytes = null }: FetchFailure,
): Promise<void> {
  await db.query(FAILED, [
    file.accountId,
    file.id,
    againMs,
    jsonValue(reason),
    file.attempts,
    progress && jsonValue(progress),
    progress?.upload.bytes ?? 0,
    neededBytes,
  ]);
}

/** Uploads belong to no channel until they are sent. */
export const NO_CHANNEL = "00000000-0000-0000-0000-000000000000";

const OLD = sql(
  "files_old",
  `select account_id, id, progress from files where created_at < now() - $1 * interval '1 day'
   order by created_at, id limit $2 offset $3`,
);
/** Uploads are never due for a download, so `due` is infinite. */
const INTERRUPTED = sql(
  "files_interrupted",
  `select account_id, id, progress from files
   where channel_id = '${NO_CHANNEL}' and due = 'infinity' and state = 'waiting' and created_at < now() - interval '6 hours'
   order by id limit $1 offset $2`,
);
const REMOVE = sql(
  "file_remove",
  `with gone as (delete from files where account_id = $1 and id = $2 returning account_id, counted_bytes)
   update account_usage u set file_bytes = greatest(0, u.file_bytes - gone.counted_bytes) from gone
   where u.account_id = any(array[gone.account_id]) and gone.counted_bytes is not null`,
);

/** Deletes the row of a file whose content has been removed; its bytes no longer count. */
export async function forgetFile(
  db: Queryable,
  { accountId, id }: Pick<WaitingFile, "accountId" | "id">,
): Promise<void> {
  await db.query(REMOVE, [accountId, id]);
}

interface RemovedFile {
  readonly account_id: number;
  readonly id: string;
  readonly progress: FileProgress | null;
}

/**
 * Deletes up to this many files of inbound messages that are older, and as many interrupted uploads; returns their
 * number. Their links become invalid. See `removeEach` for files that cannot be removed.
 */
export async function removeOldFiles(
  { db, files }: Pick<Base, "db" | "files">,
  { days, ...run }: { readonly days: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<number> {
  const remove = async ({ account_id: accountId, id, progress }: RemovedFile): Promise<void> => {
    if (progress !== null) await files.discard(id, progress.upload);
    // The file first: a row without its file is found again, a file without its row would remain forever.
    await files.remove(id);
    await forgetFile(db, { accountId, id });
  };
  const old = (count: number, skipped: number) => db.query<RemovedFile>(OLD, [days, count, skipped]);
  const interrupted = (count: number, skipped: number) =>
    db.query<RemovedFile>(INTERRUPTED, [count, skipped]);
  const removed = await removeEach({ ...run, read: interrupted, remove });
  return removed + (await removeEach({ ...run, read: old, remove }));
}
