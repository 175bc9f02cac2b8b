import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Queryable } from "../../database/database.ts";
import { MOVE_COMMAND_LOCK } from "../../database/locks.ts";
import { schemaVersion } from "../../database/schema.ts";
import type { FileStore } from "../../platform/file/files.ts";
import { newId } from "../../platform/ids.ts";
import { audit } from "../audit/audit.ts";
import { bringUpToDate, type Copying, copyLate, readProgress } from "./copy.ts";
import { copyFiles } from "./files.ts";
import {
  announce,
  asMove,
  beginAtSource,
  clearSource,
  continueAs,
  fence,
  followChanges,
  goOn,
  hold,
  isDrained,
  releaseSource,
  setMoved,
  sourceMove,
} from "./source.ts";
import { type AccountTable, accountTables } from "./tables.ts";
import {
  admitIds,
  advanceIds,
  announceArrival,
  arrive,
  beginAtTarget,
  clearTarget,
  collision,
  startOver,
  targetMove,
  untilReplicated,
  withdraw,
} from "./target.ts";

/** The account cannot be moved, or not now; the message says why. */
export class MoveFailed extends Error {
  override readonly name = "MoveFailed";
}

/** A cell, as the command that moves an account sees it. */
export interface Cell {
  readonly db: Database;
  /** Fingerprint of its SECRET_KEY. */
  readonly fingerprint: string;
  /** Identifies the key from which callbacks, links and tokens are derived. */
  readonly derivation: string;
}

export interface MoveOptions {
  readonly accountId: number;
  readonly source: Cell;
  readonly target: Cell;
  /** Where the nodes of the source reach those of the target, such as `http://10.0.0.7:8080`. */
  readonly address: string;
  /** The stores of the files; null: both cells use the same one. */
  readonly files: { readonly from: FileStore; readonly to: FileStore } | null;
  progress(line: string): void;
}

export interface Moved {
  readonly accountId: number;
  /** For how long the account's requests waited, in ms; null if an earlier run made the switch. */
  readonly pausedMs: number | null;
}

/** The account rests only once so little is left to copy. */
const FEW_CHANGES = 500;
const MAX_PASSES = 20;
/** For work under way at the source to end by itself. */
const DRAIN_MS = 1_500;
const POLL_MS = 20;
/** In the last attempt nothing is waited for: what nodes are doing counts as after a crash. */
const ATTEMPTS = 6;
const PAUSE_BETWEEN_MS = 5_000;

/**
 * Moves an account from one cell to another while it works. An interrupted move continues when it is called again with
 * the same arguments, unless it was revoked. Throws `MoveFailed`.
 */
export function moveAccount(options: MoveOptions): Promise<Moved> {
  return exclusively(options, async () => {
    await refuseUnfit(options);
    const state = await begin(options);
    if (state.isOver) return { accountId: options.accountId, pausedMs: null };
    const { moveId } = state;
    const pausedMs = state.isSwitched
      ? null
      : await copyAndSwitch({ ...options, moveId, tables: await accountTables(options.source.db) });
    if (state.isSwitched) await setMoved(options.source.db, options.accountId, moveId);
    await untilReplicated(options.target.db, () => sleep(POLL_MS));
    await clearSource(options.source.db, options);
    await removeFiles(options);
    return { accountId: options.accountId, pausedMs };
  });
}

/** Ends a move that has not become effective; the account goes on at the source. Throws `MoveFailed` if it has. */
export function revokeMove(options: Omit<MoveOptions, "files" | "address">): Promise<void> {
  const { accountId, source, target, progress } = options;
  return exclusively(options, async () => {
    const present = await sourceMove(source.db, accountId);
    const isOver = present?.state === "moved" || present?.state === "left";
    const withdrawn = isOver ? null : await withdraw(target.db, accountId);
    if (isOver || (await targetMove(target.db, accountId))?.state === "arrived")
      throw new MoveFailed(`The account ${accountId} has already moved. Move it back to have it here again.`);
    if (present === null && withdrawn === null)
      throw new MoveFailed(`There is no move of account ${accountId} between these cells.`);
    await releaseSource(source.db, accountId);
    progress("the account goes on at the source");
    if (withdrawn !== null) await clearTarget(target.db, accountId);
    await audit(source.db, { accountId, action: "account.move_revoke" });
  });
}

