import type { Queryable } from "../../database/database.ts";
import type { Base } from "../base.ts";
import type { HasDirectory } from "../directory/directory.ts";
import { AppError } from "../errors.ts";
import { knownFact, setFact } from "../installation.ts";

const SEEN = "directory_partners_seen";
/** A password that was changed in another cell is refused here after this at the latest, however long the directory is away. */
const MAX_AGE_MS = 24 * 3_600_000;

/** What this cell knows of partners is what the directory has now. */
export function rememberPartnersSeen(db: Queryable, now: Date): Promise<void> {
  return setFact(db, SEEN, now.toISOString());
}

/** Throws UNAVAILABLE if what this cell knows of partners is too old to let them in. Without a directory it costs nothing. */
export async function refuseOldPartners({
  db,
  clock,
  directory,
}: Pick<Base, "db" | "clock"> & HasDirectory): Promise<void> {
  if (directory === null) return;
  const seen = await knownFact(db, SEEN);
  if (seen === null || clock.now().getTime() - Date.parse(seen) < MAX_AGE_MS) return;
  throw new AppError("UNAVAILABLE", {
    retryAfter: 60,
    description:
      "The directory of this installation has been away for more than a day, so passwords of partners cannot be checked; repeat the request later",
  });
}
