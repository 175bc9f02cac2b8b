import { Refusal } from "../../http/api-server.ts";
import { type Exchange, readBody } from "../../http/exchange.ts";
import { oauthError } from "../api-error.ts";
import { accessLifetimeSeconds, type Grant, scopes } from "../token-store.ts";
import type { World } from "../world.ts";

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ["code"],
  refresh_token: ["refresh_token"],
  client_credentials: [],
};
const commonFields = ["grant_type", "client_id", "client_secret"];

/** The fields of a `/token` request. */
export type TokenForm = Readonly<Record<string, string>>;

/** Reads the form of `POST /token`. */
export async function readTokenForm({ request }: Exchange): Promise<TokenForm> {
  const type = request.headers["content-type"] ?? "";
  const text = (await readBody(request, 64 * 1024)).toString();
  if (!type.startsWith("application/x-www-form-urlencoded"))
    throw oauthError(400, "invalid_request", "application/x-www-form-urlencoded expected");
  return Object.fromEntries(new URLSearchParams(text));
}

/** `POST /token`, all three grants: https://developers.avito.ru/api-catalog/auth/documentation */
export function giveToken(world: World, form: TokenForm): unknown {
  const fields = fieldsOf[form["grant_type"] ?? ""];
  if (!fields) throw oauthError(400, "unsupported_grant_type", "grant_type is not supported");
  checkFields(form, [...commonFields, ...fields]);
  const app = world.apps.get(form["client_id"] ?? "");
  if (app?.clientSecret !== form["client_secret"] || !app)
    throw oauthError(401, "invalid_client", "client_id or client_secret is wrong");
  switch (form["grant_type"]) {
    case "authorization_code":
      return answer(world, taken(world.tokens.takeCode(form["code"] ?? "", app.clientId), "code"));
    case "refresh_token":
      return answer(
        world,
        taken(world.tokens.takeRefresh(form["refresh_token"] ?? "", app.clientId), "refresh_token"),
      );
    default: {
      const { value } = world.tokens.newAccess({ clientId: app.clientId, accountId: app.ownerId, scopes });
      world.changed();
      return { access_token: value, expires_in: accessLifetimeSeconds, token_type: "Bearer" };
    }
  }
}

function checkFields(form: TokenForm, known: readonly string[]): void {
  const missing = known.find((name) => (form[name] ?? "") === "");
  if (missing !== undefined) throw oauthError(400, "invalid_request", `${missing} is required`);
  const unknown = Object.keys(form).find((name) => !known.includes(name));
  if (unknown !== undefined) throw oauthError(400, "invalid_request", `unknown parameter ${unknown}`, true);
}

function taken(grant: Grant | undefined, what: string): Grant {
  if (grant) return grant;
  throw oauthError(400, "invalid_grant", `${what} is invalid, expired or has been used`);
}

function answer(world: World, grant: Grant): unknown {
  const { value } = world.tokens.newAccess(grant);
  const refreshToken = world.tokens.newRefresh(grant);
  world.changed();
  return {
    access_token: value,
    expires_in: accessLifetimeSeconds,
    refresh_token: refreshToken,
    scope: grant.scopes.join(","),
    token_type: "Bearer",
  };
}

/** The refusal, with the status set by the test. */
export function tokenRefusal(world: World, refusal: Refusal): Refusal {
  if (!world.settings.tokenErrorsAs200) return refusal;
  return new Refusal(refusal.message, { ...refusal.reply, status: 200 }, refusal.unknown);
}
