import type { Chat, User } from "@grammyjs/types";
import type { ChatType } from "../../core/transport/definition.ts";
import type { MessageRef } from "../../core/transport/events.ts";

/** Channels, where bots post but nobody talks to them, are no chats. */
export function chatTypeOf(chat: Chat): ChatType | null {
  if (chat.type === "private") return "telegram";
  return chat.type === "group" || chat.type === "supergroup" ? "telegroup" : null;
}

export function refOf(
  message: { readonly message_id: number; readonly chat: Chat },
  chatType: ChatType,
): MessageRef {
  return { chatType, chatId: String(message.chat.id), externalId: String(message.message_id) };
}

export function nameOf(who: Chat | User): string {
  if ("title" in who && who.title) return who.title;
  return [who.first_name, who.last_name].filter(Boolean).join(" ") || who.username || String(who.id);
}

export function fromUnix(seconds: number): Date {
  return new Date(seconds * 1000);
}
