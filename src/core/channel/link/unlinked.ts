import type { Base } from "../../base.ts";
import type { RegisteredTransport } from "../../transport/registry.ts";

type Described = Pick<RegisteredTransport, "definition">;

const isEmpty = (credentials: unknown): boolean => Object.keys(credentials as object).length === 0;

/**
 * Whether the channel waits for a person to link it on its transport's page, so that it cannot be opened yet. Pure.
 */
export function isUnlinked({ definition }: Described, credentials: unknown): boolean {
  return definition.connect === "redirect" && isEmpty(credentials);
}

/** Whether a client may omit the credentials and has done so: a person provides them, or already has. Pure. */
export function leavesCredentialsOut({ definition }: Described, credentials: unknown): boolean {
  return definition.connect !== "credentials" && definition.connect !== "qr" && isEmpty(credentials);
}

/** The keys by which a channel's page is found. */
interface PageOwner {
  readonly id: string;
  readonly sealedCredentials: Uint8Array;
}

/** Address of the page on which a channel is linked, or linked again. */
export function pageUrl(core: Base, { definition }: Described, channel: PageOwner): string {
  const ticket = ticketOf(core, channel.id, channel.sealedCredentials);
  return `${core.settings.publicUrl}/connect/${definition.id}/${ticket}`;
}

/**
 * Admits to the page of one channel until other credentials are stored. Sealing is randomised, so the ticket becomes
 * invalid once the channel is linked.
 */
export function ticketOf(
  { seal }: Pick<Base, "seal">,
  channelId: string,
  sealedCredentials: Uint8Array,
): string {
  const key = seal.derive("connect", channelId, Buffer.from(sealedCredentials).toString("base64"));
  return `${channelId}.${key.toString("base64url")}`;
}
