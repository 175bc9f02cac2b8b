import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Queryable } from "../../database/database.ts";
import { MOVE_COMMAND_LOCK } from "../../database/locks.ts";
import { schemaVersion } from "../../database/schema.ts";
import { readDatabaseId } from "../../database/server-state.ts";
import type { FileStore } from "../../platform/file/files.ts";
import { newId } from "../../platform/ids.ts";
import { listAccount } from "../account/listing.ts";
import { audit } from "../audit/audit.ts";
import { registeredDatabase } from "../directory/cells.ts";
import { type Directory, DirectoryAway } from "../directory/directory.ts";
import { bringUpToDate, type Copying, copyLate, readProgress } from "./copy.ts";
import { copyFiles } from "./files.ts";
import {
  announce,
  asMove,
  beginAtSource,
  changeAddress,
  clearSource,
  continueAs,
  fence,
  followChanges,
  goOn,
  hold,
  isDrained,
  releaseSource,
  type SourceMove,
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
  type TargetMove,
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
  /** As the target uses it; null or left out: the cells have none. */
  readonly directory?: Directory | null;
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
    if (state.isOver) return confirmMoved(options);
    const { moveId } = state;
    const pausedMs = state.isSwitched
      ? null
      : await copyAndSwitch({ ...options, moveId, tables: await accountTables(options.source.db) });
    await listAtTarget(options);
    if (state.isSwitched) await setMoved(options.source.db, options.accountId, moveId);
    await untilReplicated(options.target.db, () => sleep(POLL_MS));
    await requireArrived(options);
    await clearSource(options.source.db, options);
    await removeFiles(options);
    return { accountId: options.accountId, pausedMs };
  });
}

/** The rows here are gone: looks whether the target has the account, so that nobody relies on a cell that has lost it. */
async function confirmMoved(options: MoveOptions): Promise<Moved> {
  const { source, target, accountId, progress } = options;
  const here = await sourceMove(source.db, accountId);
  const onward = await sourceMove(target.db, accountId);
  if (onward?.state === "moved" || onward?.state === "left")
    throw new MoveFailed(
      `The account ${accountId} has left this cell, and the target as well: it has moved on to ${onward.address}. Requests still find it there.`,
    );
  if (!(await hasArrived(options)))
    throw new MoveFailed(
      `The account ${accountId} has left this cell for ${here?.address}, and the target does not have it. Either it is not that cell, or it has failed over or was restored to a time before the move. Nothing of the account is left here: name the right cell, or bring the target to a later time.`,
    );
  progress(`nothing is left to do: account ${accountId} left this cell before, and the target has it`);
  await setAddress(options);
  return { accountId, pausedMs: null };
}

/** The nodes of the target may be reached elsewhere by now. */
async function setAddress({ source, accountId, address, progress }: MoveOptions): Promise<void> {
  if (await changeAddress(source.db, accountId, address))
    progress(`what arrives for the account is passed on to ${address}`);
}

/**
 * Ends a move that has not become effective, or that the target has lost; the account goes on at the source. `address`
 * null: not given. Throws `MoveFailed` if the target has the account, or has no part in the move.
 */
export function revokeMove(
  options: Omit<MoveOptions, "files" | "address" | "directory"> & { readonly address: string | null },
): Promise<void> {
  const { accountId, source, target, progress } = options;
  return exclusively(options, async () => {
    const present = await sourceMove(source.db, accountId);
    if (present !== null) await refuseUnrevocable(options, present);
    // The target may be taking it from another cell.
    else await requireAccount(source.db, accountId);
    const withdrawn = await withdraw(target.db, accountId);
    if (present === null && withdrawn === null)
      throw new MoveFailed(`There is no move of account ${accountId} between these cells.`);
    // A switch that was under way may have become effective.
    if (present !== null && (await hasArrived(options))) throw new MoveFailed(unfinishedMessage(accountId));
    await releaseSource(source.db, accountId);
    progress("the account goes on at the source");
    if (withdrawn !== null) await clearTarget(target.db, accountId);
    await audit(source.db, { accountId, action: "account.move_revoke" });
  });
}

async function hasArrived({
  target,
  accountId,
}: Pick<MoveOptions, "target" | "accountId">): Promise<boolean> {
  return (await targetMove(target.db, accountId))?.state === "arrived";
}

function unfinishedMessage(accountId: number): string {
  return `The account ${accountId} has already moved: the target has it. Repeat the command without --revoke to finish the move. To have the account here again, move it back then, with a command of that cell.`;
}

