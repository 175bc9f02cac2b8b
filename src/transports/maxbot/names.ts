import type { ChatType } from "../../core/transport/definition.ts";
import type { MaxUser } from "./update.ts";

/**
 * Ids of groups are negative, ids of dialogs are positive. Returns null for channels, where nobody can write to the
 * bot.
 */
export function chatTypeOf(chatId: string, type?: string): ChatType | null {
  if (type === "channel") return null;
  if (type === "dialog") return "max";
  return type === "chat" || chatId.startsWith("-") ? "maxgroup" : "max";
}

/** The id of the dialog between a bot and a person: the exclusive-or of both ids. */
export function dialogId(botId: string, userId: string): string {
  return String(BigInt.asIntN(64, BigInt(botId) ^ BigInt(userId)));
}

/** Falls back to the id; "" if that is unknown, too. */
export function nameOf({ user_id = "", name, first_name, last_name, username }: MaxUser): string {
  const full = [first_name, last_name].filter(Boolean).join(" ");
  return full || name || username || user_id;
}
