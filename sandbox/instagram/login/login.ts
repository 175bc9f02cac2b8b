import { answerJson, type Exchange, readBody } from "../../http/exchange.ts";
import { escapeHtml } from "../../http/html.ts";
import { readMultipart } from "../../http/multipart.ts";
import { denial, leadBack } from "../../oauth/authorization.ts";
import type { App } from "../account/account.ts";
import type { World } from "../world.ts";
import type { Authorization } from "./authorization.ts";
import { allScopes } from "./token.ts";

const maxBodyBytes = 64 * 1024;
/** A short-lived token is valid for an hour. */
const shortLifetimeMs = 60 * 60 * 1000;

/** An error of api.instagram.com, whose responses differ from the graph's. */
class LoginError extends Error {
  readonly status = 400;
}

/** `/www.instagram.com/oauth/authorize`, the dialog, and `/api.instagram.com/oauth/access_token`. */
export async function serveLogin(world: World, exchange: Exchange, path: string): Promise<void> {
  const { method } = exchange;
  try {
    if (path === "/www.instagram.com/oauth/authorize" && method === "GET") openDialog(world, exchange);
    else if (path === "/www.instagram.com/oauth/confirm" && method === "POST") await confirm(world, exchange);
    else if (path === "/api.instagram.com/oauth/access_token" && method === "POST") {
      answerJson(exchange, 200, await exchangeCode(world, exchange));
    } else exchange.response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Page not found</h1>");
  } catch (error) {
    if (!(error instanceof LoginError)) {
      exchange.response.destroy();
      return;
    }
    const answer = { error_type: "OAuthException", code: error.status, error_message: error.message };
    answerJson(exchange, error.status, answer);
  }
}

/** The person consents, for one account. Returns the redirect address; the platform appends `#_`. */
export function complete(world: World, authorization: Authorization, accountId: string): string {
  const code = world.authorizations.newCode(authorization, { accountId });
  return leadBack(authorization, { code }, "_");
}

/** The person denies access. */
export function cancel(authorization: Authorization): string {
  return leadBack(authorization, denial("The user denied your request"), "_");
}

function openDialog(world: World, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const app = appOf(world, query.get("client_id"));
  const redirectUri = query.get("redirect_uri") ?? "";
  const isAllowed = app.redirectUris.length === 0 || app.redirectUris.includes(redirectUri);
  if (!URL.canParse(redirectUri) || !isAllowed) throw new LoginError("Invalid redirect_uri");
  if (query.get("response_type") !== "code") throw new LoginError("Invalid response_type");
  const scopes = (query.get("scope") ?? "").split(/[, ]/).filter(Boolean);
  const wrong = scopes.find((scope) => !/^instagram_business_\w+$/.test(scope));
  if (wrong !== undefined || !scopes.includes("instagram_business_basic")) {
    throw new LoginError(`Invalid scopes: ${wrong ?? "instagram_business_basic is required"}`);
  }
  const authorization = world.authorizations.open({
    app_id: app.id,
    scopes,
    redirect_uri: redirectUri,
    state: query.get("state"),
  });
  const html = `<!doctype html><html lang="en"><title>Instagram</title><body>${form(world, authorization, app)}</body></html>`;
  exchange.response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(html);
}

function form(world: World, { id }: Authorization, app: App): string {
  const accounts = [...world.accounts.values()];
  const options = accounts.map(
    (account) => `<option value="${account.id}">${escapeHtml(account.username)}</option>`,
  );
  return `<form method="post" action="confirm">
<p>Connect your professional account to <b>${escapeHtml(app.name)}</b></p>
<input type="hidden" name="authorization" value="${id}">
<select name="account_id" aria-label="Account">${options.join("")}</select>
<button name="answer" value="allow">Allow</button>
<button name="answer" value="cancel">Cancel</button>
</form>`;
}

async function confirm(world: World, exchange: Exchange): Promise<void> {
  const body = new URLSearchParams((await readBody(exchange.request, maxBodyBytes)).toString());
  const authorization = world.authorizations.find(body.get("authorization") ?? "");
  if (!authorization || authorization.redirect_url !== null) throw new LoginError("This dialog is over");
  const accountId = body.get("account_id") ?? "";
  const isAllowed = body.get("answer") === "allow" && world.accounts.has(accountId);
  const location = isAllowed ? complete(world, authorization, accountId) : cancel(authorization);
  exchange.response.writeHead(302, { Location: location }).end();
}

/** A short-lived token for a code: https://developers.facebook.com/docs/instagram-platform (business login) */
async function exchangeCode(world: World, exchange: Exchange): Promise<object> {
  const body = await readForm(world, exchange);
  const app = appOf(world, body.get("client_id"));
  if (body.get("client_secret") !== app.secret) throw new LoginError("Invalid platform app");
  if (body.get("grant_type") !== "authorization_code") throw new LoginError("Invalid grant_type");
  // The fragment of the address is not part of the code.
  const code = world.authorizations.takeCode(body.get("code") ?? "");
  if (code?.authorization.app_id !== app.id) {
    throw new LoginError("Matching code was not found or was already used");
  }
  const { authorization, given } = code;
  if (body.get("redirect_uri") !== authorization.redirect_uri) {
    throw new LoginError(
      "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request",
    );
  }
  const account = world.account(given.accountId);
  const scopes = allScopes("instagram").filter((scope) => authorization.scopes.includes(scope));
  const expiresAtMs = world.clock.nowMs() + shortLifetimeMs;
  const accountIds = [account.id];
  const { value } = world.addToken({
    kind: "instagram",
    appId: app.id,
    accountIds,
    scopes,
    longLived: false,
    expiresAtMs,
  });
  const answer = { access_token: value, user_id: account.appScopedId, permissions: scopes.join(",") };
  return world.settings.codeForm === "data" ? { data: [answer] } : answer;
}

/** A form of either kind; JSON is ignored. */
async function readForm(world: World, { request }: Exchange): Promise<URLSearchParams> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) {
    const text = (await readBody(request, maxBodyBytes)).toString();
    return new URLSearchParams(type.startsWith("application/x-www-form-urlencoded") ? text : "");
  }
  const unreadable = () => new LoginError("Invalid form");
  const limits = {
    maxFileBytes: maxBodyBytes,
    maxFieldBytes: maxBodyBytes,
    tooLarge: unreadable,
    unreadable,
  };
  return new URLSearchParams({ ...(await readMultipart(request, world.files.blobs, limits)).fields });
}

function appOf(world: World, clientId: string | null): App {
  const app = world.apps.get(clientId ?? "");
  if (app) return app;
  throw new LoginError("Invalid platform app");
}
