import { sql } from "../../database/database.ts";
import { audit } from "../audit/audit.ts";
import type { Base } from "../base.ts";
import { asStatus } from "../channel-status.ts";
import { AppError } from "../errors.ts";
import { announce, publish } from "../event/publish.ts";
import type { Scope } from "../scope.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf, type HasChannels } from "./channel.ts";
import { channelFact } from "./channel-fact.ts";

const LOCK = sql(
  "channel_lock_name",
  "select name from channels where account_id = $1 and id = $2 and deleted_at is null for no key update",
);
const UPDATE = sql(
  "channel_rename",
  `update channels set name = $3, given_name = $3 where account_id = $1 and id = $2 returning ${CHANNEL_COLUMNS}`,
);

/**
 * Gives the channel a name, which it keeps whatever its messenger account is called. Publishes it if it differs.
 * Throws CHANNEL_NOT_FOUND.
 */
export async function renameChannel(
  core: Base & HasChannels,
  { accountId }: Scope,
  channelId: string,
  name: string,
): Promise<void> {
  const published = await core.db.tx(async (tx) => {
    const [before] = await tx.query<{ name: string }>(LOCK, [accountId, channelId]);
    if (before === undefined) throw new AppError("CHANNEL_NOT_FOUND");
    const [row] = await tx.query<ChannelRow>(UPDATE, [accountId, channelId, name]);
    if (row === undefined || before.name === name) return [];
    await audit(tx, { accountId, action: "channel.rename", subject: channelId, details: { name } });
    const channel = channelFact(core, channelOf(row), asStatus(row.status, row.reason));
    return publish(tx, [{ kind: "channel", change: "names", channel }]);
  });
  core.caches.channels.delete(channelId);
  core.signals.notify("channels", channelId);
  announce(core, published);
}
