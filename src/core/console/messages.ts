import { type Queryable, sql } from "../../database/database.ts";
import { isUuid, UUID_PATTERN } from "../../platform/ids.ts";
import { AppError } from "../errors.ts";
import { LIVE } from "../event/about.ts";
import { findWords } from "../inbox/search.ts";
import { type Page, pageOf, readCursor, writeCursor } from "../page.ts";
import { type Position, END as SEARCH_END } from "../position.ts";

/** A message as a list shows it. */
export interface MessageLine {
  readonly id: string;
  readonly channelId: string;
  readonly transport: string;
  readonly channelName: string;
  readonly chatType: string;
  readonly chatId: string;
  readonly chatName: string;
  readonly phone: string | null;
  readonly direction: "in" | "out" | "echo";
  readonly type: string;
  readonly status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
  readonly text: string | null;
  readonly errorCode: string | null;
  readonly createdAt: Date;
}

export interface MessageSearch {
  /**
   * Our id or the CRM's id of a message; a chat's id, name, phone or username; or the beginnings of words in the
   * text.
   */
  readonly text: string;
  readonly channelId: string | null;
  readonly direction: string | null;
  readonly status: string | null;
  readonly limit: number;
  readonly cursor?: string;
}

const LINE = `m.id, m.channel_id as "channelId", h.transport, h.name as "channelName", c.chat_type as "chatType",
  c.chat_id as "chatId", c.name as "chatName", c.phone, m.direction, m.type, m.status, left(m.text, 300) as text,
  m.error ->> 'code' as "errorCode", m.created_at as "createdAt"`;
const JOINED = `join chats c on c.account_id = any(array[m.account_id]) and c.id = m.chat
  join channels h on h.account_id = any(array[m.account_id]) and h.id = m.channel_id`;

// Message ids begin with their time, so the list is a backward scan of the primary key.
const LIST = sql(
  "console_messages",
  `select ${LINE} from messages m ${JOINED}
   where m.account_id = $1 and m.id < $2::uuid and ($3::uuid is null or m.channel_id = $3)
     and ($4::text is null or m.direction = $4) and ($5::text is null or m.status = $5)
   order by m.account_id desc, m.id desc limit $6`,
);

const FILTER = `($3::uuid is null or m.channel_id = $3) and ($4::text is null or m.direction = $4)
  and ($5::text is null or m.status = $5)`;
const BY_TEXT = sql(
  "console_messages_by_text",
  `with chosen as materialized (
     select id from chats where account_id = $1
       and (chat_id = $7 or strpos(lower(name), lower($7)) > 0 or lower(username) = ltrim(lower($7), '@')
            or ($8::text is not null and (phone = $8 or chat_id = $8)))
     limit 200
   ), of_chats as (
     select m.id from chosen cross join lateral (
       select m.id from messages m where m.account_id = $1 and m.chat = chosen.id and m.id < $2::uuid and ${FILTER}
       order by m.created_at desc, m.id desc limit $6) m
   ), found as (
     select id from of_chats union select unnest($9::uuid[])
     union select id from messages m where m.account_id = $1 and m.crm_message_id = $7 and m.id < $2::uuid
   )
   select ${LINE} from found f join messages m on m.account_id = $1 and m.id = any(array[f.id]) ${JOINED}
   where ${FILTER} order by m.id desc limit $6`,
);
const BY_ID = sql(
  "console_messages_by_id",
  `select ${LINE} from messages m ${JOINED}
   where m.account_id = $1 and (m.id = $2::text::uuid or m.crm_message_id = $2 or m.chat = $2::text::uuid)
   order by m.id desc limit $3`,
);
const POSITION = sql(
  "console_message_place",
  "select id, (extract(epoch from created_at) * 1000000)::bigint as at from messages where account_id = $1 and id = $2",
);
const END = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const CURSOR = new RegExp(`^(0) (${UUID_PATTERN})$`);
/** Maximum text matches examined per page, before the other filters apply. */
const HITS = 500;