/** Reasons for which the account cannot go on at the source. */
async function refuseUnrevocable(
  {
    accountId,
    source,
    target,
    address,
  }: Pick<MoveOptions, "accountId" | "source" | "target"> & { readonly address: string | null },
  present: SourceMove,
): Promise<void> {
  if (present.state === "left")
    throw new MoveFailed(
      `The account ${accountId} has already moved to ${present.address}. To have it here again, move it back with a command of that cell.`,
    );
  if (await isSame(source, target))
    throw new MoveFailed(
      `Source and target are the same database. The account ${accountId} moves to the cell at ${present.address}: name that one with --to.`,
    );
  const there = await targetMove(target.db, accountId);
  if (there?.state === "arrived") throw new MoveFailed(unfinishedMessage(accountId));
  if (present.isClearing) throw new MoveFailed(lostMessage(accountId, present));
  // Of a cell that has no part in the move, nothing tells where the account is.
  if (there?.moveId === present.moveId || address === present.address) return;
  throw new MoveFailed(
    `The account ${accountId} moves to the cell at ${present.address}, and the target knows nothing of that move. Name that cell with --to. If the target is that cell, and was restored to an earlier time, add --address ${present.address}.`,
  );
}

function lostMessage(accountId: number, { address, isClearing }: SourceMove): string {
  const remedy = isClearing
    ? "the source has begun to remove its rows"
    : `or revoke the move with --address ${address}: the account then goes on at the source as it was at the switch`;
  return `The target does not have account ${accountId}. Either it is not the cell at ${address}, to which the account has moved, or it has failed over or was restored to a time before that. Bring it to a later time and repeat the command; ${remedy}.`;
}

