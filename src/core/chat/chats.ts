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
  /**
   * The messenger has renamed the chat, and no chat has this name now. What we send to the name reaches the chat; a
   * message under the name may be from its next owner (`placement.ts`).
   */
  readonly isFormerName?: true;
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
   from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::uuid[])
     with ordinality as i(account_id, channel_id, chat_type, chat_id, first_id, ord)
   left join lateral (
     select id, account_id, last_inbound_at is null as is_unheard from chats
     where channel_id = i.channel_id and chat_type = i.chat_type and chat_id = i.chat_id limit 1) c
     on c.account_id = i.account_id
   where c.id is not null
      or (select true from chats o where o.account_id = any(array[i.account_id]) and o.id = i.first_id limit 1)`,
);

interface FoundRow {
  readonly ord: number;
  /** Null: no chat has the name, but one has the id that follows from it. */
  readonly id: string | null;
  readonly is_unheard: boolean | null;
}

/** A chat under the names that its messenger gives it. */
export interface ChatName {
  readonly accountId: number;
  readonly channelId: string;
  readonly chatType: string;
  readonly chatId: string;
}

/**
 * The chat with this id in the messenger. The uuid of an unknown chat is derived from its name, so that two nodes
 * that meet it at the same time agree. Therefore a renamed chat is found by its first name, as long as no other chat
 * has that name.
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
    names.map(([, name]) => firstIdOf(name)),
  ];
  const rows = await retryOnLostConnection(() => core.db.query<FoundRow>(FIND_BY_ID, values));
  const found = new Map(rows.map((row) => [row.ord, row]));
  return names.map(([key, name], index) => [key, chatIn(found.get(index + 1), name)]);
}

function chatIn(row: FoundRow | undefined, name: ChatName): ChatKey {
  const { chatType, chatId } = name;
  const isNew = row?.id == null;
  return {
    id: row?.id ?? firstIdOf(name),
    chatType,
    chatId,
    isNew,
    ...(isNew && row !== undefined && { isFormerName: true as const }),
    isUnheard: row?.is_unheard ?? true,
  };
}

/** The uuid of the nth chat, counting from 1, that has this name first: each next one is of the name's next owner. */
export function firstIdOf({ channelId, chatType, chatId }: NameInChannel, nth = 1): string {
  return derivedId(channelId, chatType, chatId, ...(nth === 1 ? [] : [String(nth)]));
}

type NameInChannel = Omit<ChatName, "accountId">;

function keyOf({ channelId, chatType, chatId }: NameInChannel): string {
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

/** Called after a chat was stored. */
export function rememberChat(core: Base & HasChats, channelId: string, chat: ChatKey): void {
  if (chat.isFormerName === true) return;
  core.caches.chats.set(keyOf({ channelId, ...chat }), { ...chat, isNew: false });
}

/** Called after the chat with this name has changed: all nodes read it again. */
export function forgetChat(core: Base & HasChats, name: NameInChannel): void {
  const key = keyOf(name);
  core.caches.chats.delete(key);
  core.signals.notify("chats", key);
}

/** Lets the cache of this process forget the names that other nodes report. Call it once. */
export function followRenames({ signals }: Pick<Base, "signals">, chats: Cache<string, ChatKey>): void {
  signals.on("chats", (key) => (key === "" ? chats.clear() : chats.delete(key)));
}

/** Called after chats were deleted. */
export function clearChatCache(core: Base & HasChats): void {
  core.caches.chats.clear();
}
