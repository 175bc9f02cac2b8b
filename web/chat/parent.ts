import { tellParent } from "../kit/embed.ts";
import type { Chat, WireMessage } from "./model.ts";
import { session } from "./session.ts";

// Events for the embedding page: `docs/pages.md` lists them.

export const nameOf = (chat: Chat) => ({
  channelId: chat.channel_id,
  chatType: chat.chat_type,
  chatId: chat.messenger_chat_id,
});

/** Messages already announced: both a response and the stream may bring one. */
const announced = new Set<string>();

export function announceSent(message: WireMessage, chat: Chat): void {
  announceMessage("message.sent", message, chat);
}

/** Announces messages first seen in the stream: from the customer, or sent elsewhere. */
export function announceStreamed(message: WireMessage, chat: Chat): void {
  const isFresh = Date.now() - Date.parse(message.at) < 60_000;
  if (message.direction === "in" && isFresh) announceMessage("message.received", message, chat);
}

function announceMessage(type: string, message: WireMessage, chat: Chat): void {
  if (session.value?.events.messages !== true || announced.has(message.id)) return;
  announced.add(message.id);
  tellParent(type, { messageId: message.id, ...nameOf(chat) });
}

export function announceChat(chat: Chat): void {
  if (session.value?.events.messages === true) tellParent("chat.opened", nameOf(chat));
}