/** The target may have lost the switch since the source saw it; then the only copy of the account is at the source. */
async function requireArrived({
  source,
  target,
  accountId,
}: Pick<MoveOptions, "source" | "target" | "accountId">): Promise<void> {
  if (await hasArrived({ target, accountId })) return;
  const present = await sourceMove(source.db, accountId);
  if (present !== null) throw new MoveFailed(lostMessage(accountId, present));
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

async function isSame(source: Cell, target: Cell): Promise<boolean> {
  const [here, there] = [await readDatabaseId(source.db), await readDatabaseId(target.db)];
  return here !== null && here === there;
}

/** Reasons for which the account cannot work at the target. */
async function refuseUnfit({ source, target, accountId, directory }: MoveOptions): Promise<void> {
  const [ours, theirs] = [await schemaVersion(source.db), await schemaVersion(target.db)];
  if (ours !== theirs)
    throw new MoveFailed(
      `The source has schema version ${ours} and the target ${theirs}. Start the same release on both.`,
    );
  if (await isSame(source, target)) throw new MoveFailed("Source and target are the same database.");
  if (source.fingerprint !== target.fingerprint)
    throw new MoveFailed(
      `The cells have different SECRET_KEYs (fingerprints ${source.fingerprint} and ${target.fingerprint}), so the target could not read the account's sealed values. Rotate the key of one of them with "key rotate".`,
    );
  if (source.derivation !== target.derivation)
    throw new MoveFailed(
      `The cells derive different secrets, so callbacks of messengers and links of the account would be refused at the target. Take over those of the source with "key adopt" before the target is used.`,
    );
  const present = (await sourceMove(source.db, accountId))?.state;
  if (present === "moved" || present === "left") return;
  if (directory == null) return refusePartners(source.db, accountId);
  // Later, requests may be waiting for the end of the move.
  if (present === undefined || present === "copying") await refuseUnlisted(target.db, directory);
  await refuseUnknownPartners({ source, target, accountId });
}

const THEIR_PARTNERS = `select array(
    select partner_id from accounts where id = $1 and partner_id is not null
    union select partner_id from oauth_grants where account_id = $1
    union select partner_id from webhook_endpoints where account_id = $1 and partner_id is not null) as partners,
  array(select client_id from oauth_grants where account_id = $1 and client_id is not null
    union select client_id from oauth_codes where account_id = $1) as clients`;
const UNKNOWN_PARTNERS = `select
    (select count(*)::int from unnest($1::bigint[]) p where p not in (select id from partners)) as partners,
    (select count(*)::int from unnest($2::uuid[]) c where c not in (select id from oauth_clients)) as clients`;

/** By the directory, the target knows the partners of all cells. */
async function refuseUnknownPartners({
  source,
  target,
  accountId,
}: Pick<MoveOptions, "source" | "target" | "accountId">): Promise<void> {
  const [theirs] = await source.db.query<{ partners: number[]; clients: string[] }>(THEIR_PARTNERS, [
    accountId,
  ]);
  const [unknown] = await target.db.query<{ partners: number; clients: number }>(UNKNOWN_PARTNERS, [
    theirs?.partners ?? [],
    theirs?.clients ?? [],
  ]);
  if (unknown === undefined || unknown.partners + unknown.clients === 0) return;
  throw new MoveFailed(
    `The target does not know a partner of account ${accountId}, or a partner's application. Its nodes take them over from the directory within seconds while they run; wait a minute, and see "partner list" in both cells.`,
  );
}

/** A move begins only while the directory answers, and only to a cell that uses the same one. */
async function refuseUnlisted(target: Database, directory: Directory): Promise<void> {
  const [known, there] = [
    await directory.ask((db) => registeredDatabase(db, directory.cell)),
    await readDatabaseId(target),
  ];
  if (known !== there)
    throw new MoveFailed(
      `The target is not the cell "${directory.cell}" that the directory knows. Start its nodes with the same DIRECTORY_URL, and wait a minute.`,
    );
}

/** If the directory is away, the upkeep of the target lists the account. */
async function listAtTarget({ target, accountId, directory, progress }: MoveOptions): Promise<void> {
  if (directory == null) return;
  try {
    await listAccount(target.db, directory, accountId);
  } catch (error) {
    if (!(error instanceof DirectoryAway)) throw error;
    progress("the directory cannot be reached; the target lists the account once it can");
  }
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
    `The account ${accountId} belongs to a partner, or has granted access to a partner's application. Without a directory (DIRECTORY_URL), partners and their applications exist in one cell only, so it cannot be moved.`,
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
  if (here.state === "moved") {
    await requireArrived(options);
    await setAddress(options);
    return { moveId, isSwitched: true, isOver: false };
  }
  // Changes are forgotten here once one cell has them, so another one's copy would lack them.
  if (there?.moveId !== moveId && address !== here.address)
    throw new MoveFailed(
      `The move of account ${accountId} to ${here.address} is not finished. Name that cell with --to and that address, or end the move with --revoke.`,
    );
  if (there === null && here.state === "copying") {
    await refuseKnown(target.db, accountId);
    await beginAtTarget(target.db, accountId, moveId);
  } else if (there?.state === "arriving" && there.moveId !== moveId) {
    // An earlier run has withdrawn its switch and stopped before the source knew.
    await continueAs(source.db, accountId, there.moveId);
    return { moveId: there.moveId, isSwitched: false, isOver: false };
  } else if (there?.moveId !== moveId)
    throw new MoveFailed(
      `The move of account ${accountId} to ${here.address} is not finished, and the target has no part in it. Name the cell at that address with --to. If the target is that cell, and was restored to an earlier time, end the move with --revoke --address ${here.address}.`,
    );
  await setAddress(options);
  return { moveId, isSwitched: there?.state === "arrived", isOver: false };
}

async function beginAnew({ source, target, accountId, address, progress }: MoveOptions): Promise<Begun> {
  await requireAccount(source.db, accountId);
  const there = await targetMove(target.db, accountId);
  if (there?.state === "arrived") throw new MoveFailed(`The target already has an account ${accountId}.`);
  if (there !== null) {
    progress("removing what a revoked move has copied");
    await clearTarget(target.db, accountId);
  }
  await refuseKnown(target.db, accountId);
  const moveId = newId();
  // The target first: if the command ends here, the source knows of no move, and any command begins anew.
  await beginAtTarget(target.db, accountId, moveId);
  await source.db.tx(async (tx) => {
    await beginAtSource(tx, { accountId, moveId, address });
    // Of the installation: the account takes its own entries with it.
    await audit(tx, {
      accountId: null,
      action: "account.move",
      subject: String(accountId),
      details: { address },
    });
  });
  return { moveId, isSwitched: false, isOver: false };
}

async function requireAccount(db: Database, accountId: number): Promise<void> {
  if ((await db.query("select 1 from accounts where id = $1", [accountId])).length === 0)
    throw new MoveFailed(`There is no account ${accountId} in this cell.`);
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

/** A promoted standby, of the source or the target, may lack rows that were copied, and no change says so. */
async function startOverAfterFailover({
  source,
  target,
  accountId,
  moveId,
  progress,
}: Running): Promise<void> {
  const ends = {
    source: await sourceMove(source.db, accountId),
    target: await targetMove(target.db, accountId),
  };
  const found = (["source", "target"] as const).find((end) => hasFailedOver(ends[end]));
  if (found === undefined) return;
  progress(`the ${found} has failed over; the copy starts over`);
  await startOver(target.db, accountId);
  await continueAs(source.db, accountId, moveId);
}

function hasFailedOver(end: SourceMove | TargetMove | null): boolean {
  return end !== null && end.timeline !== end.presentTimeline;
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
    if (present?.state !== "fenced" || hasFailedOver(present))
      throw new MoveFailed("The source has failed over. Repeat the command.");
    await advanceIds(snapshot, target.db);
    await copyFiles(files, { source: snapshot, accountId, copied });
    await target.db.tx(async (tx) => {
      await asMove(tx);
      await tx.query(
        "set local idle_in_transaction_session_timeout = '60s'; set local statement_timeout = '60s'",
      );
      if (hasFailedOver(await targetMove(tx, accountId)))
        throw new MoveFailed("The target has failed over. Repeat the command.");
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
