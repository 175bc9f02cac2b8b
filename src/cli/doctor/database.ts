import { resolveSecretKeys } from "../../config.ts";
import type { Queryable } from "../../database/database.ts";
import {
  describeWaiting,
  pendingMigrations,
  schemaVersion,
  waitingContracts,
} from "../../database/schema.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createSeal } from "../../platform/seal.ts";
import { type Workplace, withDatabase } from "../with-database.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const OLDEST_VERSION = 150_000;
const MAX_CLOCK_DIFFERENCE_MS = 1_000;
const WAITING_REMEDY = "Replace the nodes of earlier releases; the upkeep applies the rest";

/** All database checks, or why the database cannot be reached. */
export async function checkDatabase(): Promise<Finding[]> {
  try {
    return await withDatabase(examine, { migrated: false });
  } catch (error) {
    return [fail("database", messageOf(error), "The service cannot store anything until this is fixed")];
  }
}

async function examine(place: Workplace): Promise<Finding[]> {
  const { db } = place;
  return [
    await checkServer(place),
    ...(await checkDurability(db)),
    await checkConnections(place),
    await checkClock(db),
    await checkSchema(db),
    await checkKey(place),
  ];
}

async function checkServer({ db, embedded }: Workplace): Promise<Finding> {
  const [row] = await db.query<{ number: number; version: string }>(
    "select current_setting('server_version_num')::integer as number, current_setting('server_version') as version",
  );
  const detail = `PostgreSQL ${row?.version}, ${embedded === null ? "DATABASE_URL" : "embedded"}`;
  return (row?.number ?? 0) >= OLDEST_VERSION
    ? ok("database", detail)
    : fail("database", detail, "Update it: PostgreSQL 15 is the oldest supported version");
}

/** Settings that prevent the loss of acknowledged messages in a power failure. */
async function checkDurability(db: Queryable): Promise<Finding[]> {
  const rows = await db.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name",
  );
  return rows.map(({ name, setting }) =>
    setting === "off"
      ? fail(name, "off: a crash can lose acknowledged messages", `Set ${name} = on in PostgreSQL`)
      : ok(name, setting),
  );
}

async function checkConnections({ db, config }: Workplace): Promise<Finding> {
  const [row] = await db.query<{ max: number; used: number }>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as max,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const { max = 0, used = 0 } = row ?? {};
  const needed = config.databasePoolMax + 4;
  const detail = `${used} of ${max} connections in use; a node uses up to ${needed}`;
  return needed <= max
    ? ok("connections", detail)
    : warn("connections", detail, "Lower DATABASE_POOL_MAX or raise max_connections in PostgreSQL");
}

async function checkClock(db: Queryable): Promise<Finding> {
  const before = Date.now();
  const [row] = await db.query<{ at: Date }>("select clock_timestamp() as at");
  const differenceMs = Math.round((row?.at.getTime() ?? Number.NaN) - (before + Date.now()) / 2);
  const detail = `${differenceMs} ms apart from the database's`;
  return Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS
    ? ok("clock", detail)
    : warn("clock", detail, "Synchronise the clocks of both machines (NTP)");
}

async function checkSchema(db: Queryable): Promise<Finding> {
  try {
    const version = await schemaVersion(db);
    const pending = await pendingMigrations(db);
    if (pending.length > 0)
      return warn("schema", `${pending.join(", ")} pending`, 'Start the service, or run "trunkline migrate"');
    const waiting = await waitingContracts(db);
    if (waiting.length === 0) return ok("schema", `version ${version}`);
    return warn("schema", waiting.map(describeWaiting).join("; "), WAITING_REMEDY);
  } catch (error) {
    return fail("schema", messageOf(error), "The service does not start with this schema");
  }
}

async function checkKey({ db, config }: Workplace): Promise<Finding> {
  const { secretKey, otherKey } = await resolveSecretKeys(config);
  const { fingerprint, otherFingerprint } = createSeal(secretKey, { other: otherKey });
  if ((await schemaVersion(db)) === 0) return ok("key", `fingerprint ${fingerprint}, nothing sealed yet`);
  const [row] = await db.query<{ value: string }>(
    "select value from installation where key = 'key_fingerprint'",
  );
  if (row === undefined || row.value === fingerprint) return ok("key", `fingerprint ${fingerprint}`);
  if (row.value === otherFingerprint)
    return warn(
      "key",
      `fingerprint ${fingerprint}, while some values are sealed with ${otherFingerprint}`,
      'Run "trunkline key rotate" once every node has these keys',
    );
  return fail(
    "key",
    `fingerprint ${fingerprint}, but the database was used with ${row.value}`,
    "Set the SECRET_KEY that was used before; credentials cannot be opened with another one",
  );
}
