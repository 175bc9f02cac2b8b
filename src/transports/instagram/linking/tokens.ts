import { TransportError } from "../../../core/transport/errors.ts";
import { itemsIn, numberIn, textIn } from "../../kit/json.ts";
import { noResponse } from "../../kit/no-response.ts";
import { GraphRefusal } from "../../meta/error.ts";
import type { MetaToken } from "../../meta/token.ts";
import { type GivenAccess, type InstagramLink, instagramGraph } from "../access.ts";

/** The scopes of an Instagram Login token (page "Business Login for Instagram"). */
export const SCOPES = [
  "instagram_business_basic",
  "instagram_business_manage_messages",
  "instagram_business_manage_comments",
];

/**
 * Exchanges an authorization code for a token that is valid for an hour. A code can be used once, within an hour.
 * Throws `GraphRefusal` or `TransportError`.
 */
export async function exchangeCode(
  { settings, request, signal }: Pick<InstagramLink, "settings" | "request" | "signal">,
  { code, returnUrl }: { readonly code: string; readonly returnUrl: string },
): Promise<string> {
  const form = new URLSearchParams({
    client_id: settings.appId,
    client_secret: settings.appSecret,
    grant_type: "authorization_code",
    redirect_uri: returnUrl,
    code,
  });
  const url = `${settings.codeUrl.replace(/\/+$/, "")}/oauth/access_token`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  try {
    const answer = await request({ method: "POST", url, headers, body: form.toString(), signal });
    const json: unknown = await answer.json();
    const token = tokenIn(json);
    if (token !== undefined) return token;
    const message = textIn(json, "error_message") ?? `HTTP ${answer.status}`;
    throw new GraphRefusal(answer.status, { code: numberIn(json, "code") ?? 100, message, details: "" });
  } catch (error) {
    throw error instanceof GraphRefusal ? error : noResponse(error, "Instagram", true);
  }
}

/** Older responses are the token object itself; newer ones contain it in a list. */
function tokenIn(json: unknown): string | undefined {
  return textIn(json, "access_token") ?? textIn(itemsIn(json, "data")[0], "access_token");
}

/** Exchanges a one-hour token for one valid for sixty days. Instagram refuses a long-lived token with code 100. */
export function extend(access: GivenAccess, token: string, signal: AbortSignal): Promise<MetaToken> {
  const query = { grant_type: "ig_exchange_token", client_secret: access.settings.appSecret };
  return ask(access, "access_token", { query, token }, signal);
}

/** Extends a token by sixty days. It must be at least a day old and not expired. The old token stays valid. */
export function refresh(
  access: Pick<InstagramLink, "settings" | "request">,
  token: string,
  signal: AbortSignal,
): Promise<MetaToken> {
  return ask(access, "refresh_access_token", { query: { grant_type: "ig_refresh_token" }, token }, signal);
}

async function ask(
  access: Pick<InstagramLink, "settings" | "request">,
  path: string,
  { query, token: given }: { readonly query: Readonly<Record<string, string>>; readonly token: string },
  signal: AbortSignal,
): Promise<MetaToken> {
  const answer = await instagramGraph(access, given, "").call("GET", path, { query, signal });
  const token = textIn(answer, "access_token");
  if (token === undefined)
    throw new TransportError("UNKNOWN_ERROR", "Instagram returned an unreadable response", {
      retry: "later",
    });
  return { token, expiresInSeconds: numberIn(answer, "expires_in") ?? null };
}

/** The expiry of a token issued at `now`. */
export function expiryOf({ expiresInSeconds }: MetaToken, now = new Date()): { expires_at?: string } {
  if (expiresInSeconds === null || !(expiresInSeconds > 0) || expiresInSeconds > 1e9) return {};
  return { expires_at: new Date(now.getTime() + expiresInSeconds * 1000).toISOString() };
}
