import { sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { asStatus } from "../channel-status.ts";
import { announce, publish } from "../event/publish.ts";
import type { Tier } from "../transport/definition.ts";
import type { HasChannels } from "./channel.ts";
import { CHANNEL_COLUMNS, type ChannelRow, channelOf } from "./channel.ts";
import { channelFact } from "./channel-fact.ts";

const UPDATE = sql(
  "channel_tier",
  `update channels set tier = $3 where account_id = $1 and id = $2 and deleted_at is null and tier <> $3
   returning ${CHANNEL_COLUMNS}`,
);

/** Stores a channel's tier and publishes it if it has changed. */
export async function recordTier(
  core: Base & HasChannels,
  channel: { readonly accountId: number; readonly channelId: string },
  tier: Tier,
): Promise<void> {
  const published = await core.db.tx(async (tx) => {
    const [row] = await tx.query<ChannelRow>(UPDATE, [channel.accountId, channel.channelId, tier]);
    if (row === undefined) return [];
    return publish(tx, [
      {
        kind: "channel",
        change: "tier",
        channel: channelFact(core, channelOf(row), asStatus(row.status, row.reason)),
      },
    ]);
  });
  core.caches.channels.delete(channel.channelId);
  announce(core, published);
}
