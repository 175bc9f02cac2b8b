import { type Fields, invalid } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { Bot, SentRecord, User } from "../bot.ts";
import { type CallRecord, newToken, type World } from "../world.ts";
import { write } from "./person.ts";

const states = [0, 7, 8, 9, 15];

/** Bots, people, and records of calls and sends. */
export function botRoutes(world: World): AdminRoute[] {
  const botOf = ({ params }: AdminCall) => world.bot(params.needText("bot_id"));
  return [
    ["POST", "/bots", ({ body }) => describeBot(addBot(world, body))],
    ["GET", "/bots", () => ({ items: [...world.bots.values()].map(describeBot) })],
    ["GET", "/bots/{bot_id}", (call) => describeBot(botOf(call))],
    ["POST", "/bots/{bot_id}/revocations", (call) => revoke(world, botOf(call))],
    ["POST", "/bots/{bot_id}/states", (call) => setState(world, botOf(call), call.body)],
    ["GET", "/bots/{bot_id}/sent", (call) => botOf(call).sent.read(sentQuery(call))],
    ["GET", "/calls", (call) => world.calls.read(callsQuery(call))],
    ["POST", "/users", ({ body }) => describeUser(putUser(world, body))],
    ["GET", "/users", () => ({ items: [...world.users.values()].map(describeUser) })],
    ["POST", "/messages", ({ body }) => writeAtOnce(world, body)],
  ];
}

function addBot(world: World, body: Fields): Bot {
  return world.addBot({
    id: body.text("id"),
    token: body.text("token"),
    name: body.text("name"),
    uri: body.text("uri"),
  });
}

/** The old token becomes invalid at once. */
function revoke(world: World, bot: Bot): unknown {
  bot.token = newToken();
  world.changed();
  return { token: bot.token };
}

/** `{status}`: 7 blocked, 8 not found, 9 suspended, 15 not authorised; 0: normal. */
function setState(world: World, bot: Bot, body: Fields): unknown {
  const status = body.needInteger("status");
  if (!states.includes(status)) throw invalid("status", states.join(", "));
  bot.state = status;
  world.changed();
  return { status };
}

function describeBot(bot: Bot): unknown {
  const { id, token, name, uri, state, webhook, subscribers, sent } = bot;
  return {
    id,
    token,
    name,
    uri,
    status: state,
    webhook: webhook?.url ?? null,
    event_types: webhook ? [...webhook.events] : [],
    subscribers,
    sent_total: sent.lastSeq,
  };
}

function sentQuery(call: AdminCall) {
  const user = call.query.text("user");
  const method = call.query.text("method");
  if (user === undefined && method === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (entry) => (user ?? entry.user) === entry.user && (method ?? entry.method) === entry.method,
  );
}

function callsQuery(call: AdminCall) {
  const { query } = call;
  const [method, botId] = [query.text("method"), query.text("bot_id")];
  const [unknown, refused] = [query.flag("unknown"), query.flag("refused")];
  if ([method, botId, unknown, refused].every((filter) => filter === undefined))
    return journalQuery<CallRecord>(call);
  return journalQuery<CallRecord>(
    call,
    (entry) =>
      (method ?? entry.method) === entry.method &&
      (botId ?? entry.bot_id) === entry.bot_id &&
      (unknown === undefined || unknown === (entry.unknown === true)) &&
      (refused === undefined || refused === (entry.status !== 0)),
  );
}

/** Creates a person, or changes a known one. */
function putUser(world: World, body: Fields): User {
  const id = body.text("id") ?? String(100 + world.users.size);
  const known = world.users.get(id);
  return world.putUser({
    id,
    name: body.text("name") ?? known?.name ?? `User ${id}`,
    country: body.text("country") ?? known?.country ?? "UK",
    language: body.text("language") ?? known?.language ?? "en",
    apiVersion: body.integer("api_version") ?? known?.apiVersion ?? 10,
    phone: body.text("phone") ?? known?.phone ?? `44${id.replace(/\D/g, "").padStart(10, "0")}`,
    hidesProfile: body.flag("hides_profile") ?? known?.hidesProfile ?? false,
    devices: body.integer("devices") ?? known?.devices ?? 1,
  });
}

function describeUser({ apiVersion, hidesProfile, ...user }: User): unknown {
  return { ...user, api_version: apiVersion, hides_profile: hidesProfile };
}

/** A message of a person, by default of the first person to the first bot. */
async function writeAtOnce(world: World, body: Fields): Promise<unknown> {
  const bot = world.bot(body.text("bot_id") ?? [...world.bots.keys()][0] ?? "");
  const user = world.user(body.text("user_id") ?? [...world.users.keys()][0] ?? "");
  return write({ world, bot, conversation: world.conversation(bot, user) }, body);
}
