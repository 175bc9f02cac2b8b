import type { Fields } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { Bot, SentRecord } from "../bot.ts";
import { dialogId, type User } from "../chat/chat.ts";
import { botInfo } from "../shape.ts";
import { type CallRecord, newToken, type World } from "../world.ts";
import { start, write } from "./person.ts";

/** Bots, people, and records of calls and sends. */
export function botRoutes(world: World): AdminRoute[] {
  const botOf = ({ params }: AdminCall) => world.bot(params.needInteger("bot_id"));
  return [
    ["POST", "/bots", ({ body }) => describeBot(addBot(world, body))],
    ["GET", "/bots", () => ({ items: [...world.bots.values()].map(describeBot) })],
    ["GET", "/bots/{bot_id}", (call) => describeBot(botOf(call))],
    ["POST", "/bots/{bot_id}/revocations", (call) => revoke(world, botOf(call))],
    ["GET", "/bots/{bot_id}/sent", (call) => botOf(call).sent.read(sentQuery(call))],
    ["GET", "/bots/{bot_id}/updates", (call) => describeUpdates(botOf(call))],
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ["POST", "/users", ({ body }) => describeUser(putUser(world, body))],
    ["GET", "/users", () => ({ items: [...world.users.values()].map(describeUser) })],
    ["POST", "/messages", ({ body }) => writeAtOnce(world, body)],
  ];
}

function addBot(world: World, body: Fields): Bot {
  return world.addBot({
    id: body.integer("user_id"),
    token: body.text("token"),
    username: body.text("username"),
    name: body.text("first_name"),
    description: body.text("description"),
  });
}

/** The old token becomes invalid at once. */
function revoke(world: World, bot: Bot): unknown {
  bot.token = newToken();
  world.changed();
  return { token: bot.token };
}

function describeBot(bot: Bot): unknown {
  const subscriptions = [...bot.subscriptions.values()].map(({ url, updateTypes, secret }) => ({
    url,
    update_types: updateTypes,
    secret: secret ?? null,
  }));
  return { ...botInfo(bot), token: bot.token, subscriptions, sent_total: bot.sent.lastSeq };
}

function describeUpdates({ updates }: Bot): unknown {
  return { pending: updates.size, next_marker: updates.next, items: updates.list() };
}

function sentQuery(call: AdminCall) {
  const chatId = call.query.integer("chat_id");
  const method = call.query.text("method");
  if (chatId === undefined && method === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (entry) => (chatId ?? entry.chat_id) === entry.chat_id && (method ?? entry.method) === entry.method,
  );
}

function callsQuery(call: AdminCall) {
  const { query } = call;
  const [method, path, botId] = [query.text("method"), query.text("path"), query.integer("bot_id")];
  const [unknown, refused] = [query.flag("unknown"), query.flag("refused")];
  if ([method, path, botId, unknown, refused].every((filter) => filter === undefined))
    return journalQuery<CallRecord>(call);
  return journalQuery<CallRecord>(
    call,
    (entry) =>
      (method ?? entry.method) === entry.method &&
      (path ?? entry.path) === entry.path &&
      (botId ?? entry.bot_id) === entry.bot_id &&
      (unknown === undefined || unknown === (entry.unknown === true)) &&
      (refused === undefined || refused === (entry.status !== 200)),
  );
}

/** Creates a person, or renames a known one. */
function putUser(world: World, body: Fields): User {
  const id = body.integer("user_id") ?? 100_000_000 + world.users.size;
  const known = world.users.get(id);
  return world.putUser({
    user_id: id,
    first_name: body.text("first_name") ?? known?.first_name ?? `User ${id}`,
    last_name: body.text("last_name") ?? known?.last_name ?? "",
    username: body.text("username") ?? known?.username ?? null,
    locale: body.text("locale") ?? known?.locale ?? "ru",
    phone: body.text("phone") ?? known?.phone ?? `7999${String(id).padStart(7, "0").slice(-7)}`,
    lastActivityMs: known?.lastActivityMs ?? world.clock.nowMs(),
  });
}

function describeUser({ lastActivityMs, ...user }: User): unknown {
  return { ...user, last_activity_time: lastActivityMs };
}

/** A message of a person, by default of the first person to the first bot; starts the dialog if necessary. */
async function writeAtOnce(world: World, body: Fields): Promise<unknown> {
  const bot = world.bot(body.integer("bot_id") ?? [...world.bots.keys()][0] ?? 0);
  const user = world.user(body.integer("user_id") ?? [...world.users.keys()][0] ?? 0);
  const known = world.chats.get(dialogId(bot.id, user.user_id));
  if (known?.suspended ?? true) start(world, bot, user, body);
  const chat = world.openDialog(bot, user);
  return write({ world, chat, user, bot }, body);
}
