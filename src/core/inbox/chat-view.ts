import { type Queryable, sql } from "../../database/database.ts";
import type { ChatIdentity } from "../chat/by-name.ts";
import { fileUrl } from "../file/file-url.ts";
import { traitsOf } from "../transport/definition.ts";
import type { MessageStatus, MessageType } from "../transport/message.ts";

/** A chat in the list, as one employee sees it. */
export interface ChatView {
  readonly id: string;
  readonly channel_id: string;
  readonly transport: string;
  readonly chat_type: string;
  readonly messenger_chat_id: string;
  readonly is_group: boolean;
  /** The best name known; never empty. */
  readonly name: string;
  readonly username: string | null;
  readonly phone: string | null;
  readonly avatar_url: string | null;
  readonly last_at: string;
  readonly last_message: LastMessage | null;
  /** The client's unanswered messages of the last seven days. */
  readonly unanswered: number;
  /** Those of them that the employee has not seen. */
  readonly unread: number;
  /** The last message is outgoing and could not be sent. */
  readonly failed: boolean;
}

interface LastMessage {
  readonly id: string;
  readonly at: string;
  readonly direction: "in" | "out" | "echo";
  readonly type: MessageType;
  readonly status: MessageStatus;
  readonly text: string | null;
  readonly author_name: string | null;
  readonly is_deleted: boolean;
}

/**
 * The part of a chat that is the same for all employees. `waiting`: times of unanswered messages, in Unix seconds,
 * newest first.
 */
export interface ChatRow extends ChatIdentity {
  readonly id: string;
  readonly channel_id: string;
  readonly transport: string;
  readonly name: string;
  readonly avatar_key: string | null;
  readonly avatar_name: string | null;
  /** Unix microseconds. */
  readonly last_at: number | null;
  readonly created_at: Date;
  readonly waiting: readonly number[];
  readonly m_id: string | null;
  readonly m_at: Date;
  readonly m_direction: LastMessage["direction"];
  readonly m_type: MessageType;
  readonly m_status: MessageStatus;
  readonly m_text: string | null;
  readonly m_author_name: string | null;
  readonly m_deleted: boolean;
}

const TEXT_LENGTH = 200;
/** Counting stops here. */
const MAX_WAITING = 1_000;

/**
 * Part of a statement: columns of a `ChatRow`, and the tables they are read from, for the rows `p(account_id, chat)`.
 */
export const CHAT_COLUMNS = `c.id, c.channel_id, h.transport, c.chat_type, c.chat_id, c.name, c.username, c.phone,
  a.key as avatar_key, a.name as avatar_name, (extract(epoch from o.at) * 1000000)::bigint as last_at, c.created_at,
  array(select extract(epoch from u.at)::float8 from unanswered u
        where u.account_id = c.account_id and u.chat = c.id and u.at > now() - interval '7 days'
        order by u.at desc limit ${MAX_WAITING}) as waiting,
  m.id as m_id, m.sent_at as m_at, m.direction as m_direction, m.type as m_type, m.status as m_status,
  left(m.text, ${TEXT_LENGTH}) as m_text, m.author_name as m_author_name, m.deleted_at is not null as m_deleted`;
export const CHAT_TABLES = `join chats c on c.account_id = any(array[p.account_id]) and c.id = p.chat
  join channels h on h.account_id = any(array[c.account_id]) and h.id = any(array[c.channel_id])
  left join chat_order o on o.account_id = any(array[c.account_id]) and o.chat = c.id
  left join files a on a.account_id = any(array[c.account_id]) and a.id = c.avatar_file_id and a.state = 'stored'
  left join lateral (
    select * from messages l where l.account_id = c.account_id and l.chat = c.id
    order by l.created_at desc, l.id desc limit 1) m on true`;

const LOAD = sql(
  "inbox_chats",
  `select ${CHAT_COLUMNS}
   from unnest($2::uuid[]) with ordinality as k(chat, ord) cross join lateral (select $1::bigint as account_id, k.chat) p
   ${CHAT_TABLES} order by k.ord`,
);

/** The account's chats with these ids (ours), in their order; unknown ones are omitted. */
export function loadChats(db: Queryable, accountId: number, ids: readonly string[]): Promise<ChatRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : db.query<ChatRow>(LOAD, [accountId, ids]);
}

const READS = sql(
  "inbox_reads",
  `select r.user_id, r.chat, extract(epoch from r.at)::float8 as at from chat_reads r
   where r.account_id = $1 and r.user_id = any($2) and r.chat = any($3)`,
);

/** Until when employees have seen chats. `of` returns Unix seconds; -Infinity: never. */
export interface Reads {
  of(userId: string, chat: string): number;
}

export async function loadReads(
  db: Queryable,
  accountId: number,
  { users, chats }: { readonly users: readonly string[]; readonly chats: readonly string[] },
): Promise<Reads> {
  const rows =
    users.length === 0 || chats.length === 0
      ? []
      : await db.query<{ user_id: string; chat: string; at: number }>(READS, [accountId, users, chats]);
  const byKey = new Map(rows.map((row) => [`${row.chat} ${row.user_id}`, row.at]));
  return { of: (userId, chat) => byKey.get(`${chat} ${userId}`) ?? Number.NEGATIVE_INFINITY };
}

/** `seenAt`: until when the employee has seen the chat. Pure. */
export function chatView(row: ChatRow, seenAt: number, publicUrl: string): ChatView {
  const last = lastMessageOf(row);
  return {
    id: row.id,
    channel_id: row.channel_id,
    transport: row.transport,
    chat_type: row.chat_type,
    messenger_chat_id: row.chat_id,
    is_group: traitsOf(row.chat_type)?.group === true,
    name: [row.name, row.username, row.phone].find((name) => name !== null && name !== "") ?? row.chat_id,
    username: row.username,
    phone: row.phone,
    avatar_url: fileUrl(publicUrl, row.avatar_key, row.avatar_name),
    last_at: (row.last_at === null ? row.created_at : new Date(row.last_at / 1_000)).toISOString(),
    last_message: last,
    unanswered: row.waiting.length,
    unread: unreadOf(row, seenAt),
    failed: last !== null && last.direction === "out" && last.status === "error",
  };
}

/** The number of unanswered messages after that time. */
export function unreadOf({ waiting }: Pick<ChatRow, "waiting">, seenAt: number): number {
  return waiting.filter((at) => at > seenAt).length;
}

function lastMessageOf(row: ChatRow): LastMessage | null {
  if (row.m_id === null) return null;
  return {
    id: row.m_id,
    at: row.m_at.toISOString(),
    direction: row.m_direction,
    type: row.m_type,
    status: row.m_status,
    text: row.m_text,
    author_name: row.m_author_name,
    is_deleted: row.m_deleted,
  };
}
