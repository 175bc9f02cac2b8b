import { sql } from "../../database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Core, Scope } from "../core.ts";

/** A chat as queues and messages know it: `id` stays the same if the messenger changes the `chatId`. */
export interface ChatKey {
  readonly id: string;
  readonly chatType: string;
  readonly chatId: string;
  /** Not stored yet; it is stored together with its first message. */
  readonly isNew: boolean;
  /** The person has not written yet, as far as this process knows; absent: they may have. */
  readonly isUnheard?: boolean;
}

const FIND_BY_ID = sql(
  "chat_by_chat_id",
  "select id, last_inbound_at is null as is_unheard from chats where account_id = $1 and channel_id = $2 and chat_type = $3 and chat_id = $4",
);

/**
 * The chat with this id in the messenger. The uuid of an unknown chat is derived from its name, so that two nodes
 * that meet it at the same time agree. For the same reason, a renamed chat is found again by its first name.
 */
export async function resolveChat(
  core: Core,
  scope: Scope,
  chat: { readonly channelId: string; readonly chatType: string; readonly chatId: string },
): Promise<ChatKey> {
  const cache = core.caches.chats;
  const key = `${chat.channelId} ${chat.chatType} ${chat.chatId}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const [row] = await core.db.query<{ id: string; is_unheard: boolean }>(FIND_BY_ID, [
    scope.accountId,
    chat.channelId,
    chat.chatType,
    chat.chatId,
  ]);
  const id = row?.id ?? derivedId(chat.channelId, chat.chatType, chat.chatId);
  const { chatType, chatId } = chat;
  const isUnheard = row === undefined || row.is_unheard;
  const found = { id, chatType, chatId, isNew: row === undefined, isUnheard };
  if (row !== undefined) cache.set(key, found);
  return found;
}

const FIND_BY_PERSON = sql(
  "chat_by_person",
  `select chat_id from chats
   where account_id = $1 and channel_id = $2 and chat_type = $3
     and (($4::text is not null and lower(username) = lower($4)) or ($5::text is not null and phone = $5))
   order by last_inbound_at desc nulls last limit 1`,
);

/** The chat id of a person known by username or phone, from what they wrote or shared earlier. */
export async function findPerson(
  core: Core,
  scope: Scope,
  person: { channelId: string; chatType: string; username?: string | undefined; phone?: string | undefined },
): Promise<string | null> {
  const [row] = await core.db.query<{ chat_id: string }>(FIND_BY_PERSON, [
    scope.accountId,
    person.channelId,
    person.chatType,
    person.username ?? null,
    person.phone ?? null,
  ]);
  return row?.chat_id ?? null;
}

/** Called after chats were stored, renamed or deleted. */
export function rememberChat(core: Core, channelId: string, chat: ChatKey): void {
  core.caches.chats.set(`${channelId} ${chat.chatType} ${chat.chatId}`, { ...chat, isNew: false });
}

export function clearChatCache(core: Core): void {
  core.caches.chats.clear();
}
