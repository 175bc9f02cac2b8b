import { type Queryable, sql } from "../../database/database.ts";
import type { StagedUpload } from "../../platform/file/staged-upload.ts";
import { firstIdAt, ID_LAG_MS } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import { announce, publish } from "../event/publish.ts";
import type { Scope } from "../scope.ts";
import { exportUrl } from "./link.ts";

/** Progress of an export. Everything up to `afterId` is in `draft` and, after it, `tail`. */
export interface Progress {
  readonly afterId: string;
  readonly messages: number;
  /** All messages have been read. */
  readonly isRead: boolean;
  readonly draft: StagedUpload | null;
  /** Text that is too short for a piece of the draft; null: none. */
  readonly tail: Buffer | null;
}

/** An export that this node has claimed. */
export interface ExportJob extends Scope {
  readonly id: string;
  readonly nodeId: string;
  /** Version of this claim: writes of earlier claims have no effect. */
  readonly claimVersion: number;
  /** Writer of the next part of the draft: the same as before if the last claim was released after a success. */
  readonly writer: number;
  readonly startAt: Date;
  readonly endAt: Date;
  readonly channelId: string | null;
  readonly failures: number;
  readonly progress: Progress;
}

/** Messengers' clocks may be ahead of ours. */
const CLOCK_SKEW_MS = 24 * 3_600_000;

/** Expression: whether any export is unfinished. */
export const HAS_EXPORTS = "(select true from message_exports where finished_at is null limit 1)";

/**
 * The first unfinished export of each account, unless a live node has claimed it. Accounts that have waited longest
 * come first, so that an account with many or large exports delays others by at most one turn.
 */
const CLAIM = sql(
  "message_exports_claim",
  `with heads as (
     select distinct on (account_id) account_id, id from message_exports where finished_at is null
     order by account_id, claim is null, requested_at, id
   ), free as (
     select x.account_id, x.id, x.claim is null and x.failures = 0 as is_released from heads h
     join message_exports x on x.account_id = h.account_id and x.id = h.id
     where x.finished_at is null and x.due <= now()
       and (x.claim is null or x.claim not in (select n.id from nodes n where n.lease_until > now())
            or (x.claim = $1 and x.id <> all($3::uuid[])))
     order by (select w.worked_at from message_exports w where w.account_id = x.account_id and w.worked_at is not null
               order by w.account_id desc, w.worked_at desc limit 1) nulls first, x.requested_at
     limit $2 for update of x skip locked
   )
   update message_exports x set claim = $1, claim_version = x.claim_version + 1, started_at = coalesce(x.started_at, now())
   from free where x.account_id = free.account_id and x.id = free.id
   returning x.account_id, x.id, x.claim_version, free.is_released, x.start_at, x.end_at, x.channel_id, x.failures, x.after_id, x.messages, x.is_read, x.draft, x.tail`,
);

interface ClaimedRow {
  readonly account_id: number;
  readonly id: string;
  readonly claim_version: number;
  readonly is_released: boolean;
  readonly start_at: Date;
  readonly end_at: Date;
  readonly channel_id: string | null;
  readonly failures: number;
  readonly after_id: string | null;
  readonly messages: number;
  readonly is_read: boolean;
  readonly draft: StagedUpload | null;
  readonly tail: Buffer | null;
}

/**
 * Claims exports that no node works on, whose node died, or that this node has claimed but lost track of. Never two
 * of one account.
 */
export async function claimExports(
  db: Queryable,
  nodeId: string,
  { limit, inHand }: { readonly limit: number; readonly inHand: readonly string[] },
): Promise<ExportJob[]> {
  const rows = await db.query<ClaimedRow>(CLAIM, [nodeId, limit, inHand]);
  return rows.map((row) => ({
    accountId: row.account_id,
    id: row.id,
    nodeId,
    claimVersion: row.claim_version,
    writer: row.is_released && row.draft !== null ? row.draft.writer : row.claim_version,
    startAt: row.start_at,
    endAt: row.end_at,
    channelId: row.channel_id,
    failures: row.failures,
    progress: {
      afterId: row.after_id ?? beginningOf(row.start_at),
      messages: row.messages,
      isRead: row.is_read,
      draft: row.draft,
      tail: row.tail,
    },
  }));
}

/** Messages from this time on have no smaller id, because ids start with the time of storing. */
function beginningOf(startAt: Date): string {
  return firstIdAt(startAt.getTime() - ID_LAG_MS - CLOCK_SKEW_MS);
}

const OURS = "account_id = $1 and id = $2 and claim = $3 and claim_version = $4";
const keyOf = ({ accountId, id, nodeId, claimVersion }: ExportJob): unknown[] => [
  accountId,
  id,
  nodeId,
  claimVersion,
];

const SAVE = sql(
  "message_export_save",
  `update message_exports set after_id = $5, messages = $6, is_read = $7, draft = $8, tail = $9, failures = 0 where ${OURS} returning id`,
);

/** Saves the progress. False: another node has claimed the export. */
export async function saveProgress(db: Queryable, job: ExportJob, progress: Progress): Promise<boolean> {
  const { afterId, messages, isRead, draft, tail } = progress;
  const values = [...keyOf(job), afterId, messages, isRead, draft && JSON.stringify(draft), tail];
  return (await db.query(SAVE, values)).length > 0;
}

const RELEASE = sql(
  "message_export_release",
  `update message_exports set claim = null, worked_at = now(), failures = failures + $6, due = now() + $5 * interval '1 millisecond'
   where ${OURS}`,
);

/** Releases the export, to be continued from the last saved progress: others may be waiting, or the node stops. */
export async function releaseExport(db: Queryable, job: ExportJob): Promise<void> {
  await db.query(RELEASE, [...keyOf(job), 0, 0]);
}

/** The same after a failure, with a delay. */
export async function postponeExport(db: Queryable, job: ExportJob, ms: number): Promise<void> {
  await db.query(RELEASE, [...keyOf(job), ms, 1]);
}

const RESTART = sql(
  "message_export_restart",
  `update message_exports set after_id = null, messages = 0, is_read = false, draft = null, tail = null where ${OURS}`,
);

/** The written part is lost: the next attempt starts from the beginning. */
export async function restartExport(db: Queryable, job: ExportJob): Promise<void> {
  await db.query(RESTART, keyOf(job));
}

const FINISH = sql(
  "message_export_finish",
  `update message_exports set finished_at = now(), expires_at = date_trunc('second', now()) + $5 * interval '1 millisecond',
     worked_at = now(), claim = null, draft = jsonb_build_object('bytes', draft -> 'bytes')
   where ${OURS} returning expires_at`,
);

/** The file is complete: publishes it, once. False: another node has claimed the export. */
export async function finishExport(core: Base, job: ExportJob, retentionMs: number): Promise<boolean> {
  const { accountId, id: exportId } = job;
  const published = await core.db.tx(async (tx) => {
    const [row] = await tx.query<{ expires_at: Date }>(FINISH, [...keyOf(job), retentionMs]);
    if (row === undefined) return null;
    const url = exportUrl(core, { ...job, expiresAt: row.expires_at });
    return publish(tx, [{ kind: "export", export: { accountId, exportId, status: "done", url } }]);
  });
  announce(core, published ?? []);
  return published !== null;
}
