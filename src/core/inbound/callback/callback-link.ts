import { applyLink } from "../../channel/link/link-state.ts";
import { triggerOf } from "../../channel/link/link-trigger.ts";
import type { ProxyColumns } from "../../channel/proxy/route.ts";
import { AppError } from "../../errors.ts";
import type { ChannelLink } from "../../transport/connector.ts";
import type { RegisteredTransport } from "../../transport/registry.ts";
import { createLink, type LinkCore } from "../link.ts";

/** The columns of a channel that a callback needs. */
export interface ChannelFound extends ProxyColumns {
  readonly account_id: number;
  readonly id: string;
  readonly epoch: number;
  readonly credentials: Buffer;
  readonly messenger_id?: string | null;
}

const LIFETIME_MS = 30_000;

/** A link without a session, for one call or visit, on whichever node it arrived. */
export function callbackLink(
  core: LinkCore,
  transport: RegisteredTransport,
  channel: ChannelFound,
  options: { readonly redact?: (text: string) => string } = {},
): ChannelLink {
  const key = { accountId: channel.account_id, channelId: channel.id, epoch: channel.epoch };
  return createLink(core, {
    key,
    transport,
    sealedCredentials: channel.credentials,
    proxy: { proxy: channel.proxy ?? null, exit_key: channel.exit_key ?? null },
    messengerId: channel.messenger_id ?? null,
    signal: AbortSignal.timeout(LIFETIME_MS),
    ...options,
    async onLinkState(state, askedAt) {
      const trigger = triggerOf(state);
      if (trigger === null) return;
      const details = { ...trigger.details, askedAt };
      const status = await applyLink(core, key, trigger.trigger, details);
      // The messenger has to report it again.
      if (status === "waits") throw new AppError("UNAVAILABLE", { retryAfter: 10 });
      // Another node has taken the channel since its row was read.
      if (status === null) throw new Error("The state of the channel was not stored");
    },
  });
}
