import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import type { Database, Queryable } from "./database.ts";
import { sqlState } from "./failure.ts";
import { MIGRATION_LOCK } from "./locks.ts";
import { attemptUntilUnlocked, isLocked, PATIENCE, type Patience } from "./migration-attempts.ts";

/** One file `NNNN_name.sql`; the version is its leading number. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** The database was migrated by a newer release. */
export class SchemaNewerError extends Error {
  override readonly name = "SchemaNewerError";
  constructor(databaseVersion: number, ourVersion: number) {
    super(
      `The database has schema version ${databaseVersion}, but this release supports versions up to ${ourVersion}. ` +
        "Start the newer release, or restore a backup that was made before the update.",
    );
  }
}

/** The text of an applied migration has changed. */
export class MigrationChangedError extends Error {
  override readonly name = "MigrationChangedError";
  constructor(name: string) {
    super(
      `The migration ${name} was changed after it had been applied. Restore its text and put the change into a new migration.`,
    );
  }
}

const DIRECTORY = join(import.meta.dirname, "migrations");

/**
 * Brings the schema up to date, forward only. Safe to call from several nodes at once: one applies the migrations,
 * the others wait and find nothing to do. Each migration is one transaction. It waits for a lock only for a moment, so
 * that nobody waits behind it for long, and is tried again; throws `MigrationBlockedError` when it never gets one.
 * Returns the names of the applied migrations.
 */
export async function migrate(
  db: Database,
  options: { directory?: string; patience?: Patience; log?: Log } = {},
): Promise<{ applied: string[] }> {
  const { directory = DIRECTORY, patience = PATIENCE, log } = options;
  const migrations = await readMigrations(directory);
  return db.session(async (session) => {
    await session.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await createVersionTable(session);
    const pending = await findPending(session, migrations);
    const [{ pid = 0 } = {}] = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
    for (const migration of pending)
      await attemptUntilUnlocked(() => apply(session, migration, patience), {
        migration: migration.name,
        pid,
        observer: db,
        patience,
        log,
      });
    return { applied: pending.map(({ name }) => name) };
  });
}

async function createVersionTable(session: Queryable): Promise<void> {
  try {
    await session.query(
      "create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())",
    );
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    throw new Error(
      `The user of DATABASE_URL may not create tables: ${messageOf(error)}. Make it the owner of the database.`,
      { cause: error },
    );
  }
}

/** The names of the migrations that `migrate` would apply. Throws like it. */
export async function pendingMigrations(db: Queryable, directory: string = DIRECTORY): Promise<string[]> {
  const pending = await findPending(db, await readMigrations(directory));
  return pending.map(({ name }) => name);
}

/** The schema version of the database; 0 if it is empty. */
export async function schemaVersion(db: Queryable): Promise<number> {
  const [table] = await db.query<{ present: boolean }>(
    "select to_regclass('schema_migrations') is not null as present",
  );
  if (table?.present !== true) return 0;
  const [row] = await db.query<{ version: number | null }>(
    "select max(version) as version from schema_migrations",
  );
  return row?.version ?? 0;
}

async function findPending(db: Queryable, migrations: readonly Migration[]): Promise<Migration[]> {
  const current = await schemaVersion(db);
  const newest = migrations.at(-1)?.version ?? 0;
  if (current > newest) throw new SchemaNewerError(current, newest);
  if (current === 0) return [...migrations];
  const applied = await db.query<{ version: number; checksum: string }>(
    "select version, checksum from schema_migrations",
  );
  const checksums = new Map(applied.map(({ version, checksum }) => [version, checksum]));
  for (const { version, name, checksum } of migrations) {
    const known = checksums.get(version);
    if (known !== undefined && known !== checksum) throw new MigrationChangedError(name);
  }
  return migrations.filter(({ version }) => !checksums.has(version));
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
    throw new Error(`The migration ${name} failed and was rolled back: ${String(cause)}`, { cause });
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  const migrations = await Promise.all(files.map((file) => readMigration(directory, file)));
  for (const [index, { name, version }] of migrations.entries())
    if (version === migrations[index - 1]?.version)
      throw new Error(`The migration ${name} has the same number as another migration`);
  return migrations;
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  const text = await readFile(join(directory, file), "utf8");
  // Line endings are normalised, because a checkout may have changed them.
  const checksum = createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
  return { version: Number(file.slice(0, 4)), name: file.slice(0, -4), text, checksum };
}
