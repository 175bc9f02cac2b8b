import { TransportError } from "../../core/transport/errors.ts";
import { fields, integerText, listOf, text } from "../../platform/foreign/foreign-json.ts";
import { noResponse } from "../kit/no-response.ts";
import { API_VERSION, createClient } from "./client.ts";
import type { VkLink } from "./community.ts";

/** What sign-in at VK requires; no channel need exist yet. */
export type DialogAccess = Pick<VkLink, "settings" | "request">;

/** Scopes of a community key: messages, callback servers, uploads. */
const COMMUNITY_SCOPE = "messages,manage,photos,docs";

export interface Return {
  readonly returnUrl: string;
  readonly state: string;
}

export interface OfferedCommunity {
  readonly id: string;
  readonly name: string;
}

/** Whether the installation has its own VK app. */
export function hasApp({ settings }: Pick<DialogAccess, "settings">): boolean {
  return settings.appId !== "" && settings.appSecret !== "";
}

/**
 * The URL of VK's dialog, in which a person shows the app their communities or, with `groupId`, grants it access to
 * one of them (dev.vk.com, "Authorization code flow" for users and for communities).
 */
export function dialogUrl(
  { settings }: Pick<DialogAccess, "settings">,
  back: Return,
  groupId?: string,
): string {
  const query = new URLSearchParams({
    client_id: settings.appId,
    redirect_uri: back.returnUrl,
    display: "page",
    response_type: "code",
    scope: groupId === undefined ? "groups" : COMMUNITY_SCOPE,
    state: back.state,
    v: API_VERSION,
    ...(groupId !== undefined && { group_ids: groupId }),
  });
  return `${root(settings.oauthUrl)}/authorize?${query}`;
}

const readTokens = fields({
  access_token: text,
  groups: listOf(fields({ group_id: integerText, access_token: text })),
});

/** The key of the person, or of the community that the dialog was for; null if VK returns none for the code. */
export async function exchangeCode(
  { settings, request }: DialogAccess,
  { code, returnUrl }: { readonly code: string; readonly returnUrl: string },
): Promise<string | null> {
  const form = new URLSearchParams({
    client_id: settings.appId,
    client_secret: settings.appSecret,
    redirect_uri: returnUrl,
    code,
  });
  const answer = await request({
    method: "POST",
    url: `${root(settings.oauthUrl)}/access_token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  }).catch((error: unknown) => {
    throw noResponse(error, "VK", true);
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.status >= 500) throw new TransportError("UNKNOWN_ERROR", "VK failed", { retry: "later" });
  const read = readTokens(body);
  return read?.groups?.[0]?.access_token ?? read?.access_token ?? null;
}

const readAdministered = fields({ items: listOf(fields({ id: integerText, name: text })) });

/** The communities that a person administers (dev.vk.com, `groups.get`). */
export async function offeredCommunities(
  { settings, request }: DialogAccess,
  token: string,
): Promise<readonly OfferedCommunity[]> {
  const client = createClient({ settings, request, credentials: { access_token: token } });
  const answer = await client.call("groups.get", { filter: "admin", extended: 1, count: 1000 });
  const items = readAdministered(answer)?.items ?? [];
  return items.flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name: name ?? id }]));
}

function root(address: string): string {
  return address.replace(/\/+$/, "");
}
