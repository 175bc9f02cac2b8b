import { type Database, DatabaseUnavailable } from "../database/database.ts";
import { readServerVersion } from "../database/server-state.ts";
import { messageOf } from "../platform/message-of.ts";
import { CommandFailed } from "./command.ts";

/** Throws `CommandFailed`, which names the database by `what`, if it gives no connection within seconds. */
export async function requireReachable(db: Database, what: string): Promise<void> {
  await readServerVersion(db).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new CommandFailed(`${what} cannot be used: ${messageOf(error.cause ?? error)}`);
  });
}
