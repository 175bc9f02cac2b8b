import { existsSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { type Config, readConfig, resolveSecretKeys } from "../config.ts";
import { refuseOtherCell } from "../core/cell.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { pendingMigrations, schemaVersion } from "../database/schema.ts";
import { commandLine } from "../platform/command-line.ts";
import { createLog, type Log } from "../platform/log.ts";
import { definitions } from "../transports/definitions.ts";
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
  return readConfig(process.env, definitions);
}

/** Logs only problems, to stderr; stdout is reserved for the result. */
export function commandLog(): Log {
  return createLog({ level: "warn", pretty: false, destination: pino.destination({ dest: 2, sync: true }) });
}

/** What a command requires of its database. */
interface Requirements {
  /** Default true: a database with pending migrations is left to `migrate` or the service. */
  readonly migrated?: boolean;
  /**
   * An empty database is refused by default: only `start` creates an installation, so a command that looks in the
   * wrong place creates no second one. `migrate`: that of DATABASE_URL is accepted. `restore`: an embedded one is also
   * created, beside the key that was restored.
   */
  readonly empty?: "migrate" | "restore";
}

/**
 * Attaches to the database of the running service, or starts the embedded one for the duration of the command. Throws
 * `CommandFailed`, which names the place, if there is no installation.
 */
export async function withDatabase<T>(
  work: (place: DatabaseContext) => Promise<T>,
  { migrated = true, empty }: Requirements = {},
): Promise<T> {
  const config = readCommandConfig();
  refuseMissingInstallation(config, empty === "restore");
  const log = commandLog();
  const embedded =
    config.databaseUrl === undefined ? await startEmbedded({ dataDir: config.dataDir, log }) : null;
  const connection = embedded?.connection ?? config.databaseUrl ?? "";
  const db = openDatabase({ connection, max: 4, log, applicationName: "trunkline command" });
  try {
    if (empty === undefined) await refuseEmpty(db);
    if (migrated) {
      await ensureSchema(db);
      await refuseOtherCell(db, config.cell);
    }
    return await work({ config, db, embedded, log });
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

const REMEDY = () =>
  `Run the command in the directory of the service's .env, or with its DATABASE_URL or DATA_DIR. To create an installation, start the service: "${commandLine("start")}".`;

/** Only with the embedded database: whether DATA_DIR contains one, or at least the key of the one to be restored. */
function refuseMissingInstallation({ databaseUrl, dataDir, secretKey }: Config, restores: boolean): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, "db", "PG_VERSION"))) return;
  if (restores && (secretKey !== undefined || existsSync(join(dataDir, "secret.key")))) return;
  const key = restores ? " To restore one, copy its secret.key there first." : "";
  throw new CommandFailed(`There is no installation in ${dataDir} (DATA_DIR).${key} ${REMEDY()}`);
}

async function refuseEmpty(db: Database): Promise<void> {
  if ((await schemaVersion(db)) > 0) return;
  throw new CommandFailed(`There is no installation in this database. ${REMEDY()}`);
}

/** SECRET_KEY, or the key of the installation. Throws `CommandFailed` if there is none. */
export async function commandKeys(config: Config): ReturnType<typeof resolveSecretKeys> {
  const path = join(config.dataDir, "secret.key");
  if (config.secretKey === undefined && !existsSync(path))
    throw new CommandFailed(`There is no key in ${path}. Restore it from a backup, or set SECRET_KEY.`);
  return resolveSecretKeys(config);
}

async function ensureSchema(db: Database): Promise<void> {
  if ((await schemaVersion(db)) === 0) await migrate(db);
  const pending = await pendingMigrations(db);
  if (pending.length > 0)
    throw new CommandFailed(
      `The database lacks the migrations ${pending.join(", ")}. Run "${commandLine("migrate")}", or start the service of this release.`,
    );
}
