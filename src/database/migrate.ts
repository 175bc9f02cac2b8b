import type { Log } from "../platform/log.ts";
import { excludeOlderReleases } from "./contracts.ts";
import type { Database, Queryable } from "./database.ts";
import { sqlState } from "./failure.ts";
import { MIGRATION_LOCK } from "./locks.ts";
import { attemptUntilUnlocked, isLocked, RETRY_POLICY, type RetryPolicy } from "./migration-attempts.ts";
import { MIGRATIONS, type Migration, readMigrations, versionOf } from "./migration-files.ts";
import { contractsWithNodes, createSchemaTables, findLacking, type WaitingContract } from "./schema.ts";

export interface MigrateOptions {
  readonly directory?: string | undefined;
  readonly retry?: RetryPolicy;
  readonly log?: Log;
}

export interface Migrated {
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[];
  /** Contracts that have to wait until nodes of earlier releases have stopped. */
  readonly waiting: readonly WaitingContract[];
  /** The schema version of this release. */
  readonly version: number;
}

/**
 * Brings the schema up to date, forward only: first every expand, then the contracts, up to the first one that a
 * running node forbids. May be called at any time by several nodes: one applies the migrations, the others wait for
 * the expands. Each migration is one transaction. It waits for locks only briefly, so that it does not block others
 * for long, and is retried; throws `MigrationBlockedError` if it never gets a lock. A database migrated by a later
 * release is left unchanged; throws `ReleaseTooOldError` if a contract of that release excludes this one.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<Migrated> {
  const migrations = await readMigrations(options.directory ?? MIGRATIONS);
  const version = versionOf(migrations);
  const lacking = await findLacking(db, migrations);
  const hasExpands = lacking.isEmpty || lacking.expands.length > 0;
  if (!hasExpands && lacking.contracts.length === 0) return { applied: [], waiting: [], version };
  return db.session(async (session) => {
    // A contract may take long, and nothing has to wait for it.
    if (!(await lock(session, { wait: hasExpands, log: options.log })))
      return { applied: [], waiting: await contractsWithNodes(session, lacking.contracts), version };
    await createSchemaTables(session);
    const run = await createRun(session, db, options);
    const { expands, contracts } = await findLacking(session, migrations);
    for (const expand of expands) await run.apply(expand);
    const waiting = await applyContracts(session, contracts, run);
    return { applied: run.applied, waiting, version };
  });
}

const LOCK = "select pg_advisory_lock($1)";
const TRY_LOCK = "select pg_try_advisory_lock($1) as got";

/** False: another node holds it, and `wait` is false. */
async function lock(
  session: Queryable,
  { wait, log }: { readonly wait: boolean; readonly log: Log | undefined },
): Promise<boolean> {
  const [row] = await session.query<{ got: boolean }>(TRY_LOCK, [MIGRATION_LOCK]);
  if (row?.got === true || !wait) return row?.got === true;
  log?.info("another node is migrating the database; waiting for it");
  await session.query(LOCK, [MIGRATION_LOCK]);
  return true;
}

/** Returns those that were not applied. */
async function applyContracts(
  session: Queryable,
  contracts: readonly Migration[],
  run: Run,
): Promise<WaitingContract[]> {
  for (const [index, contract] of contracts.entries()) {
    const older = await excludeOlderReleases(session, contract);
    if (older.length > 0) return contractsWithNodes(session, contracts.slice(index));
    await run.apply(contract);
  }
  return [];
}

interface Run {
  readonly applied: string[];
  apply(migration: Migration): Promise<void>;
}

async function createRun(session: Queryable, db: Database, options: MigrateOptions): Promise<Run> {
  const { retry = RETRY_POLICY, log } = options;
  const [{ pid = 0 } = {}] = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
  const applied: string[] = [];
  return {
    applied,
    async apply(migration) {
      const attempt = (): Promise<void> => apply(session, migration, retry);
      await attemptUntilUnlocked(attempt, { migration: migration.name, pid, observer: db, retry, log });
      applied.push(migration.name);
    },
  };
}

async function apply(
  session: Queryable,
  { version, name, text, checksum }: Migration,
  { lockTimeoutMs }: RetryPolicy,
): Promise<void> {
  try {
    await session.query("begin");
    await session.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await session.query(text);
    await session.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
      version,
      name,
      checksum,
    ]);
    await session.query("commit");
  } catch (cause) {
    await session.query("rollback").catch(() => {});
    if (isLocked(cause)) throw cause;
    // Without a response of PostgreSQL the connection broke, perhaps after the commit; the next attempt finds out.
    const what = sqlState(cause) === undefined ? "was interrupted" : "failed and was rolled back";
    throw new Error(`The migration ${name} ${what}: ${String(cause)}`, { cause });
  }
}
