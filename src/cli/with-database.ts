import { pino } from "pino";
import { type Config, readConfig } from "../config.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { pendingMigrations, schemaVersion } from "../database/schema.ts";
import { createLog, type Log } from "../platform/log.ts";
import { transports } from "../transports/index.ts";
import { CommandFailed } from "./command.ts";

/** The context of a command: the service's own settings and database. */
export interface DatabaseContext {
  readonly config: Config;
  readonly db: Database;
  /** Null with DATABASE_URL. */
  readonly embedded: EmbeddedServer | null;
  readonly log: Log;
}

export function readCommandConfig(): Config {
  return readConfig(
    process.env,
    transports.map(({ definition }) => definition),
  );
}

/** Logs only problems, to stderr; stdout is reserved for the result. */
function commandLog(): Log {
  return createLog({ level: "warn", pretty: false, destination: pino.destination({ dest: 2, sync: true }) });
}

/**
 * Attaches to the database of the running service, or starts the embedded one for the duration of the command.
 * Migrates an empty database; a database with pending migrations is left to `migrate` or the service.
 */
export async function withDatabase<T>(
  work: (place: DatabaseContext) => Promise<T>,
  options: { migrated?: boolean } = {},
): Promise<T> {
  const config = readCommandConfig();
  const log = commandLog();
  const embedded =
    config.databaseUrl === undefined ? await startEmbedded({ dataDir: config.dataDir, log }) : null;
  const connection = embedded?.connection ?? config.databaseUrl ?? "";
  const db = openDatabase({ connection, max: 4, log, applicationName: "trunkline command" });
  try {
    if (options.migrated !== false) await ensureSchema(db);
    return await work({ config, db, embedded, log });
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

async function ensureSchema(db: Database): Promise<void> {
  if ((await schemaVersion(db)) === 0) await migrate(db);
  const pending = await pendingMigrations(db);
  if (pending.length > 0)
    throw new CommandFailed(
      `The database lacks the migrations ${pending.join(", ")}. Run "trunkline migrate", or start the service of this release.`,
    );
}
