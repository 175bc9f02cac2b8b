import { messageOf } from "../platform/message-of.ts";
import type { Queryable } from "./database.ts";
import { sqlState } from "./failure.ts";
import { MIGRATIONS, type Migration, readMigrations, versionOf } from "./migration-files.ts";

/** A contract has changed the schema, or is about to change it, so that this release does not work with it. */
export class ReleaseTooOldError extends Error {
  override readonly name = "ReleaseTooOldError";
  constructor({ version, contract }: Floor, ours: number) {
    super(
      `Since the migration ${contract}, the database needs a release with schema version ${version} or later; this release has ${ours}. ` +
        "Start a later release, or restore a backup that was made before that migration.",
    );
  }
}

/** The text of an applied migration has been changed. */
export class MigrationChangedError extends Error {
  override readonly name = "MigrationChangedError";
  constructor(name: string) {
    super(
      `The database was set up by another build: its migration ${name} differs from that of this release. Nothing was changed. Start the release that set up the database, or restore a backup into an empty database of this release. In development: restore the text of the migration, and put the change into a new one.`,
    );
  }
}

/** The lowest schema version that a node may have, and the contract that set it; 0 and "" before any contract. */
export interface Floor {
  readonly version: number;
  readonly contract: string;
}

/** A running node that does not know an expand. */
export interface OlderNode {
  readonly name: string;
  readonly version: number;
}

/** A contract that is not applied. `nodes` still need what it removes; none: it can be applied. */
export interface WaitingContract {
  readonly name: string;
  /** The schema version that every node needs first. */
  readonly after: number;
  readonly nodes: readonly OlderNode[];
}

const TABLES = `
  create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());
  -- The lowest schema version that a node may have: raised before a contract is applied, and checked by whoever joins.
  create table if not exists schema_floor (
    is_only boolean primary key default true check (is_only),
    version integer not null default 0,
    contract text not null default '',
    since timestamptz not null default now());
  insert into schema_floor default values on conflict do nothing`;

/** Creates the tables of the migrations themselves. Idempotent. */
export async function createSchemaTables(session: Queryable): Promise<void> {
  try {
    await session.query(TABLES);
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    throw new Error(
      `The user of DATABASE_URL may not create tables: ${messageOf(error)}. Make it the owner of the database.`,
      { cause: error },
    );
  }
}

/** The migrations that a database lacks. `isEmpty`: it was never migrated. */
export interface Lacking {
  readonly isEmpty: boolean;
  readonly expands: readonly Migration[];
  readonly contracts: readonly Migration[];
}

/**
 * Compares the database with a release's migrations. Migrations of a later release are allowed unless one of its
 * contracts is applied. Throws `ReleaseTooOldError` and `MigrationChangedError`.
 */
export async function findLacking(db: Queryable, migrations: readonly Migration[]): Promise<Lacking> {
  const checksums = await readApplied(db);
  if (checksums === null) return { isEmpty: true, ...divided(migrations) };
  const floor = await readFloor(db);
  if (floor.version > versionOf(migrations)) throw new ReleaseTooOldError(floor, versionOf(migrations));
  for (const { version, name, checksum } of migrations)
    if ((checksums.get(version) ?? checksum) !== checksum) throw new MigrationChangedError(name);
  return { isEmpty: false, ...divided(migrations.filter(({ version }) => !checksums.has(version))) };
}

function divided(migrations: readonly Migration[]): Pick<Lacking, "expands" | "contracts"> {
  const isExpand = ({ after }: Migration): boolean => after === null;
  return { expands: migrations.filter(isExpand), contracts: migrations.filter((each) => !isExpand(each)) };
}

/** Checksums by version; null if the database was never migrated. */
async function readApplied(db: Queryable): Promise<Map<number, string> | null> {
  if (!(await hasTable(db, "schema_floor"))) return null;
  const rows = await db.query<{ version: number; checksum: string }>(
    "select version, checksum from schema_migrations",
  );
  return new Map(rows.map(({ version, checksum }) => [version, checksum]));
}

export async function readFloor(db: Queryable): Promise<Floor> {
  const [floor] = await db.query<Floor>("select version, contract from schema_floor");
  return floor ?? { version: 0, contract: "" };
}

/** Names of the expands that `migrate` would apply. Throws the same errors. */
export async function pendingMigrations(db: Queryable, directory: string = MIGRATIONS): Promise<string[]> {
  const { expands } = await findLacking(db, await readMigrations(directory));
  return expands.map(({ name }) => name);
}

/**
 * The contracts that are not applied yet, with the nodes that need what they remove. Throws the errors of `migrate`.
 */
export async function waitingContracts(
  db: Queryable,
  directory: string = MIGRATIONS,
): Promise<WaitingContract[]> {
  const { contracts } = await findLacking(db, await readMigrations(directory));
  return contractsWithNodes(db, contracts);
}

export async function contractsWithNodes(
  db: Queryable,
  contracts: readonly Migration[],
): Promise<WaitingContract[]> {
  const waiting: WaitingContract[] = [];
  for (const { name, after } of contracts)
    waiting.push({ name, after: after ?? 0, nodes: await olderNodes(db, after ?? 0) });
  return waiting;
}

/** Nodes with a schema version below this one that are running, or may believe that they are. */
export async function olderNodes(db: Queryable, version: number): Promise<OlderNode[]> {
  if (!(await hasTable(db, "nodes"))) return [];
  return db.query<OlderNode>(
    "select name, schema_version as version from nodes where schema_version < $1 and lease_until > now() order by name",
    [version],
  );
}

/** The schema version of the database; 0 if it is empty. */
export async function schemaVersion(db: Queryable): Promise<number> {
  if (!(await hasTable(db, "schema_migrations"))) return 0;
  const [row] = await db.query<{ version: number | null }>(
    "select max(version) as version from schema_migrations",
  );
  return row?.version ?? 0;
}

export async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ present: boolean }>("select to_regclass($1) is not null as present", [name]);
  return row?.present === true;
}

/** One line for the operator. */
export function describeWaiting({ name, after, nodes }: WaitingContract): string {
  if (nodes.length === 0) return `${name} is applied by the upkeep or the next start`;
  const list = nodes.map((node) => `${node.name} (schema version ${node.version})`).join(", ");
  return `${name} waits for nodes with a schema version below ${after}: ${list}`;
}
