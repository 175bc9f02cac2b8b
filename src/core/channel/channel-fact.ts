import type { Core } from "../core.ts";
import type { ChannelFact } from "../event/facts.ts";
import type { Channel } from "./channel.ts";
import type { ChannelStatus } from "./status.ts";

/** A channel as its events show it, with the status it has from now on. */
export function channelFact(
  core: Pick<Core, "clock" | "transports">,
  channel: Channel,
  status: ChannelStatus,
  qr: string | null = null,
): ChannelFact {
  const { accountId, id: channelId, transport, name, phone, username } = channel;
  const at = core.clock.now();
  return {
    accountId,
    channelId,
    transport,
    status,
    name,
    phone,
    username,
    tier: tierOf(core, channel),
    at,
    qr,
  };
}

/** Tiers are of business APIs, which are also the only ones with templates. */
function tierOf({ transports }: Pick<Core, "transports">, { transport, tier }: Channel): string | null {
  return transports.get(transport)?.definition.capabilities.templates === true ? tier : null;
}
