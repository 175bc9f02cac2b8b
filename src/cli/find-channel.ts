import { findNamedChannel, type NamedChannel } from "../core/console/operator-channels.ts";
import { movedAddress } from "../core/move/moves.ts";
import type { Queryable } from "../database/database.ts";
import { commandLine } from "../platform/command-line.ts";
import { CommandFailed } from "./command.ts";

/** The channel with this id, of this account if one is given. Throws `CommandFailed` if there is none. */
export async function findChannel(db: Queryable, id: string, account: number | null): Promise<NamedChannel> {
  const channel = await findNamedChannel(db, id, account);
  if (channel !== null) return channel;
  throw await noChannel(db, id);
}

/** Says where a channel is whose account has left. */
export async function noChannel(db: Queryable, id: string): Promise<CommandFailed> {
  const address = await movedAddress(db, "channel", id.toLowerCase());
  return new CommandFailed(
    address === null
      ? `There is no channel ${id}; "${commandLine("channel list")}" shows those there are`
      : `The channel ${id} is in the cell at ${address}. Run the command with the settings of that cell.`,
  );
}