/** One command at a time works on the move of an account. */
function exclusively<T>(
  { source, accountId }: Pick<MoveOptions, "source" | "accountId">,
  work: () => Promise<T>,
): Promise<T> {
  return source.db.session(async (session) => {
    const [row] = await session.query<{ is_ours: boolean }>(
      "select pg_try_advisory_lock($1, $2) as is_ours",
      [MOVE_COMMAND_LOCK, accountId],
    );
    if (row?.is_ours !== true)
      throw new MoveFailed(`Another command is moving account ${accountId}. Wait for it, or end it.`);
    return work();
  });
}

/** Reasons for which the account cannot work at the target. */
async function refuseUnfit({ source, target, accountId }: MoveOptions): Promise<void> {
  const [ours, theirs] = [await schemaVersion(source.db), await schemaVersion(target.db)];
  if (ours !== theirs)
    throw new MoveFailed(
      `The source has schema version ${ours} and the target ${theirs}. Start the same release on both.`,
    );
  const [here, there] = [await databaseIdOf(source.db), await databaseIdOf(target.db)];
  if (here !== null && here === there) throw new MoveFailed("Source and target are the same database.");
  if (source.fingerprint !== target.fingerprint)
    throw new MoveFailed(
      `The cells have different SECRET_KEYs (fingerprints ${source.fingerprint} and ${target.fingerprint}), so the target could not read the account's sealed values. Rotate the key of one of them with "key rotate".`,
    );
  if (source.derivation !== target.derivation)
    throw new MoveFailed(
      `The cells derive different secrets, so callbacks of messengers and links of the account would be refused at the target. Take over those of the source with "key adopt" before the target is used.`,
    );
  await refusePartners(source.db, accountId);
}

async function databaseIdOf(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>("select current_database_id() as id");
  return row?.id ?? null;
}

const PARTNERS = `select
    (select count(*)::int from accounts where id = $1 and partner_id is not null) as of_partner,
    (select count(*)::int from oauth_grants where account_id = $1) as grants,
    (select count(*)::int from webhook_endpoints where account_id = $1 and partner_id is not null) as receivers`;

async function refusePartners(db: Queryable, accountId: number): Promise<void> {
  const [row] = await db.query<{ of_partner: number; grants: number; receivers: number }>(PARTNERS, [
    accountId,
  ]);
  if (row === undefined || row.of_partner + row.grants + row.receivers === 0) return;
  throw new MoveFailed(
    `The account ${accountId} belongs to a partner, or has granted access to a partner's application. Partners and their applications exist in one cell only, so it cannot be moved.`,
  );
}

interface Begun {
  readonly moveId: string;
  /** The target has the account. */
  readonly isSwitched: boolean;
  /** Nothing is left to do. */
  readonly isOver: boolean;
}

/** Begins the move, or finds where an earlier run stopped. */
async function begin(options: MoveOptions): Promise<Begun> {
  const { source, target, accountId, address } = options;
  const here = await sourceMove(source.db, accountId);
  const there = await targetMove(target.db, accountId);
  if (here === null) return beginAnew(options);
  const { moveId } = here;
  if (here.state === "left") return { moveId, isSwitched: true, isOver: true };
  if (there === null && here.state === "copying") {
    await refuseKnown(target.db, accountId);
    await beginAtTarget(target.db, accountId, moveId);
  } else if (there?.state === "arriving" && there.moveId !== moveId && here.state !== "moved") {
    // An earlier run has withdrawn its switch and stopped before the source knew.
    await continueAs(source.db, accountId, there.moveId);
    return { moveId: there.moveId, isSwitched: false, isOver: false };
  } else if (there?.moveId !== moveId)
    throw new MoveFailed(
      `A move of account ${accountId} to another cell, or one that was revoked in part, is not finished. Name that cell, or revoke the move.`,
    );
  if (address !== here.address)
    await source.db.query("update account_moves set address = $2 where account_id = $1 and side = 'source'", [
      accountId,
      address,
    ]);
  return { moveId, isSwitched: there?.state === "arrived" || here.state === "moved", isOver: false };
}

