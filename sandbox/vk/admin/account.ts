import { randomBytes, randomInt } from "node:crypto";
import { AdminError, type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import { allRights, type Token } from "../call/token.ts";
import type { App, Authorization } from "../oauth/authorization.ts";
import { cancel, complete } from "../oauth/oauth.ts";
import { chatOffset, type User } from "../shape.ts";
import type { World } from "../world.ts";
import { write } from "./person.ts";

/** People, keys, applications, and the pages that ask for access. */
export function accountRoutes(world: World): AdminRoute[] {
  const opened = ({ params }: AdminCall) => openAuthorization(world, params.needText("authorization_id"));
  return [
    ["POST", "/users", ({ body }) => putUser(world, body)],
    ["GET", "/users", () => ({ items: [...world.users.values()] })],
    ["POST", "/tokens", ({ body }) => describeToken(addToken(world, body))],
    ["GET", "/tokens", () => ({ items: [...world.tokens.values()].map(describeToken) })],
    [
      "POST",
      "/tokens/revocations",
      ({ body }) => endTokens(world, body, (token) => Object.assign(token, { revoked: true })),
    ],
    [
      "POST",
      "/tokens/expirations",
      ({ body }) => endTokens(world, body, (token) => Object.assign(token, { expiresAtMs: 0 })),
    ],
    ["POST", "/apps", ({ body }) => addApp(world, body)],
    ["GET", "/apps", () => ({ items: [...world.apps.values()].map(describeApp) })],
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

/** `{id?, first_name?, last_name?, screen_name?, deactivated?, refuses_chats?}` */
function putUser(world: World, body: Fields): User {
  const id = body.integer("id");
  if (id !== undefined && (id < 1 || id >= chatOffset)) throw invalid("id", `1 to ${chatOffset - 1}`);
  const deactivated = body.text("deactivated");
  if (deactivated !== undefined && deactivated !== "deleted" && deactivated !== "banned") {
    throw invalid("deactivated", "deleted or banned");
  }
  const names = ["first_name", "last_name", "screen_name"].filter((name) => body.has(name));
  const given = Object.fromEntries(names.map((name) => [name, body.needText(name)]));
  const refuses = body.flag("refuses_chats");
  return world.putUser({
    ...(id !== undefined && { id }),
    ...given,
    ...(deactivated && { deactivated }),
    ...(refuses !== undefined && { refuses_chats: refuses }),
  });
}

/** `{group_id? or user_id?, token?, scopes?, expires_in?}` */
function addToken(world: World, body: Fields): Token {
  const groupId = body.integer("group_id");
  const userId = body.integer("user_id");
  if ((groupId === undefined) === (userId === undefined))
    throw invalid("group_id", "given, or user_id instead");
  const value = body.text("token");
  const expiresIn = body.integer("expires_in");
  return world.addToken({
    ...(value !== undefined && { value }),
    groupId: groupId === undefined ? undefined : world.community(groupId).id,
    userId: userId === undefined ? undefined : world.user(userId).id,
    scopes: body.list("scopes")?.map(String) ?? (groupId === undefined ? ["groups"] : allRights),
    expiresAtMs: expiresIn === undefined ? undefined : world.clock.nowMs() + expiresIn * 1000,
  });
}

/** `{token?}`: default all keys. */
function endTokens(world: World, body: Fields, end: (token: Token) => void): unknown {
  const value = body.text("token");
  const one = value === undefined ? undefined : world.tokens.get(value);
  if (value !== undefined && !one) throw missing("token", value);
  const ended = one ? [one] : [...world.tokens.values()];
  for (const token of ended) end(token);
  world.changed();
  return { ended: ended.length };
}

function describeToken({ value, groupId, userId, scopes, expiresAtMs, revoked }: Token): object {
  return {
    token: value,
    group_id: groupId ?? null,
    user_id: userId ?? null,
    scopes,
    expires_at: expiresAtMs === undefined ? null : Math.floor(expiresAtMs / 1000),
    revoked,
  };
}

/** `{id?, secret?, name?, redirect_uris?}` */
function addApp(world: World, body: Fields): object {
  const id = body.integer("id") ?? randomInt(51_000_000, 52_000_000);
  if (world.apps.has(id)) throw new AdminError(409, "exists", `there is already an app ${id}`);
  const app = {
    id,
    secret: body.text("secret") ?? randomBytes(10).toString("hex"),
    name: body.text("name") ?? `App ${id}`,
    redirectUris: body.list("redirect_uris")?.map(String) ?? [],
  };
  world.apps.set(id, app);
  world.changed();
  return describeApp(app);
}

function describeApp({ id, secret, name, redirectUris }: App): object {
  return { id, secret, name, redirect_uris: redirectUris };
}

function openAuthorization(world: World, id: string): Authorization {
  const authorization = world.authorizations.find(id);
  if (!authorization) throw missing("authorization", id);
  if (authorization.redirect_url === null) return authorization;
  throw new AdminError(409, "over", "this dialog is over");
}

/** `{user_id?}`: default the owner of the first community. */
function agree(world: World, authorization: Authorization, body: Fields): unknown {
  const [first] = authorization.group_ids;
  const owner = first === undefined ? [...world.users.keys()][0] : world.community(first).ownerId;
  const userId = body.integer("user_id") ?? owner ?? 0;
  return { redirect_url: complete(world, authorization, world.user(userId).id) };
}

/** `{group_id?, user_id?, …}`: by default the first community and the last person. */
function writeSomewhere(world: World, body: Fields): Promise<unknown> {
  const groupId = body.integer("group_id") ?? [...world.communities.keys()][0];
  const userId = body.integer("user_id") ?? [...world.users.keys()].at(-1);
  if (groupId === undefined || userId === undefined) {
    throw new AdminError(409, "nobody", "there is no community or no user yet");
  }
  const community = world.community(groupId);
  const user = world.user(userId);
  return write({ world, community, user, dialog: community.dialogWith(user) }, body);
}
