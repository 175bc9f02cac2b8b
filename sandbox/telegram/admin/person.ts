import { AdminError, Fields, invalid, isRecord, missing } from "../../http/fields.ts";
import type { AdminCall, AdminHandler, AdminRoute } from "../../http/route.ts";
import type { Bot } from "../bot.ts";
import type { Chat, PrivateChat } from "../chat/chat.ts";
import { memberShape } from "../chat/member.ts";
import { withoutReply } from "../chat/outgoing.ts";
import { inTopic } from "../chat/topic.ts";
import { sharedOwner } from "../file/file-registry.ts";
import { amend, orderingKeyOf, type Written, writeInGroup, writePrivately } from "../inbound.ts";
import { REACTIONS } from "../reactions.ts";
import type { Message, User } from "../shape.ts";
import { findEntities } from "../text/formatted-text.ts";
import type { World } from "../world.ts";
import { readContent } from "./content.ts";
import { press } from "./press.ts";
import type { Seat } from "./seat.ts";

type SeatHandler = (seat: Seat, call: AdminCall) => unknown;

/** The actions of people: below `/bots/{bot_id}/users/{user_id}` in private, below `/groups/{group_id}` in groups. */
export function personRoutes(world: World): AdminRoute[] {
  const privately = (handler: SeatHandler): AdminHandler => {
    return (call) => handler(privateSeat(world, call), call);
  };
  const inGroup = (handler: SeatHandler): AdminHandler => {
    return (call) => handler(groupSeat(world, call), call);
  };
  const actions: readonly (readonly [name: string, handler: SeatHandler])[] = [
    ["messages", (seat, { body }) => write(world, seat, body)],
    ["edits", (seat, { body }) => edit(world, seat, body)],
    ["presses", (seat, call) => press(world, seat, call)],
    ["reactions", (seat, { body }) => react(world, seat, body)],
    ["deletions", (seat, { body }) => remove(world, seat, body)],
  ];
  return actions.flatMap(([name, handler]): AdminRoute[] => [
    ["POST", `/bots/{bot_id}/users/{user_id}/${name}`, privately(handler)],
    ["POST", `/groups/{group_id}/${name}`, inGroup(handler)],
  ]);
}

/** Opens the chat and writes `/start`, as the button of that name does. */
export function start(world: World, bot: Bot, user: User, payload: string | undefined): Written {
  const chat = world.openPrivateChat(bot, user);
  if (chat.blocked) setBlocked(world, bot, chat, false);
  const text = payload ? `/start ${payload}` : "/start";
  return writePrivately(world, bot, chat, { text, entities: findEntities(text) });
}

/** https://core.telegram.org/bots/api#chatmemberupdated: a block is reported as the bot being kicked. */
export function setBlocked(
  world: World,
  bot: Bot,
  chat: PrivateChat,
  blocked: boolean,
): { update_id?: number } {
  if (chat.blocked === blocked) return {};
  chat.blocked = blocked;
  const member = memberShape(bot.user, "member");
  const kicked = memberShape(bot.user, "kicked");
  const change = {
    chat: chat.shape,
    from: chat.user,
    date: world.clock.now(),
    old_chat_member: blocked ? member : kicked,
    new_chat_member: blocked ? kicked : member,
  };
  const updateId = world.notify(bot, { my_chat_member: change }, `membership ${chat.shape.id}`);
  world.changed();
  return updateId === undefined ? {} : { update_id: updateId };
}

/** A message of any kind; an album is several at once. */
export async function write(
  world: World,
  seat: Seat,
  body: Fields,
): Promise<Written | { messages: Written[] }> {
  if (seat.bot && seat.chat.kind === "private" && seat.chat.blocked) {
    throw new AdminError(409, "blocked", "the user has blocked the bot; unblock it first");
  }
  if (body.text("kind") !== "album") return writeOne(world, seat, body, {});
  const items = body.list("items") ?? [{ kind: "photo" }, { kind: "photo" }];
  if (items.length < 2 || items.length > 10)
    throw new AdminError(400, "invalid_field", "items must be 2 to 10");
  const group = { media_group_id: String(Math.floor(Math.random() * 1e16)) };
  const messages: Written[] = [];
  for (const item of items) messages.push(await writeOne(world, seat, fieldsOf(item), group));
  return { messages };
}

async function writeOne(world: World, seat: Seat, body: Fields, extra: Partial<Message>): Promise<Written> {
  const { user, chat, bot } = seat;
  const botId = bot?.id ?? sharedOwner;
  const reply = readReply(chat, body);
  const topicId = body.integer("topic_id");
  if (topicId !== undefined && !(chat.kind === "group" && chat.topics.has(topicId)))
    throw missing("topic", topicId);
  const place = inTopic(chat, topicId, reply.reply_to_message);
  const content = {
    ...reply,
    ...place,
    ...(await readContent(body, { files: world.files, botId, user })),
    ...extra,
  };
  if (chat.kind === "group") return writeInGroup(world, chat, user, content);
  if (bot) return writePrivately(world, bot, chat, content);
  throw missing("bot for the chat", chat.shape.id);
}

