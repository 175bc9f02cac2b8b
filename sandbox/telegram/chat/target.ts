import { badRequest, forbidden } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { Message } from "../shape.ts";
import type { Chat } from "./chat.ts";

/** Finds the chat of `chat_id` (number, or `@name` of a public group) and checks that the bot may write there. */
export function writableChat(call: Call): Chat {
  const chat = knownChat(call, "chat_id");
  chat.assertWritable(call.bot.id);
  return chat;
}

/** Finds the chat of a parameter, without requiring permission to write. */
export function knownChat(call: Call, parameter: string): Chat {
  const { world, bot, args } = call;
  const value = args.text(parameter);
  if (value === "") throw badRequest(`${parameter} is empty`);
  if (value.startsWith("@")) return publicGroup(call, value.slice(1));
  const id = Number(value);
  const own = bot.chats.get(id);
  if (own) return own;
  const group = world.groups.get(id);
  if (group) return group;
  if (world.users.has(id)) throw forbidden("bot can't initiate conversation with a user");
  throw badRequest("chat not found");
}

/** Users cannot be found by username: https://core.telegram.org/bots/api#sendmessage */
function publicGroup({ world }: Call, username: string): Chat {
  for (const group of world.groups.values()) {
    if (group.shape.username?.toLowerCase() === username.toLowerCase()) return group;
  }
  throw badRequest("chat not found");
}

/**
 * Finds the message of `message_id`; `purpose` is used in the error, for example `edit` → "message to edit not
 * found".
 */
export function targetMessage(call: Call, chat: Chat, purpose: string): Message {
  const messageId = call.args.integer("message_id", 0);
  if (messageId <= 0) throw badRequest("message identifier is not specified");
  const message = chat.messages.get(messageId);
  if (!message) throw badRequest(`message to ${purpose} not found`);
  return message;
}
