import type { Core } from "../core.ts";
import type { RegisteredTransport } from "../transport/registry.ts";

type Described = Pick<RegisteredTransport, "definition">;

const isEmpty = (credentials: unknown): boolean => Object.keys(credentials as object).length === 0;

/** A channel that waits for a person to link it on its transport's page: there is nothing to open yet. Pure. */
export function isUnlinked({ definition }: Described, credentials: unknown): boolean {
  return definition.connect === "redirect" && isEmpty(credentials);
}

/** Whether a client may leave the credentials out, and has: a person brings them about, or has done so. Pure. */
export function leavesCredentialsOut({ definition }: Described, credentials: unknown): boolean {
  return definition.connect !== "credentials" && definition.connect !== "qr" && isEmpty(credentials);
}

/** What the page of a channel is found by. */
interface PageOwner {
  readonly id: string;
  readonly sealedCredentials: Uint8Array;
}

/** Address of the page on which a channel is linked, or linked again. */
export function pageUrl(core: Core, { definition }: Described, channel: PageOwner): string {
  const ticket = ticketOf(core, channel.id, channel.sealedCredentials);
  return `${core.settings.publicUrl}/connect/${definition.id}/${ticket}`;
}

/**
 * Admits to the page of one channel, until other credentials are stored: they are sealed differently each time, so a
 * ticket has served once the channel is linked.
 */
export function ticketOf(
  { seal }: Pick<Core, "seal">,
  channelId: string,
  sealedCredentials: Uint8Array,
): string {
  const key = seal.derive("connect", channelId, Buffer.from(sealedCredentials).toString("base64"));
  return `${channelId}.${key.toString("base64url")}`;
}
