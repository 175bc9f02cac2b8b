import { findNamedChannel, type NamedChannel } from "../core/console/operator-channels.ts";
import type { Queryable } from "../database/database.ts";
import { commandLine } from "../platform/command-line.ts";
import { CommandFailed } from "./command.ts";

/** The channel with this id, of this account if one is given. Throws `CommandFailed` if there is none. */
export async function findChannel(db: Queryable, id: string, account: number | null): Promise<NamedChannel> {
  const channel = await findNamedChannel(db, id, account);
  if (channel !== null) return channel;
  throw new CommandFailed(
    `There is no channel ${id}; "${commandLine("channel list")}" shows those there are`,
  );
}
