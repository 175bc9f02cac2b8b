import { badParam, GraphError, tokenError } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import { tokenFault } from "../../meta/token-fault.ts";
import type { App } from "../account/account.ts";
import { authenticate } from "../call/auth.ts";
import type { GraphCall } from "../call/call.ts";
import { scopeName, type Token } from "../login/token.ts";
import type { World } from "../world.ts";

/** Long-lived tokens are valid for sixty days. */
const longLifetimeSeconds = 60 * 24 * 60 * 60;
/** The minimum age of a long-lived token for refreshing it. */
const refreshAgeMs = 24 * 60 * 60 * 1000;

interface Given {
  readonly access_token: string;
  readonly token_type: "bearer";
  readonly expires_in: number;
}

/** graph.facebook.com `GET /oauth/access_token`: a long-lived user token for any user token or the app's own. */
export function exchangeUserToken(world: World, param: Param): unknown {
  param.only("grant_type", "client_id", "client_secret", "fb_exchange_token");
  const app = appOf(world, param);
  const grant = param.needOneOf("grant_type", ["fb_exchange_token", "client_credentials"]);
  if (grant === "client_credentials")
    return { access_token: `${app.id}|${app.secret}`, token_type: "bearer" };
  const { token } = authenticate(world, "facebook", param.needText("fb_exchange_token"));
  if (token?.kind !== "user" || token.appId !== app.id)
    throw badParam("fb_exchange_token is not a user token of the app");
  return give(world, { ...token, longLived: true });
}

/** graph.instagram.com `GET /access_token`: a long-lived token for a short-lived one. */
export function toLongLived(world: World, param: Param, text: string | undefined): Given {
  param.only("grant_type", "client_secret", "client_id");
  param.needOneOf("grant_type", ["ig_exchange_token"]);
  const { token, app } = authenticate(world, "instagram", text);
  if (param.needText("client_secret") !== app.secret)
    throw new GraphError("Error validating client secret.", clientError);
  if (!token || token.longLived) throw unsupported();
  return give(world, { ...token, longLived: true });
}

/** graph.instagram.com `GET /refresh_access_token`: a new token for sixty more days. The old token stays valid. */
export function refreshToken(world: World, param: Param, text: string | undefined): Given {
  param.only("grant_type");
  param.needOneOf("grant_type", ["ig_refresh_token"]);
  const { token } = authenticate(world, "instagram", text);
  const isOld = token && world.clock.nowMs() - token.issuedAtMs >= refreshAgeMs;
  if (!token?.longLived || !isOld || !token.scopes.includes(scopeName("instagram", "basic")))
    throw unsupported();
  return give(world, token);
}

/** The live API's response for a token that cannot be exchanged or refreshed. */
function unsupported(): GraphError {
  const parts = { status: 400, type: "IGApiException", code: 100 } as const;
  return new GraphError("Unsupported request - method type: get", parts);
}

const clientError = { status: 400, type: "OAuthException", code: 1 } as const;

function give(world: World, old: Token): Given {
  const { kind, appId, accountIds, scopes, longLived } = old;
  const expiresAtMs = world.clock.nowMs() + longLifetimeSeconds * 1000;
  const { value } = world.addToken({ kind, appId, accountIds, scopes, longLived, expiresAtMs });
  return { access_token: value, token_type: "bearer", expires_in: longLifetimeSeconds };
}

function appOf(world: World, param: Param): App {
  const app = world.apps.get(param.text("client_id") ?? "");
  if (!app) {
    const message = "Error validating application. Cannot get application info due to a system error.";
    throw new GraphError(message, { ...clientError, code: 101 });
  }
  if (param.text("client_secret") !== app.secret)
    throw new GraphError("Error validating client secret.", clientError);
  return app;
}

/** The owner and permissions of a token. */
export function debugToken({ world, param, caller }: GraphCall): unknown {
  param.only("input_token");
  const token = world.tokens.get(param.needText("input_token"));
  if (!token || token.appId !== caller.app.id) {
    const { message, parts } = tokenError("Invalid OAuth access token - Cannot parse access token", 190);
    return { data: { error: { code: parts.code, message }, is_valid: false, scopes: [] } };
  }
  const fault = tokenFault(token, world.clock);
  const seconds = (ms: number | undefined) => (ms === undefined ? 0 : Math.floor(ms / 1000));
  return {
    data: {
      app_id: token.appId,
      type: token.kind === "page" ? "PAGE" : "USER",
      application: caller.app.name,
      expires_at: seconds(token.expiresAtMs),
      is_valid: !fault,
      issued_at: seconds(token.issuedAtMs),
      scopes: token.scopes,
      ...(fault && {
        error: { code: fault.parts.code, message: fault.message, subcode: fault.parts.subcode },
      }),
    },
  };
}