async function beginAnew({ source, target, accountId, address, progress }: MoveOptions): Promise<Begun> {
  if ((await source.db.query("select 1 from accounts where id = $1", [accountId])).length === 0)
    throw new MoveFailed(`There is no account ${accountId} in this cell.`);
  const there = await targetMove(target.db, accountId);
  if (there?.state === "arrived") throw new MoveFailed(`The target already has an account ${accountId}.`);
  if (there !== null) {
    progress("removing what a revoked move has copied");
    await clearTarget(target.db, accountId);
  }
  await refuseKnown(target.db, accountId);
  const moveId = newId();
  await beginAtSource(source.db, { accountId, moveId, address });
  await beginAtTarget(target.db, accountId, moveId);
  // Of the installation: the account takes its own entries with it.
  await audit(source.db, {
    accountId: null,
    action: "account.move",
    subject: String(accountId),
    details: { address },
  });
  return { moveId, isSwitched: false, isOver: false };
}

const IS_LEAVING =
  "select 1 from account_moves where account_id = $1 and side = 'source' and state <> 'left'";

/** Ids of accounts of different cells may collide unless the cells have ranges of ids. */
async function refuseKnown(target: Database, accountId: number): Promise<void> {
  if ((await target.query(IS_LEAVING, [accountId])).length > 0)
    throw new MoveFailed(
      `The account ${accountId} has not left the target completely. Repeat that move first.`,
    );
  if ((await target.query("select 1 from accounts where id = $1", [accountId])).length > 0)
    throw new MoveFailed(`The target already has an account ${accountId}.`);
}

type Running = MoveOptions & { readonly moveId: string; readonly tables: readonly AccountTable[] };

/** Returns for how long the account's requests waited. */
async function copyAndSwitch(move: Running): Promise<number> {
  const { source, target, accountId, progress } = move;
  const isFenced = (await sourceMove(source.db, accountId))?.state === "fenced";
  const copied = new Set<string>();
  if (!isFenced) {
    await followChanges(source.db, accountId);
    await admitIds(source.db, target.db);
    await copyUntilFew(move, copied);
  }
  for (let attempt = 1; ; attempt++) {
    await refuseCollision(move);
    const restedAt = await switchOrGoOn(move, { copied, attempt, isFenced });
    if (restedAt !== null) {
      announceArrival(target.db);
      await setMoved(source.db, accountId, move.moveId);
      const pausedMs = Math.round(performance.now() - restedAt);
      progress(`the target has the account; its requests waited for ${pausedMs} ms`);
      return pausedMs;
    }
    progress("the account is busy; it goes on, and the switch is tried again");
    await sleep(PAUSE_BETWEEN_MS);
    await copyUntilFew(move, copied);
  }
}

async function refuseCollision({ source, target, accountId }: Running): Promise<void> {
  const found = await collision(source.db, target.db, accountId);
  if (found !== null) throw new MoveFailed(`The account ${accountId} cannot be moved: ${found}.`);
}

interface Attempt {
  readonly copied: Set<string>;
  /** Counted from 1. */
  readonly attempt: number;
  /** An earlier run has done so. */
  readonly isFenced: boolean;
}

class StillBusy extends Error {
  override readonly name = "StillBusy";
}

/**
 * Returns since when the account's requests have waited; null if the account cannot rest yet. After an error the account
 * goes on at the source, unless the target has it.
 */
async function switchOrGoOn(move: Running, { copied, attempt, isFenced }: Attempt): Promise<number | null> {
  const { source, target, accountId } = move;
  let restedAt = performance.now();
  try {
    await makeSwitch(move, copied, async () => {
      restedAt = performance.now();
      if (!isFenced && !(await rest(move, attempt))) throw new StillBusy();
    });
  } catch (error) {
    if (error instanceof StillBusy) return null;
    const moveId = await withdraw(target.db, accountId);
    if (moveId === null && (await targetMove(target.db, accountId))?.state === "arrived") return restedAt;
    if (moveId !== null) await continueAs(source.db, accountId, moveId);
    throw error;
  }
  return restedAt;
}

