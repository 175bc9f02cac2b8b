import type { Queryable } from "../database/database.ts";
import { CommandFailed } from "./command.ts";

/** A channel selected by an operator. */
export interface NamedChannel {
  readonly accountId: number;
  readonly channelId: string;
  readonly transport: string;
}

/** The channel with this id, of this account if one is given. Throws `CommandFailed` if there is none. */
export async function findChannel(db: Queryable, id: string, account: number | null): Promise<NamedChannel> {
  const [channel] = await db.query<NamedChannel>(
    `select account_id as "accountId", id as "channelId", transport from channels
     where id::text = $1 and deleted_at is null and ($2::bigint is null or account_id = $2)`,
    [id.toLowerCase(), account],
  );
  if (channel !== undefined) return channel;
  throw new CommandFailed(`There is no channel ${id}; "trunkline channel list" shows those there are`);
}
