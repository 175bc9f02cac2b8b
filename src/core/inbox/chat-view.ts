import { type Queryable, sql } from "../../database/database.ts";
import type { ChatIdentity } from "../chat/by-name.ts";
import { CONTACT_OF_CHAT } from "../crm/client.ts";
import { fileUrl } from "../file/file-url.ts";
import { traitsOf } from "../transport/definition.ts";
import type { MessageStatus, MessageType } from "../transport/message.ts";
import { isWaitingProposal } from "./waiting-proposal.ts";

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
  /** Those of them that the employee has not seen, and waiting proposals that the employee has not seen. */
  readonly unread: number;
  /** Until when a message that a program proposes waits for approval; null: none waits. */
  readonly proposed_until: string | null;
  /** The last message is outgoing and could not be sent. */
  readonly failed: boolean;
  /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since. */
  readonly marked_unread: boolean;
  /** Since when the employee has it at the top of the list; null: not pinned. */
  readonly pinned_at: string | null;
  /** Who works on it; until somebody is assigned, the CRM's responsible user. Null: nobody. */
  readonly assignee: Colleague | null;
  /** Until when it is snoozed for everybody; null: it is not. */
  readonly snoozed_until: string | null;
}

/** An employee; `name` is null if it is not known. */
export interface Colleague {
  readonly id: string;
  readonly name: string | null;
}

/** What a view of a chat depends on besides the chat: the employee, and whether the page may show the CRM's data. */
export interface Viewer {
  readonly userId: string;
  readonly crm: boolean;
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
  /** Times of waiting proposals, in Unix seconds. */
  readonly proposed: readonly number[];
  readonly proposed_until: Date | null;
  readonly m_id: string | null;
  readonly m_at: Date;
  readonly m_direction: LastMessage["direction"];
  readonly m_type: MessageType;
  readonly m_status: MessageStatus;
  readonly m_text: string | null;
  readonly m_author_name: string | null;
  readonly m_deleted: boolean;
  readonly is_assigned: boolean;
  readonly assignee: string | null;
  readonly assignee_name: string | null;
  /** The CRM's responsible user, unless somebody was assigned. */
  readonly responsible: string | null;
  readonly responsible_name: string | null;
  readonly snoozed_until: Date | null;
  /** Unix seconds. */
  readonly returned_at: number | null;
}

