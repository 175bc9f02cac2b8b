import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { type Account, type App, type SentRecord, webhookFields } from "../account/account.ts";
import type { Authorization } from "../login/authorization.ts";
import { cancel, complete } from "../login/login.ts";
import { allScopes, loginOf, type Token } from "../login/token.ts";
import { deliver } from "../message/send.ts";
import { setCallback } from "../node/app.ts";
import type { World } from "../world.ts";
import { readWords } from "./content.ts";
import { describeMessage } from "./describe.ts";
import { write } from "./person.ts";

/** Apps, accounts, people, tokens, and actions of owners outside the API. */
export function accountRoutes(world: World): AdminRoute[] {
  const accountOf = ({ params }: AdminCall) => world.account(params.needText("account_id"));
  const opened = ({ params }: AdminCall) => openAuthorization(world, params.needText("authorization_id"));
  return [
    ["POST", "/apps", ({ body }) => describeApp(addApp(world, body))],
    ["GET", "/apps", () => ({ items: [...world.apps.values()].map(describeApp) })],
    ["POST", "/apps/{app_id}/subscriptions", (call) => subscribe(world, call)],
    ["POST", "/accounts", ({ body }) => describeAccount(addAccount(world, body))],
    ["GET", "/accounts", () => ({ items: [...world.accounts.values()].map(describeAccount) })],
    ["GET", "/accounts/{account_id}", (call) => describeAccount(accountOf(call))],
    ["GET", "/accounts/{account_id}/sent", (call) => accountOf(call).sent.read(sentQuery(call))],
    ["POST", "/accounts/{account_id}/echoes", (call) => echo(world, accountOf(call), call.body)],
    [
      "POST",
      "/accounts/{account_id}/thread_deletions",
      (call) => deleteThread(world, accountOf(call), call.body),
    ],
    ["POST", "/users", ({ body }) => putPerson(world, body)],
    ["GET", "/users", () => ({ items: [...world.people.values()] })],
    ["POST", "/tokens", ({ body }) => describeToken(addToken(world, body))],
    ["GET", "/tokens", () => ({ items: [...world.tokens.values()].map(describeToken) })],
    ["POST", "/tokens/expirations", ({ body }) => endTokens(world, body)],
    [
      "GET",
      "/authorizations",
      (call) => world.authorizations.journal.read(journalQuery<Authorization>(call)),
    ],
    [
      "POST",
      "/authorizations/{authorization_id}/completions",
      (call) => agree(world, opened(call), call.body),
    ],
    [
      "POST",
      "/authorizations/{authorization_id}/cancellations",
      (call) => ({ redirect_url: cancel(opened(call)) }),
    ],
    ["POST", "/messages", ({ body }) => writeSomewhere(world, body)],
  ];
}

/** `{id?, secret?, name?, redirect_uris?}` */
function addApp(world: World, body: Fields): App {
  const id = body.text("id");
  const secret = body.text("secret");
  const name = body.text("name");
  return world.addApp({
    ...(id !== undefined && { id }),
    ...(secret !== undefined && { secret }),
    ...(name !== undefined && { name }),
    redirectUris: body.list("redirect_uris")?.map(String) ?? [],
  });
}

/** `{callback_url, verify_token, fields?}`: the form of the app's dashboard. */
async function subscribe(world: World, { params, body }: AdminCall): Promise<unknown> {
  const app = world.app(params.needText("app_id"));
  const url = body.needText("callback_url");
  const verifyToken = body.needText("verify_token");
  const fields = body.list("fields")?.map(String) ?? webhookFields;
  try {
    await setCallback(world, app, { url, verifyToken, fields });
  } catch (error) {
    throw new AdminError(409, "not_verified", error instanceof Error ? error.message : String(error));
  }
  return describeApp(app);
}

function describeApp({ id, secret, name, callbackUrl, fields, redirectUris }: App): object {
  return {
    id,
    secret,
    name,
    callback_url: callbackUrl ?? null,
    fields: [...fields],
    redirect_uris: redirectUris,
  };
}

/** `{id?, page_id?, username?, name?}` */
function addAccount(world: World, body: Fields): Account {
  const names = { id: "id", page_id: "pageId", username: "username", name: "name" };
  const given = Object.entries(names).filter(([name]) => body.has(name));
  return world.addAccount(Object.fromEntries(given.map(([name, field]) => [field, body.needText(name)])));
}

function describeAccount(account: Account): object {
  const { id, appScopedId, pageId, username, name, subscriptions, conversations, sent } = account;
  return {
    id,
    app_scoped_id: appScopedId,
    page_id: pageId,
    username,
    name,
    subscribed_app_ids: [...subscriptions.keys()],
    users: [...conversations.values()].map(({ person, igsid }) => ({ user_id: person.id, igsid })),
    sent_total: sent.lastSeq,
  };
}

