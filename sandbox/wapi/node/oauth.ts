import { randomInt } from "node:crypto";
import { GraphError } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import { tokenFault } from "../../meta/token-fault.ts";
import { findCaller } from "../call/auth.ts";
import type { GraphCall } from "../call/call.ts";
import { defaultScopes, type Token } from "../call/token.ts";
import type { World } from "../world.ts";

/** Business tokens of Embedded Signup are valid for sixty days by default. */
const tokenLifetimeSeconds = 60 * 24 * 60 * 60;

/** `oauth/access_token`: exchanges a code for a token; needs no token itself. */
export function exchangeCode(world: World, param: Param): unknown {
  param.only("client_id", "client_secret", "code", "redirect_uri", "grant_type");
  const app = world.apps.get(param.text("client_id") ?? "");
  if (!app)
    throw oauthError("Error validating application. Cannot get application info due to a system error.", 101);
  if (param.text("client_secret") !== app.secret) throw oauthError("Error validating client secret.", 1);
  if (param.text("grant_type") === "client_credentials") {
    return { access_token: `${app.id}|${app.secret}`, token_type: "bearer" };
  }
  const value = param.text("code");
  if (!value) throw oauthError("Missing authorization code", 1);
  const code = world.signups.code(value);
  if (code?.appId !== app.id) throw oauthError("Invalid verification code format.", 100);
  if (code.used) throw oauthError("This authorization code has been used.", 100, 36009);
  if (code.untilMs <= world.clock.nowMs())
    throw oauthError("This authorization code has expired.", 100, 36007);
  if ((param.text("redirect_uri") ?? "") !== code.redirectUri) {
    const message =
      "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in " +
      "the OAuth dialog request";
    throw oauthError(message, 100, 36008);
  }
  code.used = true;
  const expiresAtMs = world.clock.nowMs() + tokenLifetimeSeconds * 1000;
  const scopes = defaultScopes;
  const token = world.addToken({
    appId: app.id,
    type: "SYSTEM_USER",
    scopes,
    wabaIds: code.wabaIds,
    expiresAtMs,
  });
  return { access_token: token.value, token_type: "bearer", expires_in: tokenLifetimeSeconds };
}

function oauthError(message: string, code: number, subcode?: number): GraphError {
  const parts = { status: 400, type: "OAuthException", code } as const;
  return new GraphError(message, subcode === undefined ? parts : { ...parts, subcode });
}

/** `debug_token`: the owner and permissions of a token, for its app. */
export function debugToken({ world, caller, param }: GraphCall): unknown {
  param.only("input_token");
  const input = param.needText("input_token");
  const found = findCaller(world, input);
  if (!found?.token || found.app !== caller.app) {
    const error = { code: 190, message: "Invalid OAuth access token - Cannot parse access token" };
    return { data: { error, is_valid: false, scopes: [] } };
  }
  return { data: describeToken(world, found.token) };
}

function describeToken(world: World, token: Token) {
  const fault = tokenFault(token, world.clock);
  const seconds = (ms: number | undefined) => (ms === undefined ? 0 : Math.floor(ms / 1000));
  const targets = token.wabaIds ?? [...world.wabas.keys()];
  return {
    app_id: token.appId,
    type: token.type,
    application: world.apps.get(token.appId)?.name ?? "",
    data_access_expires_at: 0,
    expires_at: seconds(token.expiresAtMs),
    ...(fault && {
      error: {
        code: fault.parts.code,
        message: fault.message,
        ...(fault.parts.subcode !== undefined && { subcode: fault.parts.subcode }),
      },
    }),
    is_valid: !fault,
    issued_at: seconds(token.issuedAtMs),
    scopes: token.scopes,
    granular_scopes: token.scopes.map((scope) => ({ scope, target_ids: targets })),
    user_id: String(100_000_000_000_000 + randomInt(1e6)),
  };
}
