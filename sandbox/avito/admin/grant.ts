import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { agree, decline, findConsent } from "../consent.ts";
import type { Consent } from "../consent-journal.ts";
import { accessLifetimeSeconds, type Grant, type Scope, scopes } from "../token-store.ts";
import type { World } from "../world.ts";

/** Consent pages, codes and tokens. */
export function grantRoutes(world: World): AdminRoute[] {
  const consentOf = ({ params }: AdminCall) => openConsent(world, params.needText("consent_id"));
  return [
    ["GET", "/consents", (call) => world.consents.read(journalQuery<Consent>(call))],
    ["POST", "/consents/{consent_id}/completions", (call) => complete(world, consentOf(call), call.body)],
    ["POST", "/consents/{consent_id}/cancellations", (call) => ({ redirect_url: decline(consentOf(call)) })],
    ["POST", "/codes", ({ body }) => ({ code: world.tokens.newCode(readGrant(world, body)).value })],
    ["POST", "/tokens", ({ body }) => addToken(world, body)],
    ["POST", "/tokens/expirations", ({ body }) => expire(world, body)],
    ["POST", "/tokens/revocations", ({ body }) => revoke(world, body)],
  ];
}

function openConsent(world: World, id: string): Consent {
  const consent = findConsent(world, id);
  if (!consent) throw missing("consent", id);
  if (consent.redirect_url === null) return consent;
  throw new AdminError(409, "over", "this page is over");
}

/** `{account_id?}`: the seller consents → `{redirect_url}` with the code. */
function complete(world: World, consent: Consent, body: Fields): unknown {
  const account = world.account(body.integer("account_id") ?? [...world.accounts.keys()][0] ?? 0);
  return { redirect_url: agree(world, consent, account.id) };
}

/** `{client_id?, account_id?, scopes?}`: the first of each, and every scope. */
function readGrant(world: World, body: Fields): Grant {
  const account = world.account(body.integer("account_id") ?? [...world.accounts.keys()][0] ?? 0);
  const wanted = body.list("scopes")?.map(readScope) ?? scopes;
  return { clientId: world.app(body.text("client_id")).clientId, accountId: account.id, scopes: wanted };
}

function readScope(name: unknown): Scope {
  const scope = scopes.find((known) => known === name);
  if (!scope) throw invalid("scopes", `of ${scopes.join(", ")}`);
  return scope;
}

function addToken(world: World, body: Fields): unknown {
  const grant = readGrant(world, body);
  const { value } = world.tokens.newAccess(grant);
  const refreshToken = world.tokens.newRefresh(grant);
  world.changed();
  return { access_token: value, refresh_token: refreshToken, expires_in: accessLifetimeSeconds };
}

/** `{access_token?}`: one, or all. */
function expire(world: World, body: Fields): unknown {
  const expired = world.tokens.expire(body.text("access_token"));
  world.changed();
  return { expired };
}

/** `{account_id?}`: the seller revokes the application's access. */
function revoke(world: World, body: Fields): unknown {
  const account = world.account(body.integer("account_id") ?? [...world.accounts.keys()][0] ?? 0);
  world.tokens.revoke(account.id);
  world.changed();
  return { account_id: account.id };
}
