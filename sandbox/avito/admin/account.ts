import type { Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { Account, App, Item, SentRecord } from "../account.ts";
import { selfShape } from "../shape.ts";
import type { CallRecord, World } from "../world.ts";

/** Applications, accounts, listings, people, and records of calls and sends. */
export function accountRoutes(world: World): AdminRoute[] {
  const accountOf = ({ params }: AdminCall) => world.account(params.needInteger("account_id"));
  return [
    ["POST", "/apps", ({ body }) => describeApp(addApp(world, body))],
    ["GET", "/apps", () => ({ items: [...world.apps.values()].map(describeApp) })],
    ["POST", "/accounts", ({ body }) => describeAccount(addAccount(world, body))],
    ["GET", "/accounts", () => ({ items: [...world.accounts.values()].map(describeAccount) })],
    ["GET", "/accounts/{account_id}", (call) => describeAccount(accountOf(call))],
    ["POST", "/accounts/{account_id}/levels", (call) => setLevel(world, accountOf(call), call.body)],
    ["GET", "/accounts/{account_id}/sent", (call) => accountOf(call).sent.read(sentQuery(call))],
    ["POST", "/items", ({ body }) => describeItem(addItem(world, body))],
    ["GET", "/items", () => ({ items: [...world.items.values()].map(describeItem) })],
    ["POST", "/users", ({ body }) => world.putUser({ id: body.integer("id"), name: body.text("name") })],
    ["GET", "/users", () => ({ items: [...world.users.values()] })],
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
  ];
}

function addApp(world: World, body: Fields): App {
  const setup = {
    clientId: body.text("client_id"),
    clientSecret: body.text("client_secret"),
    name: body.text("name"),
    redirectUri: body.text("redirect_uri"),
    ownerId: body.integer("owner_id"),
  };
  return world.addApp(defined(setup));
}

function describeApp({ clientId, clientSecret, name, redirectUri, ownerId }: App): unknown {
  return {
    client_id: clientId,
    client_secret: clientSecret,
    name,
    redirect_uri: redirectUri,
    owner_id: ownerId,
  };
}

function addAccount(world: World, body: Fields): Account {
  const setup = {
    id: body.integer("id"),
    name: body.text("name"),
    email: body.text("email"),
    phone: body.text("phone"),
    paid: body.flag("paid"),
  };
  return world.addAccount(defined(setup));
}

function describeAccount(account: Account): unknown {
  return {
    ...selfShape(account),
    paid: account.paid,
    webhooks: [...account.webhooks.keys()],
    blacklist: [...account.blacklist],
    sent_total: account.sent.lastSeq,
  };
}

/** `{paid}`: whether the subscription includes the messenger API; otherwise every call of it gets 402. */
function setLevel(world: World, account: Account, body: Fields): unknown {
  account.paid = body.flag("paid") ?? true;
  world.changed();
  return { paid: account.paid };
}

function addItem(world: World, body: Fields): Item {
  const setup = {
    id: body.integer("id"),
    title: body.text("title"),
    priceString: body.text("price_string"),
    statusId: body.integer("status_id"),
    url: body.text("url"),
  };
  const userId = body.integer("account_id") ?? [...world.accounts.keys()][0] ?? 0;
  return world.addItem({ ...defined(setup), userId: world.account(userId).id });
}

function describeItem({ id, title, priceString, statusId, url, userId }: Item): unknown {
  return { id, title, price_string: priceString, status_id: statusId, url, account_id: userId };
}

function sentQuery(call: AdminCall) {
  const chatId = call.query.text("chat_id");
  const type = call.query.text("type");
  if (chatId === undefined && type === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (entry) => (chatId ?? entry.chat_id) === entry.chat_id && (type ?? entry.type) === entry.type,
  );
}

function callsQuery(call: AdminCall) {
  const { query } = call;
  const [method, path, pattern] = [query.text("method"), query.text("path"), query.text("call")];
  const [unknown, refused] = [query.flag("unknown"), query.flag("refused")];
  if ([method, path, pattern, unknown, refused].every((filter) => filter === undefined))
    return journalQuery<CallRecord>(call);
  return journalQuery<CallRecord>(
    call,
    (entry) =>
      (method ?? entry.method) === entry.method &&
      (path ?? entry.path) === entry.path &&
      (pattern ?? entry.call) === entry.call &&
      (unknown === undefined || unknown === (entry.unknown === true)) &&
      (refused === undefined || refused === (entry.status !== 200)),
  );
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Omits undefined fields. */
function defined<T extends object>(setup: T): Defined<T> {
  return Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== undefined)) as Defined<T>;
}
