import { type Queryable, sql } from "../../database/database.ts";
import { type ChatType, traitsOf } from "../transport/definition.ts";

/** The fields of a chat by which a CRM names it. They decide which pages may show it. */
export interface ChatIdentity {
  readonly chat_type: string;
  readonly chat_id: string;
  readonly username: string | null;
  readonly phone: string | null;
}

/** A person as a CRM names them: by the id of the chat, or by what else is known. */
export interface Name {
  readonly chatType: ChatType;
  readonly chatId: string | null;
  readonly username: string | null;
  /** Digits only. */
  readonly phone: string | null;
}

/**
 * Returns a function that tests whether a chat has one of the names. Its cost does not depend on the number of names.
 * A chat whose id the CRM knows is matched by nothing else. Pure.
 */
export function matcherOf(names: readonly Name[]): (chat: ChatIdentity) => boolean {
  const keys = new Set(names.flatMap(keysOfName));
  return (chat) => keysOfChat(chat).some((key) => keys.has(key));
}

function keysOfName(name: Name): string[] {
  const { chatType, chatId, username, phone } = name;
  const ids = idsOf(name).map((id) => `${chatType} id ${id}`);
  return chatId === null ? [...ids, ...keysOfPerson(chatType, username, phone)] : ids;
}

function keysOfChat({ chat_type: chatType, chat_id: chatId, username, phone }: ChatIdentity): string[] {
  return [`${chatType} id ${chatId}`, ...keysOfPerson(chatType, username, phone)];
}

function keysOfPerson(chatType: string, username: string | null, phone: string | null): string[] {
  return [
    ...(username === null ? [] : [`${chatType} username ${username.toLowerCase()}`]),
    ...(phone === null ? [] : [`${chatType} phone ${phone}`]),
  ];
}

/** Ids that a chat with this name may have, besides those that only the messenger knows. */
function idsOf({ chatType, chatId, username, phone }: Name): string[] {
  if (chatId !== null) return [chatId];
  const form = traitsOf(chatType)?.idForm;
  return [
    // Until the messenger reports its id, a chat addressed by name is stored under that name.
    ...(username === null ? [] : [`@${username}`, ...(form === "username" ? [username] : [])]),
    ...(phone === null ? [] : [`+${phone}`, ...(form === "phone" ? [phone] : [])]),
  ];
}

const FIND = sql(
  "inbox_named_chats",
  `select distinct c.id, c.name, c.chat_type, c.chat_id, c.username, c.phone, c.channel_id
   from channels h cross join lateral (
     select o.* from unnest($2::text[], $3::text[]) as n(chat_type, chat_id)
     join chats o on o.channel_id = any(array[h.id]) and o.chat_type = n.chat_type and o.chat_id = n.chat_id
     union all
     select o.* from chats o where o.account_id = any(array[h.account_id]) and o.channel_id = h.id and lower(o.username) = any($4)
     union all
     select o.* from chats o where o.account_id = any(array[h.account_id]) and o.channel_id = h.id and o.phone = any($5)
   ) c
   where h.account_id = $1 and c.account_id = $1`,
);

interface NamedRow extends ChatIdentity {
  readonly id: string;
  readonly channel_id: string;
  readonly name: string;
}

/** The account's chats, in any channel, that have one of these names. */
export async function findNamed(
  db: Queryable,
  accountId: number,
  names: readonly Name[],
): Promise<NamedRow[]> {
  const ids = names.flatMap((name) => idsOf(name).map((id) => [name.chatType, id] as const));
  const unknown = names.filter(({ chatId }) => chatId === null);
  const rows = await db.query<NamedRow>(FIND, [
    accountId,
    ids.map(([type]) => type),
    ids.map(([, id]) => id),
    unknown.flatMap(({ username }) => (username === null ? [] : [username.toLowerCase()])),
    unknown.flatMap(({ phone }) => (phone === null ? [] : [phone])),
  ]);
  return rows.filter(matcherOf(names));
}
