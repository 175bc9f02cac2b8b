import { isDuplicate, sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import type { HasChannelLog } from "../../channel-log/channel-log.ts";
import { isOwnedBy, type OwnedChannelKey } from "../../scope.ts";
import type { HasChannels } from "../channel.ts";
import { applyTrigger } from "./link-state.ts";

// At most one live channel of the installation has a messenger account (unique index `channels_one_link`).
const CLAIM = sql(
  "channel_claim_account",
  `update channels c set messenger_id = c.verified_id
   where c.account_id = $1 and c.id = $2 and c.epoch = $3 and ${isOwnedBy("$4")} and c.deleted_at is null
     and not exists (
       select 1 from channels o where o.transport = c.transport and o.messenger_id = c.verified_id and o.id <> c.id
         and o.deleted_at is null and o.status <> 'disabled')
   returning 1`,
);

/**
 * Reserves the messenger account of the channel's credentials, before a session may change anything at the messenger.
 * False: another live channel has the account, and this one is now `disabled` / `openelsewhere`; or the caller no
 * longer owns the channel. Of concurrent claims for one account, on any nodes, exactly one succeeds.
 */
export async function claimMessengerAccount(
  core: Base & HasChannels & HasChannelLog,
  key: OwnedChannelKey,
): Promise<boolean> {
  if (await claims(core, key)) return true;
  await applyTrigger(core, key, { kind: "ended", reason: "openelsewhere" });
  return false;
}

async function claims(core: Base, { accountId, channelId, epoch, owner }: OwnedChannelKey): Promise<boolean> {
  try {
    return (await core.db.query(CLAIM, [accountId, channelId, epoch, owner ?? null])).length > 0;
  } catch (error) {
    // Another channel has claimed it at the same moment.
    if (isDuplicate(error)) return false;
    throw error;
  }
}