function sentQuery(call: AdminCall) {
  const user = call.query.text("user");
  const type = call.query.text("type");
  if (user === undefined && type === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (sent) => (user ?? sent.user) === sent.user && (type ?? sent.type) === sent.type,
  );
}

/** `{user_id, …}`: the owner writes on the phone. */
async function echo(world: World, account: Account, body: Fields): Promise<unknown> {
  const conversation = account.conversationWith(world.person(body.needText("user_id")));
  const words = await readWords({ world, account, conversation }, body);
  const content = { text: words.text, attachments: words.attachments ?? [], buttons: [] };
  const { callbacks, ...message } = deliver(world, { account, conversation }, "echo", content);
  return { message: describeMessage(message), callbacks };
}

/** `{user_id}`: the owner deletes the thread; it reappears when the person writes. */
function deleteThread(world: World, account: Account, body: Fields): unknown {
  account.conversationWith(world.person(body.needText("user_id"))).deleted = true;
  world.changed();
  return { deleted: true };
}

/** `{id?, username?, name?}`; a known `id` is renamed. */
function putPerson(world: World, body: Fields): unknown {
  const names = ["id", "username", "name"].filter((name) => body.has(name));
  return world.putPerson(Object.fromEntries(names.map((name) => [name, body.needText(name)])));
}

/** `{kind?, app_id?, account_ids?, token?, scopes?, long_lived?, expires_in?}` */
function addToken(world: World, body: Fields): Token {
  const kind = body.text("kind") ?? "user";
  if (kind !== "user" && kind !== "page" && kind !== "instagram")
    throw invalid("kind", "user, page or instagram");
  const appId = world.app(body.text("app_id") ?? [...world.apps.keys()][0] ?? "").id;
  const ids =
    body.list("account_ids")?.map(String) ??
    [...world.accounts.keys()].slice(0, kind === "user" ? undefined : 1);
  const value = body.text("token");
  const expiresIn = body.integer("expires_in");
  return world.addToken({
    ...(value !== undefined && { value }),
    kind,
    appId,
    accountIds: ids.map((id) => world.account(id).id),
    scopes: body.list("scopes")?.map(String) ?? allScopes(kind === "instagram" ? "instagram" : "facebook"),
    longLived: body.flag("long_lived") ?? true,
    expiresAtMs: expiresIn === undefined ? undefined : world.clock.nowMs() + expiresIn * 1000,
  });
}

/** `{token?, reason?: expired|session|app}`; without `token` every token. */
function endTokens(world: World, body: Fields): unknown {
  const value = body.text("token");
  const one = value === undefined ? undefined : world.tokens.get(value);
  if (value !== undefined && !one) throw missing("token", value);
  const reason = body.text("reason") ?? "expired";
  if (reason !== "expired" && reason !== "session" && reason !== "app")
    throw invalid("reason", "expired, session or app");
  const ended = one ? [one] : [...world.tokens.values()];
  for (const token of ended) {
    if (reason === "expired") token.expiresAtMs = world.clock.nowMs();
    else token.withdrawn = reason;
  }
  world.changed();
  return { ended: ended.length };
}

function describeToken(token: Token): object {
  const { value, kind, appId, accountIds, scopes, longLived, expiresAtMs, withdrawn } = token;
  return {
    token: value,
    kind,
    login: loginOf(token),
    app_id: appId,
    account_ids: accountIds,
    scopes,
    long_lived: longLived,
    expires_at: expiresAtMs === undefined ? null : Math.floor(expiresAtMs / 1000),
    withdrawn: withdrawn ?? null,
  };
}

function openAuthorization(world: World, id: string): Authorization {
  const authorization = world.authorizations.find(id);
  if (!authorization) throw missing("authorization", id);
  if (authorization.redirect_url === null) return authorization;
  throw new AdminError(409, "over", "this dialog is over");
}

/** `{account_id?}`: the first account by default. */
function agree(world: World, authorization: Authorization, body: Fields): unknown {
  const account = world.account(body.text("account_id") ?? [...world.accounts.keys()][0] ?? "");
  return { redirect_url: complete(world, authorization, account.id) };
}

/** `{account_id?, user_id?, …}`: by default the first account and the last person. */
function writeSomewhere(world: World, body: Fields): Promise<unknown> {
  const accountId = body.text("account_id") ?? [...world.accounts.keys()][0];
  const userId = body.text("user_id") ?? [...world.people.keys()].at(-1);
  if (accountId === undefined || userId === undefined) {
    throw new AdminError(409, "nobody", "there is no account or no user yet");
  }
  const account = world.account(accountId);
  return write({ world, account, conversation: account.conversationWith(world.person(userId)) }, body);
}
