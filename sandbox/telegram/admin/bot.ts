import { missing } from "../../http/fields.ts";
import { fileJson } from "../../http/file-json.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import { journalQuery } from "../../journal-query.ts";
import type { BotApi } from "../api.ts";
import type { Bot, BotCallRecord, CallRecord, SentRecord, UpdateRecord } from "../bot.ts";
import type { World } from "../world.ts";
import { waitForAnswer } from "./press.ts";

/** Bots: creating them, and reading what they do. */
export function botRoutes(world: World, api: BotApi): AdminRoute[] {
  const botOf = ({ params }: AdminCall) => world.bot(params.needInteger("bot_id"));
  return [
    ["POST", "/bots", ({ body }) => describeBot(addBot(world, body))],
    ["GET", "/bots", () => ({ items: [...world.bots.values()].map(describeBot) })],
    ["GET", "/calls", (call) => world.calls.read(journalQuery<BotCallRecord>(call))],
    ["GET", "/updates", (call) => world.told.read(journalQuery<UpdateRecord>(call))],
    ["GET", "/bots/{bot_id}/files/{file_id}", (call) => readFile(world, botOf(call), call)],
    ["GET", "/bots/{bot_id}", (call) => describeBot(botOf(call))],
    ["POST", "/bots/{bot_id}/revocations", (call) => ({ token: world.revokeToken(botOf(call)) })],
    ["GET", "/bots/{bot_id}/sent", (call) => botOf(call).sent.read(sentQuery(call))],
    ["GET", "/bots/{bot_id}/calls", (call) => botOf(call).calls.read(callsQuery(call))],
    ["GET", "/bots/{bot_id}/updates", (call) => describeUpdates(world, botOf(call))],
    ["GET", "/bots/{bot_id}/presses/{press_id}", (call) => describePress(botOf(call), call)],
    ["GET", "/bots/{bot_id}/chats/{chat_id}/messages", (call) => listMessages(world, botOf(call), call)],
    [
      "POST",
      "/bots/{bot_id}/time",
      (call) => {
        botOf(call);
        world.clock.advance(call.body.number("advance_seconds") ?? 0);
        api.hurry();
        return { now: world.clock.now() };
      },
    ],
  ];
}

function addBot(world: World, body: AdminCall["body"]): Bot {
  const token = body.text("token");
  const username = body.text("username");
  const name = body.text("name");
  return world.addBot({
    ...(token !== undefined && { token }),
    ...(username !== undefined && { username }),
    ...(name !== undefined && { name }),
    readsAll: body.flag("can_read_all_group_messages") ?? false,
  });
}

function describeBot(bot: Bot): unknown {
  const { id, token, user, webhook } = bot;
  return {
    id,
    token,
    username: user.username,
    name: user.first_name,
    can_read_all_group_messages: bot.readsAllGroupMessages,
    webhook_url: webhook?.url ?? null,
    chats: [...bot.chats.keys()],
    sent_total: bot.sent.lastSeq,
    calls_total: bot.calls.lastSeq,
  };
}

function sentQuery(call: AdminCall) {
  const chatId = call.query.integer("chat_id");
  const method = call.query.text("method")?.toLowerCase();
  if (chatId === undefined && method === undefined) return journalQuery<SentRecord>(call);
  return journalQuery<SentRecord>(
    call,
    (sent) =>
      (chatId ?? sent.chat_id) === sent.chat_id &&
      (method ?? sent.method.toLowerCase()) === sent.method.toLowerCase(),
  );
}

function callsQuery(call: AdminCall) {
  const method = call.query.text("method")?.toLowerCase();
  if (method === undefined) return journalQuery<CallRecord>(call);
  return journalQuery<CallRecord>(call, (entry) => entry.method.toLowerCase() === method);
}

function describeUpdates(world: World, bot: Bot): unknown {
  bot.updates.expire(world.clock.nowMs());
  const { size, confirmed, lastId } = bot.updates;
  const pending = bot.updates.list(0, 100).map(({ id, body }) => ({ update_id: id, ...body }));
  return { pending: size, confirmed, last_update_id: lastId, items: pending };
}

async function describePress(bot: Bot, { params, query, signal }: AdminCall): Promise<unknown> {
  const id = params.needText("press_id");
  const press = bot.presses.get(id);
  if (!press) throw missing("press", id);
  const answer = await waitForAnswer(bot, id, query.integer("timeout_ms") ?? 0, signal);
  return { callback_query_id: id, chat_id: press.chat_id, answer: answer ?? null };
}

/** The bytes of a file in a message that this bot sent or received. */
function readFile(world: World, bot: Bot, { params }: AdminCall): Promise<object> {
  const id = params.needText("file_id");
  const file = world.files.find(bot.id, id);
  if (!file) throw missing("file", id);
  return fileJson(world.files.blobs, { key: file.blobKey, size: file.size, mime: file.mime });
}

/** The conversation as the customer sees it. */
function listMessages(world: World, bot: Bot, { params }: AdminCall): unknown {
  const chatId = params.needInteger("chat_id");
  const chat = bot.chats.get(chatId) ?? world.groups.get(chatId);
  if (!chat) throw missing("chat", chatId);
  const blocked = chat.kind === "private" && chat.blocked;
  const items = chat.messages
    .newest()
    .reverse()
    .map((message) => ({ ...message, reactions: chat.messages.reactionsTo(message.message_id) }));
  return { items, keyboard: chat.keyboard?.rows ?? null, blocked };
}
