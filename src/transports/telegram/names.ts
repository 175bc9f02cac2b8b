import type { ChatType } from "../../core/transport/definition.ts";
import type { MessageRef } from "../../core/transport/events.ts";
import { required } from "../kit/json.ts";
import type { TgChat, TgUser } from "./content.ts";
import type { TgMessage } from "./update.ts";

/**
 * Returns null for channels, where nobody can write to the bot. If the chat's type is missing, the id decides: only
 * people have positive ids (Bot API, "Chat").
 */
export function chatTypeOf(chat: TgChat | undefined): ChatType | null {
  switch (chat?.type) {
    case "private":
      return "telegram";
    case "group":
    case "supergroup":
      return "telegroup";
    case "channel":
      return null;
    default:
      return required(chat?.id, "chat id").startsWith("-") ? "telegroup" : "telegram";
  }
}

export function refOf(
  { message_id, chat }: Pick<TgMessage, "message_id" | "chat">,
  chatType: ChatType,
): MessageRef {
  return {
    chatType,
    chatId: required(chat?.id, "chat id"),
    externalId: required(message_id, "message id"),
  };
}

/** "" if no name is known. */
export function knownName(who: TgChat | TgUser | undefined): string {
  if (who?.title !== undefined) return who.title;
  return [who?.first_name, who?.last_name].filter(Boolean).join(" ") || (who?.username ?? "");
}

/** For people in groups, who must have a name: falls back to the id. */
export function nameOf(who: TgChat | TgUser): string {
  return knownName(who) || (who.id ?? "");
}