/** `reply_to`: id of the quoted message, of the bot or the person. */
function readReply(chat: Chat, body: Fields): Partial<Message> {
  const messageId = body.integer("reply_to");
  if (messageId === undefined) return {};
  const replied = chat.messages.get(messageId) ?? fail(missing("message", messageId));
  const text = body.text("quote");
  if (text === undefined) return { reply_to_message: withoutReply(replied) };
  const position = (replied.text ?? replied.caption ?? "").indexOf(text);
  if (position < 0) throw invalid("quote", "a part of the message replied to");
  return { reply_to_message: withoutReply(replied), quote: { text, position, is_manual: true } };
}

/** The person changes a text or caption of their own. */
function edit(world: World, seat: Seat, body: Fields): Written {
  const { chat, user, bot } = seat;
  const message = ownMessage(chat, user, body.needInteger("message_id"));
  const text = body.needText("text");
  const entities = findEntities(text);
  const isText = message.text !== undefined;
  const content = isText ? { text, entities } : { caption: text, caption_entities: entities };
  const edited = amend(world, chat, message, content);
  const updateIds: Record<string, number> = {};
  for (const reader of bot ? [bot] : [...world.bots.values()].filter(({ id }) => isInside(chat, id))) {
    const updateId = world.notify(reader, { edited_message: edited }, orderingKeyOf(chat));
    if (updateId !== undefined) updateIds[reader.id] = updateId;
  }
  return { message: edited, update_ids: updateIds };
}

/**
 * `{message_id?, emoji?}`; the newest message by default; without `emoji` the reaction is removed. Telegram tells bots
 * that asked for it, in groups only administrators (https://core.telegram.org/bots/api#messagereactionupdated).
 */
function react(world: World, { chat, user, bot }: Seat, body: Fields): unknown {
  const id = body.integer("message_id") ?? chat.messages.newest()[0]?.message_id ?? 0;
  if (!chat.messages.get(id)) throw missing("message", id);
  const emoji = body.text("emoji")?.replace(/\uFE0F$/, "");
  if (emoji !== undefined && !REACTIONS.includes(emoji)) throw invalid("emoji", "one of Telegram's");
  const earlier = chat.messages.react(id, user.id, emoji);
  world.changed();
  const change = {
    chat: chat.shape,
    message_id: id,
    user,
    date: world.clock.now(),
    old_reaction: typesOf(earlier),
    new_reaction: typesOf(emoji),
  };
  const updateIds: Record<string, number> = {};
  for (const reader of bot ? [bot] : administratorsAmong(world, chat)) {
    const updateId = world.notify(reader, { message_reaction: change }, orderingKeyOf(chat));
    if (updateId !== undefined) updateIds[reader.id] = updateId;
  }
  return { message_reaction: change, update_ids: updateIds };
}

const typesOf = (emoji: string | undefined): object[] =>
  emoji === undefined ? [] : [{ type: "emoji", emoji }];

function administratorsAmong(world: World, chat: Chat): Bot[] {
  const states = chat.kind === "group" ? chat.bots : new Map<number, string>();
  return [...world.bots.values()].filter(({ id }) => states.get(id) === "administrator");
}

/** The platform does not report deletions to bots. */
function remove(world: World, { chat }: Seat, body: Fields): unknown {
  const messageId = body.needInteger("message_id");
  if (!chat.messages.delete(messageId)) throw missing("message", messageId);
  world.changed();
  return { deleted: true, update_ids: {} };
}

function ownMessage(chat: Chat, user: User, messageId: number): Message {
  const message = chat.messages.get(messageId) ?? fail(missing("message", messageId));
  if (message.from?.id === user.id) return message;
  throw new AdminError(409, "not_own", `message ${messageId} was not written by user ${user.id}`);
}

function isInside(chat: Chat, botId: number): boolean {
  const state = chat.kind === "group" ? chat.bots.get(botId) : undefined;
  return state === "member" || state === "administrator";
}

function privateSeat(world: World, { params }: AdminCall): Seat {
  const bot = world.bot(params.needInteger("bot_id"));
  const user = world.user(params.needInteger("user_id"));
  return { user, bot, chat: privateChat(bot, user) };
}

/** The private chat, or an error that explains why there is none. */
export function privateChat(bot: Bot, user: User): PrivateChat {
  const chat = bot.privateChat(user.id);
  if (chat) return chat;
  const hint = `POST /bots/${bot.id}/users/${user.id}/start first`;
  throw new AdminError(409, "not_started", `user ${user.id} has not started bot ${bot.id}: ${hint}`);
}

function groupSeat(world: World, { params, body }: AdminCall): Seat {
  const group = world.group(params.needInteger("group_id"));
  const user = world.user(body.needInteger("user_id"));
  if (!group.users.has(user.id)) {
    throw new AdminError(409, "not_member", `user ${user.id} is not in group ${group.shape.id}`);
  }
  return { user, chat: group, bot: undefined };
}

function fieldsOf(value: unknown): Fields {
  if (isRecord(value)) return new Fields(value);
  throw invalid("items", "an array of objects");
}

function fail(error: Error): never {
  throw error;
}
