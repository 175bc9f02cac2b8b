import type { Bot } from "./bot.ts";
import type { Chat, StoredMessage, User } from "./chat/chat.ts";
import { addMessage, type Words } from "./message/outgoing.ts";
import { messageShape, userShape } from "./shape.ts";
import { announce } from "./update/announce.ts";
import type { Update } from "./update/update.ts";
import type { World } from "./world.ts";

/** A written message, and the number of addresses it was reported to; 0: it waits for a poll. */
export interface Written {
  readonly message: Readonly<Record<string, unknown>>;
  readonly callbacks: number;
}

/** The fields of an update besides its type and time. */
export type Told = Readonly<Record<string, unknown>>;

/** Reports to every bot of the chat. */
export function tellChat(world: World, chat: Chat, type: Update["update_type"], what: Told): number {
  let callbacks = 0;
  for (const bot of chat.bots.values()) callbacks += tellBot(world, bot, chat, type, what);
  return callbacks;
}

export function tellBot(world: World, bot: Bot, chat: Chat, type: Update["update_type"], what: Told): number {
  return announce(world, bot, { update_type: type, timestamp: world.clock.nowMs(), ...what }, chat.chatId);
}

/** A person writes into a chat. */
export function writeToChat(world: World, chat: Chat, user: User, words: Words): Written {
  const message = messageShape(addMessage(world, chat, user, words));
  const callbacks = tellChat(world, chat, "message_created", { message, user_locale: user.locale });
  return { message, callbacks };
}

/** A person edits the text of their own message. */
export function editInChat(world: World, message: StoredMessage, text: string): Written {
  message.text = text;
  const shape = messageShape(message);
  return { message: shape, callbacks: tellChat(world, message.chat, "message_edited", { message: shape }) };
}

/** A person deletes a message. */
export function deleteInChat(world: World, { mid, chat }: StoredMessage, user: User): { callbacks: number } {
  chat.delete(mid);
  const what = { message_id: mid, chat_id: chat.chatId, user_id: user.user_id };
  return { callbacks: tellChat(world, chat, "message_removed", what) };
}

/** An event of the dialog itself: started, stopped, muted, cleared, removed. */
export function tellDialog(
  world: World,
  chat: Chat,
  type: Update["update_type"],
  more: Told = {},
): { chat_id: number; callbacks: number } {
  const { user } = chat;
  if (!user) return { chat_id: chat.chatId, callbacks: 0 };
  user.lastActivityMs = world.clock.nowMs();
  const what = { chat_id: chat.chatId, user: userShape(user), ...more, user_locale: user.locale };
  return { chat_id: chat.chatId, callbacks: tellChat(world, chat, type, what) };
}
