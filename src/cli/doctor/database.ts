import { cellFault, idRange, joinedCells } from "../../core/cell.ts";
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
import { checkDirectory } from "./directory.ts";
import { checkMoves } from "./moves.ts";
import { checkSinkQueue } from "./sink.ts";

const OLDEST_VERSION = 150_000;
const MAX_CLOCK_DIFFERENCE_MS = 1_000;
/** The migration with the table of the moves. */
const MOVES_VERSION = 38;
/** The migration with the table of the sink. */
const SINK_VERSION = 50;
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
  const version = await schemaVersion(db);
  return [
    await checkServer(place),
    ...(await checkDurability(db)),
    await checkConnections(place),
    await checkClock(db),
    await checkSchema(db),
    await checkKey(place),
    ...(await checkCell(place)),
    ...(version === 0 ? [] : await checkDirectory(place)),
    ...(version < MOVES_VERSION ? [] : await checkMoves(db)),
    ...(version < SINK_VERSION ? [] : await checkSinkQueue(place)),
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

/** Nothing in an installation without names. */
async function checkCell({ db, config }: DatabaseContext): Promise<Finding[]> {
  if ((await schemaVersion(db)) === 0 || (await pendingMigrations(db)).length > 0) return [];
  const fault = await cellFault(db, config.cell);
  if (fault !== null) return [fail("cell", fault, "The service does not start with this setting")];
  const joined = await joinedCells(db);
  if (config.cell === null && joined.length === 0) return [];
  const { first, last } = await idRange(db);
  const others = joined.length === 0 ? "" : `; joined by ${joined.join(", ")}`;
  return [ok("cell", `${config.cell ?? "without a name"}, account ids from ${first} to ${last}${others}`)];
}
