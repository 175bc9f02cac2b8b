import { answerJson, type Exchange, readBody } from "../../http/exchange.ts";
import { escapeHtml } from "../../http/html.ts";
import { denial, leadBack } from "../../oauth/authorization.ts";
import type { Community } from "../community.ts";
import type { World } from "../world.ts";
import type { App, Authorization } from "./authorization.ts";

/** A person's key is valid for a day: https://dev.vk.com/ru/api/access-token/authcode-flow-user */
const userTokenSeconds = 86_400;
const maxBodyBytes = 64 * 1024;

/** An error of the OAuth server, whose responses differ from the API's. */
class OauthError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.status = status;
    this.code = code;
  }
}

/** `/authorize`, the page that asks for access, and `/access_token`, where codes are exchanged for keys. */
export async function serveOauth(world: World, exchange: Exchange, path: string): Promise<void> {
  try {
    if (path === "/authorize" && exchange.method === "GET") showForm(world, exchange);
    else if (path === "/authorize/confirm" && exchange.method === "POST") await confirm(world, exchange);
    else if (path === "/access_token") answerJson(exchange, 200, await exchangeCode(world, exchange));
    else exchange.response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>404 Not Found</h1>");
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    answerJson(exchange, error.status, { error: error.code, error_description: error.message });
  }
}

/** The person consents. Returns the redirect address. */
export function complete(world: World, authorization: Authorization, userId: number): string {
  const code = world.authorizations.newCode(authorization, { userId });
  return leadBack(authorization, { code });
}

/** The person denies access. */
export function cancel(authorization: Authorization): string {
  return leadBack(authorization, denial("User denied your request"));
}

function showForm(world: World, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const app = appOf(world, query.get("client_id"));
  const redirectUri = query.get("redirect_uri") ?? "";
  checkRedirect(app, redirectUri);
  if (query.get("response_type") !== "code")
    throw invalidRequest("response_type is incorrect, check application settings");
  if (!query.get("v")) throw invalidRequest("v is undefined");
  const groupIds = (query.get("group_ids") ?? "").split(",").filter(Boolean).map(Number);
  for (const id of groupIds) if (!world.communities.has(id)) throw invalidRequest("group_ids is incorrect");
  const authorization = world.authorizations.open({
    app_id: app.id,
    group_ids: groupIds,
    scopes: (query.get("scope") ?? "").split(/[, ]/).filter(Boolean),
    redirect_uri: redirectUri,
    state: query.get("state"),
  });
  answerPage(exchange, form(world, authorization, app));
}

function form(world: World, authorization: Authorization, app: App): string {
  const { group_ids: groupIds, id } = authorization;
  const communities = groupIds.map((groupId) => world.community(groupId));
  const people = communities.length > 0 ? communities.map(({ ownerId }) => ownerId) : [...world.users.keys()];
  const options = [...new Set(people)].map((userId) => {
    const user = world.users.get(userId);
    return `<option value="${userId}">${escapeHtml(`${user?.first_name} ${user?.last_name}`)}</option>`;
  });
  const what = communities.length > 0 ? communities.map(({ name }) => name).join(", ") : "your account";
  return `<form method="post" action="authorize/confirm">
<p><b>${escapeHtml(app.name)}</b> asks for access to ${escapeHtml(what)}</p>
<input type="hidden" name="authorization" value="${id}">
<select name="user_id" aria-label="Account">${options.join("")}</select>
<button name="answer" value="allow">Allow</button>
<button name="answer" value="cancel">Cancel</button>
</form>`;
}

async function confirm(world: World, exchange: Exchange): Promise<void> {
  const body = new URLSearchParams((await readBody(exchange.request, maxBodyBytes)).toString());
  const authorization = world.authorizations.find(body.get("authorization") ?? "");
  if (!authorization || authorization.redirect_url !== null) throw invalidRequest("this dialog is over");
  const userId = Number(body.get("user_id"));
  const isAllowed = body.get("answer") === "allow" && world.users.has(userId);
  const location = isAllowed ? complete(world, authorization, userId) : cancel(authorization);
  exchange.response.writeHead(302, { Location: location }).end();
}

/** https://dev.vk.com/ru/api/access-token/authcode-flow-community */
async function exchangeCode(world: World, exchange: Exchange): Promise<object> {
  const query = new URLSearchParams(exchange.query);
  if (exchange.method === "POST") {
    const body = (await readBody(exchange.request, maxBodyBytes)).toString();
    for (const [name, value] of new URLSearchParams(body)) query.set(name, value);
  }
  const app = appOf(world, query.get("client_id"));
  if (query.get("client_secret") !== app.secret) {
    throw new OauthError(401, "invalid_client", "client_secret is incorrect");
  }
  const code = world.authorizations.takeCode(query.get("code") ?? "");
  if (code?.authorization.app_id !== app.id)
    throw new OauthError(401, "invalid_grant", "Code is invalid or expired.");
  const {
    authorization,
    given: { userId },
  } = code;
  if (query.get("redirect_uri") !== authorization.redirect_uri) {
    throw new OauthError(401, "invalid_grant", "redirect_uri is incorrect, check application settings");
  }
  const { scopes, group_ids: groupIds } = authorization;
  if (groupIds.length === 0) return userToken(world, userId, scopes);
  const groups = groupIds.map((id) => groupToken(world, world.community(id), userId, scopes));
  return { groups, expires_in: 0 };
}

function userToken(world: World, userId: number, scopes: readonly string[]): object {
  const expiresAtMs = world.clock.nowMs() + userTokenSeconds * 1000;
  const { value } = world.addToken({ groupId: undefined, userId, scopes, expiresAtMs });
  return { access_token: value, expires_in: userTokenSeconds, user_id: userId };
}

/** Only an administrator of the community can grant access to it. */
function groupToken(world: World, community: Community, userId: number, scopes: readonly string[]): object {
  if (community.ownerId !== userId) throw new OauthError(401, "access_denied", "Group authorization failed");
  const { id } = community;
  const { value } = world.addToken({ groupId: id, userId: undefined, scopes, expiresAtMs: undefined });
  return { group_id: id, access_token: value };
}

function appOf(world: World, clientId: string | null): App {
  const app = world.apps.get(Number(clientId));
  if (app) return app;
  throw new OauthError(401, "invalid_client", "client_id is incorrect");
}

function checkRedirect({ redirectUris }: App, redirectUri: string): void {
  const isAllowed = redirectUris.length === 0 || redirectUris.includes(redirectUri);
  if (!URL.canParse(redirectUri) || !isAllowed) {
    throw invalidRequest("redirect_uri is incorrect, check application redirect uri in the settings page");
  }
}

function invalidRequest(description: string): OauthError {
  return new OauthError(400, "invalid_request", description);
}

function answerPage({ response }: Exchange, content: string): void {
  const html = `<!doctype html><html lang="en"><title>VK</title><body>${content}</body></html>`;
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(html);
}
