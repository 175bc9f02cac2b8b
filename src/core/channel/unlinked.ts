import type { Core } from "../core.ts";
import type { RegisteredTransport } from "../transport/registry.ts";

/** A channel that waits for a person to link it on its transport's page: it has no credentials yet. Pure. */
export function isUnlinked(
  { definition }: Pick<RegisteredTransport, "definition">,
  credentials: unknown,
): boolean {
  return definition.connect === "redirect" && Object.keys(credentials as object).length === 0;
}

/** Address of the page on which a channel is linked; null where there is no such page. */
export function pageUrl(
  core: Core,
  { definition }: Pick<RegisteredTransport, "definition">,
  channel: { readonly id: string; readonly sealedCredentials: Uint8Array },
): string | null {
  if (definition.connect !== "redirect") return null;
  const ticket = ticketOf(core, channel.id, channel.sealedCredentials);
  return `${core.settings.publicUrl}/connect/${definition.id}/${ticket}`;
}

/**
 * Admits to the page of one channel, until other credentials are stored: they are sealed differently each time, so a
 * ticket has served once the channel is linked.
 */
export function ticketOf({ seal }: Core, channelId: string, sealedCredentials: Uint8Array): string {
  const key = seal.derive("connect", channelId, Buffer.from(sealedCredentials).toString("base64"));
  return `${channelId}.${key.toString("base64url")}`;
}
