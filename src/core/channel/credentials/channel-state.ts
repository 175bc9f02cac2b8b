import { sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import { isOwnedBy, type OwnedChannelKey } from "../../scope.ts";
import type { ChannelLink } from "../../transport/connector.ts";
import { credentialsContext, stateContext } from "./credentials.ts";

/** A deleted channel may need them until it is logged out at its messenger. */
const RENEW = sql(
  "channel_renew_credentials",
  `update channels set credentials = $5
   where account_id = $1 and id = $2 and epoch = $3 and owner = $4 and (deleted_at is null or leaving_until is not null)
   returning 1`,
);

/** Stores the credentials that the session of this owner got. Throws if the channel has another owner now. */
export async function renewCredentials(
  core: Base,
  { accountId, channelId, epoch, owner }: OwnedChannelKey,
  credentials: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (owner === undefined) throw new Error("Only the session of a channel renews its credentials");
  const sealed = core.seal.seal(JSON.stringify(credentials), credentialsContext(channelId));
  const rows = await core.db.query(RENEW, [accountId, channelId, epoch, owner, sealed]);
  if (rows.length === 0) throw new Error("The channel belongs to another node now, or was deleted");
}

const GET = sql(
  "channel_state_get",
  "select value from channel_state where account_id = $1 and channel_id = $2 and key = $3",
);
/** Only the owner writes: a node that lost the channel must not overwrite its successor's data. */
const SET = sql(
  "channel_state_set",
  `insert into channel_state (account_id, channel_id, key, value)
   select $1, $2, $3, $4 from channels
   where account_id = $1 and id = $2 and epoch = $5 and ${isOwnedBy("$6")} and deleted_at is null
   on conflict (account_id, channel_id, key) do update set value = excluded.value`,
);
const UNSET = sql(
  "channel_state_unset",
  `delete from channel_state s using channels c
   where s.account_id = $1 and s.channel_id = $2 and s.key = $3 and c.account_id = $1 and c.id = $2 and c.epoch = $4
     and ${isOwnedBy("$5")}`,
);

/** What a connector remembers of the channel, sealed. */
export function channelState(
  core: Base,
  { accountId, channelId, epoch, owner }: OwnedChannelKey,
): ChannelLink["state"] {
  return {
    async get(name) {
      const [row] = await core.db.query<{ value: Buffer }>(GET, [accountId, channelId, name]);
      return row === undefined ? null : core.seal.open(row.value, stateContext(channelId, name)).toString();
    },
    async set(name, value) {
      if (value === null) await core.db.query(UNSET, [accountId, channelId, name, epoch, owner ?? null]);
      else
        await core.db.query(SET, [
          accountId,
          channelId,
          name,
          core.seal.seal(value, stateContext(channelId, name)),
          epoch,
          owner ?? null,
        ]);
    },
  };
}
