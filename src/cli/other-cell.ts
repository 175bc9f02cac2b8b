import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import { schemaVersion } from "../database/schema.ts";
import { CommandFailed } from "./command.ts";
import { requireReachable } from "./reachable.ts";
import type { DatabaseContext } from "./with-database.ts";

/** Another cell, as an option names it. */
export interface OtherCell {
  readonly db: Database;
  /** Its DATA_DIR, if the option names one. */
  readonly dataDir: string | null;
}

/**
 * Runs `work` with another cell: `place` is its DATABASE_URL, or the DATA_DIR of its embedded database on this machine.
 * Throws `CommandFailed` if there is none.
 */
export async function withOtherCell<T>(
  { log }: Pick<DatabaseContext, "log">,
  place: string,
  work: (cell: OtherCell) => Promise<T>,
): Promise<T> {
  const isUrl = /^postgres(ql)?:\/\//.test(place);
  if (!isUrl && !existsSync(join(place, "db", "PG_VERSION")))
    throw new CommandFailed(
      `${place} is neither a DATABASE_URL (postgres://…) nor a DATA_DIR with an embedded database.`,
    );
  const embedded = isUrl ? null : await startEmbedded({ dataDir: place, log });
  const db = openDatabase({
    connection: embedded?.connection ?? place,
    max: 4,
    log,
    applicationName: "trunkline command",
  });
  try {
    await requireReachable(db, "The database of the other cell");
    if ((await schemaVersion(db)) === 0)
      throw new CommandFailed("There is no installation in the database of the other cell.");
    return await work({ db, dataDir: isUrl ? null : place });
  } finally {
    await db.close();
    await embedded?.stop();
  }
}
