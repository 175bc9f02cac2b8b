import { accountsElsewhere } from "../../core/account/listing.ts";
import { registeredDatabase } from "../../core/directory/cells.ts";
import { directoryVersion } from "../../core/directory/schema.ts";
import { readDatabaseId } from "../../database/server-state.ts";
import { commandLine } from "../../platform/command-line.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { DatabaseContext } from "../with-database.ts";
import { withDirectoryDatabase } from "../with-directory.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

const AWAY = "Existing accounts go on; new links and changes of partners wait until it is back";

/** Nothing without DIRECTORY_URL. */
export async function checkDirectory({ config, db, log }: DatabaseContext): Promise<Finding[]> {
  const { directoryUrl, cell, cellAddress } = config;
  if (directoryUrl === null || cell === null) return [];
  const findings = [await checkAccounts(db)];
  if (cellAddress === null)
    findings.push(
      warn("cell address", "CELL_ADDRESS is not set", "Set it, so that other cells can pass requests on"),
    );
  try {
    return await withDirectoryDatabase(config, log, async (directory) => {
      const version = await directoryVersion(directory);
      if (version === null)
        return [
          fail("directory", "the database is empty", `Create it with "${commandLine("directory create")}"`),
        ];
      const [known, own] = [await registeredDatabase(directory, cell), await readDatabaseId(db)];
      const isOurs = known === null || own === null || known === own;
      return [
        isOurs
          ? ok("directory", `version ${version}, cell ${cell}`)
          : fail(
              "directory",
              `another database uses the name of the cell "${cell}"`,
              "Give one of the two another CELL, or end the copy. After a restore this ends by itself within minutes",
            ),
        ...findings,
      ];
    });
  } catch (error) {
    return [warn("directory", messageOf(error), AWAY), ...findings];
  }
}

async function checkAccounts(db: DatabaseContext["db"]): Promise<Finding> {
  const elsewhere = await accountsElsewhere(db);
  if (elsewhere.length === 0) return ok("accounts of the cell", "none of them is in another cell");
  const shown = elsewhere.map(({ accountId, cell }) => `${accountId} (${cell})`).join(", ");
  return fail(
    "accounts of the cell",
    `the directory has them in another cell: ${shown}`,
    `They moved after the backup from which this cell was restored: repeat "${commandLine("account move")}"; or two cells have the same id`,
  );
}
