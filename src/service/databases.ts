import type { Config } from "../config.ts";
import { Directory } from "../core/directory/directory.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { schemaVersion } from "../database/schema.ts";
import type { Log } from "../platform/log.ts";

/** Starts the embedded server, or attaches to it; null if the settings name another database. */
export async function startDatabase(config: Config, log: Log): Promise<EmbeddedServer | null> {
  return config.databaseUrl === undefined ? startEmbedded({ dataDir: config.dataDir, log }) : null;
}

/** Null without DIRECTORY_URL. The pool is small: only new links, moves and partners need the directory. */
export function openDirectory(
  { directoryUrl, cell, cellAddress, nodeName }: Config,
  log: Log,
  onAvailable: (isAvailable: boolean) => void,
): Directory | null {
  if (directoryUrl === null || cell === null) return null;
  const db = openDatabase({
    connection: directoryUrl,
    max: 3,
    waitMs: 1_500,
    // The directory says itself what its absence means.
    log: log.child({}, { level: "silent" }),
    applicationName: `trunkline ${nodeName} directory`,
  });
  onAvailable(true);
  return new Directory({ db, log, cell, address: cellAddress, onAvailable });
}

export interface Databases {
  readonly db: Database;
  /**
   * A pool of its own, so that busy connections cannot cost the node its lease and all sessions. `db` reports outages
   * of the database.
   */
  readonly leaseDb: Database;
}

export function openDatabases(config: Config, embedded: EmbeddedServer | null, log: Log): Databases {
  const connection = embedded?.connection ?? config.databaseUrl ?? "";
  const applicationName = `trunkline ${config.nodeName}`;
  return {
    db: openDatabase({ connection, max: config.databasePoolMax, log, applicationName }),
    leaseDb: openDatabase({
      connection,
      max: 1,
      log: log.child({}, { level: "error" }),
      applicationName: `${applicationName} lease`,
    }),
  };
}

/** Migrates the database, and returns the schema version of this release. */
export async function bringUpToDate(db: Database, log: Log, directory: string | undefined): Promise<number> {
  const { applied, version } = await migrate(db, { directory, log });
  if (applied.length > 0) log.info({ applied }, "the database was migrated");
  const theirs = await schemaVersion(db);
  if (theirs > version)
    log.info(
      { database: theirs, release: version },
      "a later release has migrated the database; this one works with it",
    );
  return version;
}
