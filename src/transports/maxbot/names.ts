import type { ChatType } from "../../core/transport/definition.ts";
import type { MaxUser } from "./update.ts";

/** Ids of groups are negative, those of dialogs are not. Channels, where nobody talks to the bot, are no chats. */
export function chatTypeOf(chatId: string, type?: string): ChatType | null {
  if (type === "channel") return null;
  if (type === "dialog") return "max";
  return type === "chat" || chatId.startsWith("-") ? "maxgroup" : "max";
}

/** The id of the dialog of a bot and a person: both ids, exclusive-or. */
export function dialogId(botId: string, userId: string): string {
  return String(BigInt.asIntN(64, BigInt(botId) ^ BigInt(userId)));
}

/** "" where nothing is known of the person. */
export function nameOf({ user_id = "", name, first_name, last_name, username }: MaxUser): string {
  const full = [first_name, last_name].filter(Boolean).join(" ");
  return full || name || username || user_id;
}