/** Copies again and again, each time what has changed since. */
async function copyUntilFew(move: Running, copied: Set<string>): Promise<void> {
  await startOverAfterFailover(move);
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const changes = await copyOnce(move, copied);
    if (pass > 1) move.progress(`${changes} changed rows`);
    if (pass > 1 && changes <= FEW_CHANGES) return;
  }
}

/** A promoted standby may lack rows that were copied, and no change says so. */
async function startOverAfterFailover({
  source,
  target,
  accountId,
  moveId,
  progress,
}: Running): Promise<void> {
  const present = await sourceMove(source.db, accountId);
  if (present === null || present.timeline === present.presentTimeline) return;
  progress("the source has failed over; the copy starts over");
  await startOver(target.db, accountId);
  await continueAs(source.db, accountId, moveId);
}

async function copyOnce(move: Running, copied: Set<string>): Promise<number> {
  const { source, target, accountId } = move;
  const { changes, forget } = await inSnapshot(source.db, async (snapshot) => {
    const done = await bringUpToDate(
      { ...move, source: snapshot, write: (work) => target.db.tx(work) },
      await readProgress(target.db, accountId),
    );
    await copyFiles(move.files, { source: snapshot, accountId, copied });
    return done;
  });
  await forget(source.db);
  return changes;
}

/** Reads of `work` see one state of the source, that after `prepare`, and reach its rows by indexes. */
function inSnapshot<T>(
  db: Database,
  work: (snapshot: Queryable) => Promise<T>,
  prepare: () => Promise<void> = async () => undefined,
): Promise<T> {
  return db.session(async (session) => {
    for (const setting of ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"])
      await session.query(`set ${setting} = off`);
    await prepare();
    await session.query("begin isolation level repeatable read read only");
    const result = await work(session);
    await session.query("commit");
    return result;
  });
}

/** Lets the account rest at the source. False: it cannot yet, and goes on. */
async function rest({ source, accountId, moveId }: Running, attempt: number): Promise<boolean> {
  await hold(source.db, accountId, moveId);
  const deadline = performance.now() + DRAIN_MS;
  let isDone = false;
  while (!isDone && performance.now() < deadline) {
    isDone = await isDrained(source.db, accountId);
    if (!isDone) await sleep(POLL_MS);
  }
  if ((isDone || attempt >= ATTEMPTS) && (await fence(source.db, accountId, moveId))) {
    announce(source.db);
    return true;
  }
  await goOn(source.db, accountId, moveId);
  return false;
}

/** Once `rest` has resolved, the rest is copied, and the target has the account, in one transaction of the target. */
async function makeSwitch(move: Running, copied: Set<string>, rest: () => Promise<void>): Promise<void> {
  const { source, target, accountId, moveId, files } = move;
  const known = await readProgress(target.db, accountId);
  const work = async (snapshot: Queryable): Promise<void> => {
    const present = await sourceMove(snapshot, accountId);
    if (present?.state !== "fenced" || present.timeline !== present.presentTimeline)
      throw new MoveFailed("The source has failed over. Repeat the command.");
    await advanceIds(snapshot, target.db);
    await copyFiles(files, { source: snapshot, accountId, copied });
    await target.db.tx(async (tx) => {
      await asMove(tx);
      await tx.query(
        "set local idle_in_transaction_session_timeout = '60s'; set local statement_timeout = '60s'",
      );
      const copying: Copying = { ...move, source: snapshot, write: (part) => part(tx) };
      await bringUpToDate(copying, known);
      await copyLate(copying, tx);
      await arrive(tx, { accountId, moveId, sharesFiles: files === null });
    });
  };
  await inSnapshot(source.db, work, rest);
}

async function removeFiles({ files, accountId, target }: MoveOptions): Promise<void> {
  if (files === null) return;
  const rows = await target.db.query<{ id: string }>(
    "select id from files where account_id = $1 and state = 'stored'",
    [accountId],
  );
  for (const { id } of rows) if ((await files.to.size(id)) !== undefined) await files.from.remove(id);
}
