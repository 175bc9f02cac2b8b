import { numberIn, textIn } from "../kit/json.ts";
import type { Graph } from "./graph.ts";

/** The operator's Meta app. */
export interface MetaApp {
  readonly appId: string;
  readonly appSecret: string;
}

export interface MetaToken {
  readonly token: string;
  /** Null if the token does not expire or the response does not say. */
  readonly expiresInSeconds: number | null;
}

/**
 * Exchanges the authorization code of Meta's login dialog for a token. The code is valid for about 30 seconds.
 * `graph` has no token. Returns null if the response contains no token; throws `GraphRefusal` or `TransportError`.
 */
export async function exchangeCode(
  graph: Graph,
  { appId, appSecret }: MetaApp,
  { code, returnUrl }: { readonly code: string; readonly returnUrl: string },
  signal: AbortSignal,
): Promise<MetaToken | null> {
  const query = { client_id: appId, client_secret: appSecret, code, redirect_uri: returnUrl };
  return tokenIn(await graph.call("GET", "oauth/access_token", { query, signal }));
}

/**
 * Exchanges a short-lived user token for one valid for about 60 days (page "Long-Lived Access Tokens"). `graph` has
 * no token. Returns and throws like `exchangeCode`.
 */
export async function extendToken(
  graph: Graph,
  { appId, appSecret }: MetaApp,
  token: string,
  signal: AbortSignal,
): Promise<MetaToken | null> {
  const query = {
    grant_type: "fb_exchange_token",
    client_id: appId,
    client_secret: appSecret,
    fb_exchange_token: token,
  };
  return tokenIn(await graph.call("GET", "oauth/access_token", { query, signal }));
}

function tokenIn(answer: unknown): MetaToken | null {
  const token = textIn(answer, "access_token");
  return token === undefined ? null : { token, expiresInSeconds: numberIn(answer, "expires_in") ?? null };
}
