import { knownFingerprint } from "../../core/key/installation-seal.ts";
import type { Queryable } from "../../database/database.ts";
import {
  describeWaiting,
  pendingMigrations,
  schemaVersion,
  waitingContracts,
} from "../../database/schema.ts";
import {
  readConnectionUse,
  readDurabilitySettings,
  readServerTime,
  readServerVersion,
} from "../../database/server-state.ts";
import { commandLine } from "../../platform/command-line.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createSeal } from "../../platform/seal.ts";
import { commandKeys, type DatabaseContext, withDatabase } from "../with-database.ts";
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

async function examine(place: DatabaseContext): Promise<Finding[]> {
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

async function checkServer({ db, embedded }: DatabaseContext): Promise<Finding> {
  const server = await readServerVersion(db);
  const detail = `PostgreSQL ${server?.version}, ${embedded === null ? "DATABASE_URL" : "embedded"}`;
  return (server?.number ?? 0) >= OLDEST_VERSION
    ? ok("database", detail)
    : fail("database", detail, "Update it: PostgreSQL 15 is the oldest supported version");
}

async function checkDurability(db: Queryable): Promise<Finding[]> {
  return (await readDurabilitySettings(db)).map(({ name, setting }) =>
    setting === "off"
      ? fail(name, "off: a crash can lose acknowledged messages", `Set ${name} = on in PostgreSQL`)
      : ok(name, setting),
  );
}

async function checkConnections({ db, config }: DatabaseContext): Promise<Finding> {
  const { max, used } = await readConnectionUse(db);
  const needed = config.databasePoolMax + 4;
  const detail = `${used} of ${max} connections in use; a node uses up to ${needed}`;
  return needed <= max
    ? ok("connections", detail)
    : warn("connections", detail, "Lower DATABASE_POOL_MAX or raise max_connections in PostgreSQL");
}

async function checkClock(db: Queryable): Promise<Finding> {
  const before = Date.now();
  const at = await readServerTime(db);
  const differenceMs = Math.round((at?.getTime() ?? Number.NaN) - (before + Date.now()) / 2);
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
      return warn(
        "schema",
        `${pending.join(", ")} pending`,
        `Start the service, or run "${commandLine("migrate")}"`,
      );
    const waiting = await waitingContracts(db);
    if (waiting.length === 0) return ok("schema", `version ${version}`);
    return warn("schema", waiting.map(describeWaiting).join("; "), WAITING_REMEDY);
  } catch (error) {
    return fail("schema", messageOf(error), "The service does not start with this schema");
  }
}

async function checkKey({ db, config }: DatabaseContext): Promise<Finding> {
  const { secretKey, otherKey } = await commandKeys(config);
  const { fingerprint, otherFingerprint } = createSeal(secretKey, { other: otherKey });
  if ((await schemaVersion(db)) === 0) return ok("key", `fingerprint ${fingerprint}, nothing sealed yet`);
  const known = await knownFingerprint(db);
  if (known === null || known === fingerprint) return ok("key", `fingerprint ${fingerprint}`);
  if (known === otherFingerprint)
    return warn(
      "key",
      `fingerprint ${fingerprint}, while some values are sealed with ${otherFingerprint}`,
      `Run "${commandLine("key rotate")}" once every node has these keys`,
    );
  return fail(
    "key",
    `fingerprint ${fingerprint}, but the database was used with ${known}`,
    "Set the SECRET_KEY that was used before; credentials cannot be opened with another one",
  );
}
