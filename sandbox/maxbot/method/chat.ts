import { denied } from "../call/api-error.ts";
import { type ApiCall, bodyOf } from "../call/call.ts";
import { chatOfBot } from "../call/target.ts";
import type { Chat } from "../chat/chat.ts";
import { noteSent } from "../message/outgoing.ts";
import { botInfo, chatShape, userShape } from "../shape.ts";

const actions = [
  "typing_on",
  "sending_photo",
  "sending_video",
  "sending_audio",
  "sending_file",
  "mark_seen",
] as const;

/** https://dev.max.ru/docs-api/methods/GET/me */
export function getMe({ bot, query }: ApiCall): unknown {
  query.only([]);
  return botInfo(bot);
}

/** https://dev.max.ru/docs-api/methods/GET/chats/-chatId- */
export function getChat(call: ApiCall): unknown {
  call.query.only([]);
  return chatShape(namedChat(call));
}

/** https://dev.max.ru/docs-api/methods/POST/chats/-chatId-/actions */
export function sendAction(call: ApiCall): unknown {
  const chat = namedChat(call);
  const body = bodyOf(call, ["action"]);
  if (!body.oneOf("action", actions)) throw body.missing("action");
  noteSent(call.world, call.bot, { method: "sendAction", chat, message: undefined, request: call.body });
  return { success: true };
}

/** https://dev.max.ru/docs-api/methods/GET/chats/-chatId-/members */
export function getMembers(call: ApiCall): unknown {
  const query = call.query.only(["user_ids", "marker", "count"]);
  const chat = groupOf(call);
  const wanted = query.text("user_ids")?.split(",");
  const from = query.integer("marker") ?? 0;
  const count = query.between("count", 1, 100) ?? 20;
  const all = [...chat.users.values(), ...chat.bots.values()].map((member) =>
    memberShape(chat, userShape(member)),
  );
  const found = all.filter(({ user_id }) => wanted?.includes(String(user_id)) ?? true);
  const marker = from + count < found.length ? from + count : null;
  return { members: found.slice(from, from + count), marker };
}

/** https://dev.max.ru/docs-api/methods/GET/chats/-chatId-/members/me */
export function getMembership(call: ApiCall): unknown {
  call.query.only([]);
  return memberShape(groupOf(call), userShape(call.bot));
}

/** https://dev.max.ru/docs-api/methods/DELETE/chats/-chatId-/members/me */
export function leaveChat(call: ApiCall): unknown {
  call.query.only([]);
  groupOf(call).bots.delete(call.bot.id);
  call.world.changed();
  return { success: true };
}

function memberShape(chat: Chat, user: Readonly<Record<string, unknown>>) {
  return {
    ...user,
    last_access_time: user["last_activity_time"],
    is_owner: false,
    is_admin: user["is_bot"] === true,
    join_time: chat.createdMs,
    permissions: user["is_bot"] === true ? ["read_all_messages", "write"] : null,
  } as Readonly<Record<string, unknown>>;
}

function namedChat({ world, bot, params }: ApiCall): Chat {
  return chatOfBot(world, bot, Number(params["chatId"]));
}

function groupOf(call: ApiCall): Chat {
  const chat = namedChat(call);
  if (chat.type === "dialog") throw denied("Method is not available for dialogs");
  return chat;
}
