import type { Base } from "../base.ts";
import type { ChannelStatus } from "../channel-status.ts";
import type { ChannelFact } from "../payload/facts.ts";
import type { Channel } from "./channel.ts";

type Announced = Pick<Channel, "status" | "reason" | "phoneUnavailable" | "name" | "phone" | "username">;

/** Which of a channel's published fields differ: status, phone and names, phone, names, or none. Pure. */
export function changeOf(
  before: Announced,
  after: Announced,
): "status" | "phone and names" | "phone" | "names" | null {
  if (before.status !== after.status || before.reason !== after.reason) return "status";
  const isRenamed =
    before.name !== after.name || before.phone !== after.phone || before.username !== after.username;
  if (before.phoneUnavailable !== after.phoneUnavailable) return isRenamed ? "phone and names" : "phone";
  return isRenamed ? "names" : null;
}

/** A channel as its events describe it, with its new status. */
export function channelFact(
  core: Pick<Base, "clock" | "transports">,
  channel: Channel,
  status: ChannelStatus,
  qr: string | null = null,
): ChannelFact {
  const { accountId, id: channelId, transport, name, phone, username, restrictions } = channel;
  const at = core.clock.now();
  return {
    accountId,
    channelId,
    transport,
    status,
    phoneUnavailable: channel.phoneUnavailable && status.status === "active",
    name,
    phone,
    username,
    tier: tierOf(core, channel),
    at,
    qr,
    ...(restrictions.length === 0 ? {} : { restrictions }),
  };
}

/** Only the WhatsApp Business Platform has tiers and templates. */
function tierOf(
  { transports }: Pick<Base, "transports">,
  { transport, tier }: Channel,
): Channel["tier"] | null {
  return transports.get(transport)?.definition.capabilities.templates === true ? tier : null;
}