/** Expression on `chats c` and `chat_work w`: whether the chat is snoozed, and its customer has not written since. */
export const IS_SNOOZED = `(w.snoozed_until is not null and (
  select true from messages i where i.account_id = any(array[c.account_id]) and i.chat = c.id
    and i.created_at > w.snoozed_at and i.direction = 'in' limit 1) is null)`;

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
  coalesce(g.proposed, '{}') as proposed, g.proposed_until,
  m.id as m_id, m.sent_at as m_at, m.direction as m_direction, m.type as m_type, m.status as m_status,
  left(m.text, ${TEXT_LENGTH}) as m_text, m.author_name as m_author_name, m.deleted_at is not null as m_deleted,
  w.assigned_at is not null as is_assigned, w.assignee, coalesce(
    (select e.name from crm_users e where e.account_id = c.account_id and e.id = w.assignee), w.assignee_name) as assignee_name,
  r.id as responsible,
  (select e.name from crm_users e where e.account_id = c.account_id and e.id = r.id) as responsible_name,
  case when ${IS_SNOOZED} then w.snoozed_until end as snoozed_until, extract(epoch from w.returned_at)::float8 as returned_at`;
/** Part of a statement: the work on chat `c` as `w`, and the CRM's responsible user, unless somebody was assigned, as `r`. */
export const WORK_TABLES = `left join chat_work w on w.account_id = any(array[c.account_id]) and w.chat = c.id
  left join lateral (
    select k.responsible_user_id as id from (${CONTACT_OF_CHAT}) k where w.assigned_at is null) r on true`;
/** Query on `chats c`: one row, null if no proposal waits. None waits for longer than a week. */
const WAITING_PROPOSALS = `select array_agg(extract(epoch from n.created_at)::float8) as proposed,
    max((n.details #>> '{proposal,expires_at}')::timestamptz) as proposed_until
  from chat_entries n
  where n.account_id = c.account_id and n.chat = c.id and n.created_at > now() - interval '8 days'
    and ${isWaitingProposal("n")}`;
export const CHAT_TABLES = `join chats c on c.account_id = any(array[p.account_id]) and c.id = p.chat
  join channels h on h.account_id = any(array[c.account_id]) and h.id = any(array[c.channel_id])
  left join chat_order o on o.account_id = any(array[c.account_id]) and o.chat = c.id
  left join files a on a.account_id = any(array[c.account_id]) and a.id = c.avatar_file_id and a.state = 'stored'
  left join lateral (
    select * from messages l where l.account_id = c.account_id and l.chat = c.id
    order by l.created_at desc, l.id desc limit 1) m on true
  left join lateral (${WAITING_PROPOSALS}) g on true
  ${WORK_TABLES}`;

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

const MARKS = sql(
  "inbox_marks",
  `select r.user_id, r.chat, extract(epoch from r.at)::float8 as seen_at, null::timestamptz as pinned_at, null::float8 as unread_at
   from chat_reads r where r.account_id = $1 and r.user_id = any($2) and r.chat = any($3)
   union all
   select k.user_id, k.chat, null, k.pinned_at, extract(epoch from k.unread_at)::float8
   from chat_marks k where k.account_id = $1 and k.user_id = any($2) and k.chat = any($3)`,
);

interface MarksRow {
  readonly user_id: string;
  readonly chat: string;
  readonly seen_at: number | null;
  readonly pinned_at: Date | null;
  readonly unread_at: number | null;
}

/** What one employee has done with a chat. Times are Unix seconds; `seenAt` is -Infinity if they have never seen it. */
export interface Marks {
  readonly seenAt: number;
  readonly pinnedAt: Date | null;
  readonly unreadAt: number | null;
}

const UNMARKED: Marks = { seenAt: Number.NEGATIVE_INFINITY, pinnedAt: null, unreadAt: null };

/** The marks of employees. */
export interface AllMarks {
  of(userId: string, chat: string): Marks;
}

export async function loadMarks(
  db: Queryable,
  accountId: number,
  { users, chats }: { readonly users: readonly string[]; readonly chats: readonly string[] },
): Promise<AllMarks> {
  const rows =
    users.length === 0 || chats.length === 0
      ? []
      : await db.query<MarksRow & object>(MARKS, [accountId, users, chats]);
  const byKey = new Map<string, Marks>();
  for (const { user_id: user, chat, seen_at: seenAt, pinned_at: pinnedAt, unread_at: unreadAt } of rows) {
    const known = byKey.get(`${chat} ${user}`) ?? UNMARKED;
    byKey.set(`${chat} ${user}`, {
      seenAt: seenAt ?? known.seenAt,
      pinnedAt: pinnedAt ?? known.pinnedAt,
      unreadAt: unreadAt ?? known.unreadAt,
    });
  }
  return { of: (userId, chat) => byKey.get(`${chat} ${userId}`) ?? UNMARKED };
}

/** The part of a view that differs between employees. */
export type OwnView = Pick<ChatView, "unread" | "marked_unread" | "pinned_at" | "assignee">;

/** For the present time. Pure. */
export function ownView(row: ChatRow, marks: Marks, viewer: Viewer): OwnView {
  const assignee = assigneeOf(row, viewer);
  return {
    unread: unreadOf(row, marks.seenAt),
    marked_unread: marks.unreadAt !== null || hasReturned(row, marks, assignee, viewer),
    pinned_at: marks.pinnedAt?.toISOString() ?? null,
    assignee,
  };
}

/** Pure. */
export function chatView(row: ChatRow, own: OwnView, publicUrl: string): ChatView {
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
    failed: last !== null && last.direction === "out" && last.status === "error",
    snoozed_until: row.snoozed_until?.toISOString() ?? null,
    proposed_until: row.proposed_until?.toISOString() ?? null,
    ...own,
  };
}

/** Without the CRM's data a page shows only who was assigned in a page. */
function assigneeOf(row: ChatRow, { crm }: Viewer): Colleague | null {
  const [id, name] = row.is_assigned
    ? [row.assignee, row.assignee_name]
    : [crm ? row.responsible : null, row.responsible_name];
  return id === null ? null : { id, name };
}

/** As messages, a chat that came back counts as unread for seven days, and what was seen is kept for eight. */
const RETURNED_SECONDS = 7 * 86_400;

/** Whether the chat came back from a snooze since the employee has seen it. If it is assigned, it comes back to that employee. */
function hasReturned(
  { returned_at: at }: ChatRow,
  { seenAt }: Marks,
  assignee: Colleague | null,
  { userId }: Viewer,
): boolean {
  if (at === null || at <= seenAt || at < Date.now() / 1_000 - RETURNED_SECONDS) return false;
  return assignee === null || assignee.id === userId;
}

/** The number of unanswered messages and waiting proposals after that time. */
function unreadOf({ waiting, proposed }: Pick<ChatRow, "waiting" | "proposed">, seenAt: number): number {
  return [...waiting, ...proposed].filter((at) => at > seenAt).length;
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
