import { isDuplicate, sql } from "../../../database/database.ts";
import type { Base } from "../../base.ts";
import type { HasChannelLog } from "../../channel-log/channel-log.ts";
import type { HasDirectory } from "../../directory/directory.ts";
import { isOwnedBy, type OwnedChannelKey } from "../../scope.ts";
import type { HasChannels } from "../channel.ts";
import { canClaim, giveUpClaim, permitLink } from "./directory-claim.ts";
import { applyTrigger } from "./link-state.ts";

// At most one live channel of the cell has a messenger account (unique index `channels_one_link`).
const CLAIM = sql(
  "channel_claim_account",
  `update channels c set messenger_id = $5, link_claim = coalesce($6, c.link_claim)
   where c.account_id = $1 and c.id = $2 and c.epoch = $3 and ${isOwnedBy("$4")} and c.deleted_at is null
     and not exists (
       select 1 from channels o where o.transport = c.transport and o.messenger_id = $5 and o.id <> c.id
         and o.deleted_at is null and o.status <> 'disabled')
   returning 1`,
);
const ACCOUNT = sql(
  "channel_wanted_account",
  `select coalesce(verified_id, messenger_id) as wanted from channels
   where account_id = $1 and id = $2 and deleted_at is null`,
);

/**
 * Reserves the messenger account of the channel, before a session may change anything at the messenger. `refused`: another
 * live channel has the account, and this one is now `disabled` / `openelsewhere`; or the caller no longer owns the channel.
 * `waits`: the directory cannot be asked. Of concurrent claims for one account, on any nodes and in any cells, exactly one
 * succeeds. If the account is not known before a person links it, the session claims it then.
 */
export async function claimMessengerAccount(
  core: Base & HasChannels & HasChannelLog & HasDirectory,
  key: OwnedChannelKey,
): Promise<"claimed" | "refused" | "waits"> {
  const [row] = await core.db.query<{ wanted: string | null }>(ACCOUNT, [key.accountId, key.channelId]);
  if (row === undefined) return "refused";
  if (row.wanted === null) return (await canClaim(core)) ? "claimed" : "waits";
  const permission = await permitLink(core, key, row.wanted);
  if (permission.kind === "waits") return "waits";
  if (permission.kind === "granted" && (await claims(core, key, row.wanted, permission.claim)))
    return "claimed";
  if (permission.kind === "granted" && permission.claim !== null)
    await giveUpClaim(core.db, key.accountId, permission.claim);
  await applyTrigger(core, key, { kind: "ended", reason: "openelsewhere" });
  return "refused";
}

async function claims(
  core: Base,
  { accountId, channelId, epoch, owner }: OwnedChannelKey,
  messengerId: string,
  claim: string | null,
): Promise<boolean> {
  try {
    const values = [accountId, channelId, epoch, owner ?? null, messengerId, claim];
    return (await core.db.query(CLAIM, values)).length > 0;
  } catch (error) {
    // Another channel has claimed it at the same moment.
    if (isDuplicate(error)) return false;
    throw error;
  }
}
