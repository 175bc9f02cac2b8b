import { type Fields, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Chat, User } from "../chat/chat.ts";
import { tellBot, tellChat } from "../inbound.ts";
import { chatShape, userShape } from "../shape.ts";
import type { World } from "../world.ts";
import { chatActions, listMessages } from "./person.ts";
import type { Seat } from "./seat.ts";

/** Groups and channels, and the actions of people in them. */
export function groupRoutes(world: World): AdminRoute[] {
  const groupOf = ({ params }: AdminCall) => world.group(params.needInteger("group_id"));
  const base = "/groups/{group_id}";
  return [
    ["POST", "/groups", ({ body }) => addGroup(world, body)],
    ["GET", "/groups", () => ({ items: groupsOf(world).map(describeGroup) })],
    ["GET", base, (call) => describeGroup(groupOf(call))],
    ["POST", `${base}/users`, (call) => addUser(world, groupOf(call), call.body)],
    ["POST", `${base}/removals`, (call) => removeUser(world, groupOf(call), call.body)],
    ["POST", `${base}/titles`, (call) => setTitle(world, groupOf(call), call.body)],
    ["POST", `${base}/bots`, (call) => addBot(world, groupOf(call), call.body)],
    ["POST", `${base}/kicks`, (call) => kickBot(world, groupOf(call), call.body)],
    ["GET", `${base}/messages`, (call) => listMessages(groupOf(call))],
    ...Object.entries(chatActions).map(([name, handler]): AdminRoute => {
      return [
        "POST",
        `${base}/${name}`,
        (call) => handler(seatOf(world, groupOf(call), call.body), call.body),
      ];
    }),
  ];
}

function groupsOf(world: World): Chat[] {
  return [...world.chats.values()].filter(({ type }) => type !== "dialog");
}

/** `{title?, group_id?, type?: chat|channel, user_ids?}` */
function addGroup(world: World, body: Fields): unknown {
  const type = body.text("type") ?? "chat";
  if (type !== "chat" && type !== "channel") throw invalid("type", "chat or channel");
  const users = (body.list("user_ids") ?? []).map((id) => world.user(Number(id)));
  const group = world.addGroup({
    chatId: body.integer("group_id"),
    type,
    title: body.text("title") ?? "Group",
  });
  for (const user of users) group.users.set(user.user_id, user);
  return describeGroup(group);
}

function describeGroup(group: Chat): unknown {
  return { ...chatShape(group), user_ids: [...group.users.keys()], bot_ids: [...group.bots.keys()] };
}

function addUser(world: World, group: Chat, body: Fields): unknown {
  const user = world.user(body.needInteger("user_id"));
  group.users.set(user.user_id, user);
  const inviter = body.integer("by") ?? null;
  return { callbacks: tellChat(world, group, "user_added", { ...about(group, user), inviter_id: inviter }) };
}

function removeUser(world: World, group: Chat, body: Fields): unknown {
  const user = memberOf(group, body);
  group.users.delete(user.user_id);
  const admin = body.integer("by");
  const what = { ...about(group, user), ...(admin !== undefined && { admin_id: admin }) };
  return { callbacks: tellChat(world, group, "user_removed", what) };
}

function setTitle(world: World, group: Chat, body: Fields): unknown {
  const title = body.needText("title");
  group.title = title;
  const { chat_id, user } = about(group, actorOf(group, body));
  return { callbacks: tellChat(world, group, "chat_title_changed", { chat_id, user, title }) };
}

function addBot(world: World, group: Chat, body: Fields): unknown {
  const bot = world.bot(body.needInteger("bot_id"));
  group.bots.set(bot.id, bot);
  return { callbacks: tellBot(world, bot, group, "bot_added", about(group, actorOf(group, body))) };
}

function kickBot(world: World, group: Chat, body: Fields): unknown {
  const bot = world.bot(body.needInteger("bot_id"));
  if (!group.bots.delete(bot.id)) throw missing("bot in the group", bot.id);
  return { callbacks: tellBot(world, bot, group, "bot_removed", about(group, actorOf(group, body))) };
}

function about(group: Chat, user: User) {
  return { chat_id: group.chatId, user: userShape(user), is_channel: group.type === "channel" };
}

/** The acting person: `user_id`, or the first member of the group. */
function actorOf(group: Chat, body: Fields): User {
  if (body.has("user_id")) return memberOf(group, body);
  const [first] = group.users.values();
  if (!first) throw missing("user in the group", group.chatId);
  return first;
}

function memberOf(group: Chat, body: Fields): User {
  const id = body.needInteger("user_id");
  const user = group.users.get(id);
  if (!user) throw missing("user in the group", id);
  return user;
}

function seatOf(world: World, chat: Chat, body: Fields): Seat {
  const [bot] = chat.bots.values();
  return { world, chat, user: actorOf(chat, body), bot };
}
