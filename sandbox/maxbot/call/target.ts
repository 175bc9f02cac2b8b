import type { Bot } from "../bot.ts";
import { type Chat, dialogId, type StoredMessage } from "../chat/chat.ts";
import type { World } from "../world.ts";
import { badPayload, denied, noChat, noDialog, noMessage, suspended } from "./api-error.ts";
import type { ApiCall } from "./call.ts";

/** The chat of `user_id` or `chat_id`, for writing. */
export function chatOf({ world, bot, query }: ApiCall): Chat {
  const userId = query.integer("user_id");
  const chatId = query.integer("chat_id");
  if (chatId === 0) throw denied("Invalid chatId: 0");
  if (chatId === undefined && userId === undefined) throw badPayload("Unknown recipient");
  const chat =
    chatId === undefined ? world.chats.get(dialogId(bot.id, userId ?? 0)) : world.chats.get(chatId);
  if (!chat) throw chatId === undefined ? noDialog() : noChat();
  checkMember(bot, chat);
  if (chat.suspended) throw suspended();
  return chat;
}

/** A chat that the bot may read. */
export function chatOfBot(world: World, bot: Bot, chatId: number): Chat {
  const chat = world.chats.get(chatId);
  if (!chat) throw noChat();
  checkMember(bot, chat);
  return chat;
}

function checkMember(bot: Bot, chat: Chat): void {
  if (!chat.bots.has(bot.id)) throw chat.type === "dialog" ? noChat() : denied("error.chat.access.denied");
}

/** A message of a chat that the bot is in. */
export function findMessage({ world, bot }: Pick<ApiCall, "world" | "bot">, mid: string): StoredMessage {
  // The first half of the number is the chat.
  const half = /^mid\.([0-9a-f]{16})[0-9a-f]{16}$/.exec(mid)?.[1];
  const chat = half && world.chats.get(Number(BigInt.asIntN(64, BigInt(`0x${half}`))));
  const message = chat ? chat.get(mid) : undefined;
  if (!message?.chat.bots.has(bot.id)) throw noMessage(mid);
  return message;
}
