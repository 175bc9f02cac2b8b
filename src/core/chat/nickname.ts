import { CHAT_TYPE_TRAITS, traitsOf } from "../transport/definition.ts";

/** Identifiers by which a client may address a person whose chat id it does not know. */
export interface PersonName {
  readonly username?: string | undefined;
  readonly phone?: string | undefined;
}

/** Until the messenger reports its id, a chat addressed by username or phone is stored under this id. */
export function nicknameOf({ username, phone }: PersonName): string {
  return username === undefined ? `+${phone}` : `@${username}`;
}

interface NamedChat {
  readonly chatType: string;
  readonly chatId: string;
}

/** The username or phone of a chat that is stored under it; null: the chat has the messenger's id. */
export function personOfNickname({
  chatType,
  chatId,
}: NamedChat): { readonly username: string } | { readonly phone: string } | null {
  const addressBy = traitsOf(chatType)?.addressBy ?? [];
  const name = chatId.slice(1);
  if (chatId.startsWith("@") && addressBy.includes("username")) return { username: name };
  if (chatId.startsWith("+") && addressBy.includes("phone")) return { phone: name };
  return null;
}

/** The chat's id for clients: while it is not known, the bare username or phone. */
export function publicChatId(chat: NamedChat): string {
  return personOfNickname(chat) === null ? chat.chatId : chat.chatId.slice(1);
}

const CONDITIONS = Object.entries(CHAT_TYPE_TRAITS).flatMap(([chatType, { addressBy }]) =>
  addressBy.map(
    (by) => `c.chat_type = '${chatType}' and left(c.chat_id, 1) = '${by === "phone" ? "+" : "@"}'`,
  ),
);

/** SQL condition on the chat `c`: it is stored under a username or phone. */
export const HAS_NICKNAME = `(${CONDITIONS.join(" or ")})`;