/** Messages of one account, newest first. Throws VALIDATION_ERROR for a cursor that this function did not return. */
export async function findMessages(
  db: Queryable,
  accountId: number,
  { text, channelId, direction, status, limit, cursor }: MessageSearch,
): Promise<Page<MessageLine>> {
  const wanted = text.trim();
  if (isUuid(wanted))
    return { data: await db.query<MessageLine>(BY_ID, [accountId, wanted.toLowerCase(), limit]), next: null };
  const before = cursor === undefined ? END : readCursor(cursor, CURSOR)[1];
  const values = [accountId, before, channelId, direction, status, limit + 1];
  if (wanted === "") {
    const rows = await db.query<MessageLine>(LIST, values);
    return pageOf(rows, limit, ({ id }) => writeCursor(0, id));
  }
  const hits = await hitsOf(db, accountId, { text: wanted, before });
  const rows = await db.query<MessageLine>(BY_TEXT, [...values, wanted, phoneIn(wanted), hits]);
  const page = pageOf(rows, limit, ({ id }) => writeCursor(0, id));
  const last = hits.at(-1);
  // The other filters may have removed most of the matches, so there may be more after them.
  const goesOn = page.next === null && hits.length === HITS && last !== undefined;
  return goesOn ? { ...page, next: writeCursor(0, last) } : page;
}

async function hitsOf(
  db: Queryable,
  accountId: number,
  { text, before }: { readonly text: string; readonly before: string },
): Promise<string[]> {
  const [position] = before === END ? [] : await db.query<Position & object>(POSITION, [accountId, before]);
  const hits = await findWords(db, { accountId, text, before: position ?? SEARCH_END, limit: HITS });
  return hits.map(({ id }) => id);
}

/** A phone number as chats store it: digits only. */
function phoneIn(text: string): string | null {
  const digits = text.replaceAll(/[\s()+-]/g, "");
  return /^\d{5,15}$/.test(digits) ? digits : null;
}

/** Everything known about one message. */
export interface MessageStory extends MessageLine {
  readonly accountId: number;
  readonly crmMessageId: string | null;
  readonly externalId: string | null;
  readonly authorName: string | null;
  readonly content: unknown;
  readonly error: unknown;
  /** The time of sending by the messenger's clock; until it is known, the time at which we accepted the message. */
  readonly sentAt: Date;
  readonly deliveredAt: Date | null;
  /** When we learnt the latest status. */
  readonly statusAt: Date | null;
  readonly editedAt: Date | null;
  readonly deletedAt: Date | null;
  /** While it waits: the number of attempts, and the time of an attempt whose outcome is unknown. */
  readonly attempts: number | null;
  readonly unsureSince: Date | null;
}

const FIND = sql(
  "console_message",
  `select ${LINE.replace("left(m.text, 300)", "m.text")}, m.account_id as "accountId", m.crm_message_id as "crmMessageId",
     m.external_id as "externalId", m.author_name as "authorName", m.content, m.error, m.sent_at as "sentAt",
     m.delivered_at as "deliveredAt", m.status_at as "statusAt", m.edited_at as "editedAt", m.deleted_at as "deletedAt",
     j.attempts, j.unsure_since as "unsureSince"
   from messages m ${JOINED}
   left join send_jobs j on j.account_id = any(array[m.account_id]) and j.channel_id = m.channel_id and j.chat = m.chat
     and j.message_id = m.id and j.kind = 'send'
   where m.account_id = $1 and m.id = $2`,
);

/** Throws MESSAGES_NOT_FOUND. */
export async function getMessageStory(db: Queryable, accountId: number, id: string): Promise<MessageStory> {
  const [row] = isUuid(id) ? await db.query<MessageStory>(FIND, [accountId, id.toLowerCase()]) : [];
  if (row === undefined) throw new AppError("MESSAGES_NOT_FOUND");
  return row;
}

/** An event about the message that was published to receivers. */
export interface MessageEvent {
  readonly id: number;
  readonly kind: string;
  readonly at: Date;
  /** Of a status event: the status. */
  readonly status: string | null;
}

// Events for open pages are not published to receivers, and their bodies are not JSON.
const EVENTS = sql(
  "console_message_events",
  `select e.id, e.kind, e.created_at as at, e.body::json ->> 'status' as status from events e
   where e.subject = any(array[$2::text]) and e.account_id = $1 and e.kind <> '${LIVE}' order by e.id limit 200`,
);

/** Only events that a receiver is subscribed to, and only as long as events are kept. */
export function listMessageEvents(db: Queryable, accountId: number, id: string): Promise<MessageEvent[]> {
  return db.query<MessageEvent>(EVENTS, [accountId, id]);
}
