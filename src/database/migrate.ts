import type { Log } from "../platform/log.ts";
import { excludeOlderReleases } from "./contracts.ts";
import type { Database, Queryable } from "./database.ts";
import { sqlState } from "./failure.ts";
import { MIGRATION_LOCK } from "./locks.ts";
import { attemptUntilUnlocked, isLocked, PATIENCE, type Patience } from "./migration-attempts.ts";
import { MIGRATIONS, type Migration, readMigrations, versionOf } from "./migration-files.ts";
import { contractsWithNodes, createSchemaTables, findLacking, type WaitingContract } from "./schema.ts";

export interface MigrateOptions {
  readonly directory?: string | undefined;
  readonly patience?: Patience;
  readonly log?: Log;
}

export interface Migrated {
  /** The names of the migrations that this call applied. */
  readonly applied: readonly string[];
  /** What has to wait until nodes of earlier releases have ended. */
  readonly waiting: readonly WaitingContract[];
  /** The schema version of this release. */
  readonly version: number;
}

/**
 * Brings the schema up to date, forward only: first every expand, then the contracts, up to the first that a working node
 * forbids. Safe to call at any time from several nodes at once: one applies the migrations, the others wait for the
 * expands. Each migration is one transaction. It waits for a lock only for a moment, so that nobody waits behind it for
 * long, and is tried again; throws `MigrationBlockedError` when it never gets one. A database that a later release has
 * migrated is left as it is, unless a contract of that release excludes this one (`ReleaseTooOldError`).
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<Migrated> {
  const migrations = await readMigrations(options.directory ?? MIGRATIONS);
  const version = versionOf(migrations);
  const lacking = await findLacking(db, migrations);
  const hasExpands = lacking.isEmpty || lacking.expands.length > 0;
  if (!hasExpands && lacking.contracts.length === 0) return { applied: [], waiting: [], version };
  return db.session(async (session) => {
    // A contract may take long, and nobody has to wait for it.
    if (!(await lock(session, { wait: hasExpands })))
      return { applied: [], waiting: await contractsWithNodes(session, lacking.contracts), version };
    await createSchemaTables(session);
    const run = await createRun(session, db, options);
    const { expands, contracts } = await findLacking(session, migrations);
    for (const expand of expands) await run.apply(expand);
    const waiting = await applyContracts(session, contracts, run);
    return { applied: run.applied, waiting, version };
  });
}

async function lock(session: Queryable, { wait }: { wait: boolean }): Promise<boolean> {
  if (wait) await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  else {
    const [row] = await session.query<{ got: boolean }>("select pg_try_advisory_lock($1) as got", [
      MIGRATION_LOCK,
    ]);
    return row?.got === true;
  }
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
  const { patience = PATIENCE, log } = options;
  const [{ pid = 0 } = {}] = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
  const applied: string[] = [];
  return {
    applied,
    async apply(migration) {
      const attempt = (): Promise<void> => apply(session, migration, patience);
      await attemptUntilUnlocked(attempt, { migration: migration.name, pid, observer: db, patience, log });
      applied.push(migration.name);
    },
  };
}

async function apply(
  session: Queryable,
  { version, name, text, checksum }: Migration,
  { lockTimeoutMs }: Patience,
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
    // Without an answer of PostgreSQL the connection broke, perhaps after the commit; the next attempt sees which.
    const what = sqlState(cause) === undefined ? "was interrupted" : "failed and was rolled back";
    throw new Error(`The migration ${name} ${what}: ${String(cause)}`, { cause });
  }
}
