import { sql } from "../../database/database.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Base } from "../base.ts";
import type { Cache } from "../cache.ts";
import { retryOnLostConnection } from "../retry.ts";
import type { Scope } from "../scope.ts";

/** A chat as queues and messages know it: `id` stays the same if the messenger changes the `chatId`. */
export interface ChatKey {
  readonly id: string;
  readonly chatType: string;
  readonly chatId: string;
  /** Not stored yet; it is stored together with its first message. */
  readonly isNew: boolean;
  /** The person has not written yet, as far as this process knows; undefined: they may have. */
  readonly isUnheard?: boolean;
}

export interface HasChats {
  readonly caches: { readonly chats: Cache<string, ChatKey> };
}

// Inside the `limit`, the account is not a separate condition: otherwise the planner may choose an index by account
// alone and read all chats of the account for each chat.
const FIND_BY_ID = sql(
  "chats_by_chat_id",
  `select i.ord, c.id, c.is_unheard
   from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[])
     with ordinality as i(account_id, channel_id, chat_type, chat_id, ord)
   cross join lateral (
     select id, account_id, last_inbound_at is null as is_unheard from chats
     where channel_id = i.channel_id and chat_type = i.chat_type and chat_id = i.chat_id limit 1) c
   where c.account_id = i.account_id`,
);

/** A chat under the names that its messenger gives it. */
export interface ChatName {
  readonly accountId: number;
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
}

/**
 * The chat with this id in the messenger. The uuid of an unknown chat is derived from its name, so that two nodes
 * that meet it at the same time agree. Therefore a renamed chat is found by its first name.
 */
export async function resolveChat(core: Base & HasChats, name: ChatName): Promise<ChatKey> {
  const [found] = await resolveChats(core, [name], (each) => each);
  if (found === undefined) throw new Error("unreachable");
  return found[1];
}

/** The same for many items, in their order: all chats unknown to this process are read in one statement. */
export async function resolveChats<Item>(
  core: Base & HasChats,
  items: readonly Item[],
  nameOf: (item: Item) => ChatName,
): Promise<(readonly [item: Item, chat: ChatKey])[]> {
  const cache = core.caches.chats;
  const names = new Map(items.map(nameOf).map((name) => [keyOf(name), name]));
  const cached = [...names.keys()].flatMap((key) => {
    const chat = cache.get(key);
    return chat === undefined ? [] : [[key, chat] as const];
  });
  for (const [key] of cached) names.delete(key);
  const read = await readChats(core, [...names]);
  for (const [key, chat] of read) if (!chat.isNew) cache.set(key, chat);
  const found = new Map([...cached, ...read]);
  return items.flatMap((item) => {
    const chat = found.get(keyOf(nameOf(item)));
    return chat === undefined ? [] : [[item, chat] as const];
  });
}

async function readChats(
  core: Base,
  names: readonly (readonly [key: string, name: ChatName])[],
): Promise<(readonly [key: string, chat: ChatKey])[]> {
  if (names.length === 0) return [];
  const values = [
    names.map(([, { accountId }]) => accountId),
    names.map(([, { channelId }]) => channelId),
    names.map(([, { chatType }]) => chatType),
    names.map(([, { chatId }]) => chatId),
  ];
  const rows = await retryOnLostConnection(() =>
    core.db.query<{ ord: number; id: string; is_unheard: boolean }>(FIND_BY_ID, values),
  );
  const found = new Map(rows.map((row) => [row.ord, row]));
  return names.map(([key, { channelId, chatType, chatId }], index) => {
    const row = found.get(index + 1);
    const id = row?.id ?? derivedId(channelId, chatType, chatId);
    return [key, { id, chatType, chatId, isNew: row === undefined, isUnheard: row?.is_unheard ?? true }];
  });
}

function keyOf({ channelId, chatType, chatId }: Omit<ChatName, "accountId">): string {
  return `${channelId} ${chatType} ${chatId}`;
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
  core: Base,
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
export function rememberChat(core: Base & HasChats, channelId: string, chat: ChatKey): void {
  core.caches.chats.set(keyOf({ channelId, ...chat }), { ...chat, isNew: false });
}

export function clearChatCache(core: Base & HasChats): void {
  core.caches.chats.clear();
}
