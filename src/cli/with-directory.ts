import type { Config } from "../config.ts";
import { type Directory, DirectoryAway } from "../core/directory/directory.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { openDirectory } from "../service/databases.ts";
import { CommandFailed } from "./command.ts";
import { requireReachable } from "./reachable.ts";
import type { DatabaseContext } from "./with-database.ts";

/** Runs `work` with the database of DIRECTORY_URL, whether it contains a directory or not. Throws `CommandFailed`. */
export async function withDirectoryDatabase<T>(
  { directoryUrl }: Config,
  log: DatabaseContext["log"],
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (directoryUrl === null)
    throw new CommandFailed("DIRECTORY_URL is not set: this cell uses no directory.");
  const db = openDatabase({ connection: directoryUrl, max: 2, log, applicationName: "trunkline command" });
  try {
    await requireReachable(db, "The directory (DIRECTORY_URL)");
    return await work(db);
  } finally {
    await db.close();
  }
}

/**
 * Runs `work` with the directory as the cell of this name uses it; null without DIRECTORY_URL. Throws `CommandFailed` if
 * `work` needs it and it cannot be reached.
 */
export async function withDirectory<T>(
  { config, log }: Pick<DatabaseContext, "config" | "log">,
  cell: string | null,
  work: (directory: Directory | null) => Promise<T>,
): Promise<T> {
  const directory = openDirectory({ ...config, cell }, log, () => undefined);
  try {
    return await work(directory);
  } catch (error) {
    if (!(error instanceof DirectoryAway)) throw error;
    throw new CommandFailed(`The directory cannot be reached: ${error.message}. Nothing was changed.`);
  } finally {
    await directory?.close();
  }
}

/** `withDirectory` as this cell. */
export function withOwnDirectory<T>(
  place: Pick<DatabaseContext, "config" | "log">,
  work: (directory: Directory | null) => Promise<T>,
): Promise<T> {
  return withDirectory(place, place.config.cell, work);
}
