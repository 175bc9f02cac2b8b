import { type Queryable, type Statement, sql } from "../../database/database.ts";
import { moveUp, touchChats } from "../chat/order.ts";
import type { OutgoingContent } from "../content.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { jsonValue, storable } from "../json-rows.ts";
import { type Column, manyRows, oneRow, valuesOf } from "../row-statement.ts";
import type { AcceptedMessage } from "./accepted-message.ts";
import { queueForSearch } from "./search-index.ts";

/** A message to be stored. */
export interface AcceptRow {
  readonly message: AcceptedMessage;
  /**
   * The owner of its channel, which sends the message at once: the job is stored with its started mark if the owner
   * and the epoch are current and no other job of the chat is visible.
   */
  readonly start?: { readonly nodeId: string; readonly epoch: number } | undefined;
}

/** What the statement tells of a message: that it was not stored, or that its job was stored with its started mark. */
export type AcceptAnswer =
  | { readonly refused: string; readonly why: "repeated" | "moved" }
  | {
      readonly refused: null;
      readonly message_id: string;
      readonly id: number;
      readonly bytes: number;
      /** Null for a new chat. */
      readonly chat_id: string | null;
      readonly quiet_ms: number | null;
    };

const COLUMNS: readonly Column<AcceptRow>[] = [
  { name: "account_id", type: "bigint", of: ({ message }) => message.account_id },
  { name: "id", type: "uuid", of: ({ message }) => message.id },
  { name: "channel_id", type: "uuid", of: ({ message }) => message.channel_id },
  { name: "chat", type: "uuid", of: ({ message }) => message.chat },
  { name: "type", type: "text", of: ({ message }) => message.type },
  { name: "text", type: "text", of: ({ message }) => storableOrNull(message.text) },
  { name: "content", type: "text", of: ({ message }) => contentOf(message) },
  { name: "quoted_id", type: "uuid", of: ({ message }) => message.quoted_id },
  { name: "author_id", type: "text", of: ({ message }) => storableOrNull(message.author_id) },
  { name: "author_name", type: "text", of: ({ message }) => storableOrNull(message.author_name) },
  { name: "crm_message_id", type: "text", of: ({ message }) => storableOrNull(message.crm_message_id) },
  // Null, unless the chat is to be stored.
  { name: "chat_type", type: "text", of: ({ message }) => (message.new_chat ? message.chat_type : null) },
  {
    name: "chat_id",
    type: "text",
    of: ({ message }) => (message.new_chat ? storable(message.chat_id) : null),
  },
  {
    name: "chat_name",
    type: "text",
    of: ({ message }) => (message.new_chat ? storable(message.chat_name) : null),
  },
  // Null, unless the message is to be sent at once.
  { name: "epoch", type: "bigint", of: ({ start }) => start?.epoch ?? null },
  { name: "owner", type: "uuid", of: ({ start }) => start?.nodeId ?? null },
];

const MANY = manyRows(COLUMNS);
const ONE = oneRow(COLUMNS);

/** Common table expressions that store the messages of "accepted". "added" are those that were not stored before. */
const ADDED = `
   added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, quoted_id,
                           author_id, author_name, crm_message_id, sent_at)
     select account_id, id, channel_id, chat, 'out', type, 'queued', text, content::jsonb, quoted_id,
            author_id, author_name, crm_message_id, now()
     from accepted order by ord
     -- A repetition locks the row, so that its commit too waits for a synchronous standby. The first one may have been
     -- interrupted while it waited: then the server has the message, and the standby has not.
     on conflict (account_id, id) do update set id = excluded.id where false
     returning account_id, channel_id, chat, id, content -> 'leavesUnanswered' is null as answers,
               text is not null as has_text
   ), answered as (
     ${forgetUnanswered("select distinct account_id, chat from added where answers")}
   ), searched as (
     ${queueForSearch("select account_id, id from added where has_text")}
   )`;

/**
 * Common table expressions that store the messages of "wanted" listed in "added"; "accepted" are those whose chat exists.
 * A stored chat without messages may be deleted to make room for a renamed one (`chat/move.ts`), and a new one may find
 * that its name was taken, so the row of a chat's first message is locked. A chat with a place in the list has messages.
 *
 * Joins are nested loops (`database/connections.ts`), so rows of two expressions are matched by "in (select …)" and not
 * by a join: PostgreSQL hashes the list, and the cost of a batch grows with its size and not with the square of it.
 */
const STORED = `
   fresh as materialized (
     select distinct account_id, chat from wanted w
     where (select true from chat_order o
            where o.account_id = any(array[w.account_id]) and o.chat = w.chat limit 1) is null
   ), held as materialized (
     select h.id from (select * from fresh order by chat) f cross join lateral (
       select c.id from chats c where c.account_id = any(array[f.account_id]) and c.id = f.chat for key share) h
   ), new_chats as (
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name)
     select distinct on (chat) account_id, chat, channel_id, chat_type, chat_id, chat_name
     from wanted where chat_type is not null order by chat
     on conflict do nothing
     returning id
   ), accepted as materialized (
     select * from wanted where chat not in (select chat from fresh)
       or chat in (select id from held) or chat in (select id from new_chats)
   ), displaced as materialized (
     select id as refused, 'moved' as why from wanted where id not in (select id from accepted)
   ), ${ADDED}, ${touchChats("select account_id, chat, channel_id from added")}`;

const BYTES = "coalesce(octet_length(text), 0) + coalesce(octet_length(content), 0)";
// Jobs get their ids in the order of the messages.
const JOBS = `
  jobs as (
    insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
    select account_id, channel_id, chat, id, 'send', ${BYTES}
    from accepted where (id in (select id from added)) is true order by ord
  )`;
// The mark checks owner and epoch as `send_jobs_start` does, and is only for the first job of a chat: jobs committed earlier
// are sent earlier.
const STARTED_JOBS = `
  jobs as (
    insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes, started_epoch, attempts, unsure_since)
    select account_id, channel_id, chat, id, 'send', ${BYTES}, case when begins then epoch end, begins::int,
           case when begins then now() end
    from (
      select *, epoch is not null
        and (select true from channels c where c.id = any(array[a.channel_id]) and c.owner = a.owner and c.epoch = a.epoch
               and c.deleted_at is null limit 1) is not null
        and (select true from send_jobs j where j.account_id = any(array[a.account_id]) and j.channel_id = a.channel_id
               and j.chat = a.chat limit 1) is null as begins
      from accepted a where (a.id in (select id from added)) is true) a
    order by ord
    returning account_id, chat, id, message_id, bytes, started_epoch
  )`;
/** The started jobs, and the messages that these rows refuse. */
const startedOr = (refused: string): string => `
  select null::uuid as refused, null as why, j.message_id, j.id, j.bytes, c.chat_id,
         (extract(epoch from now() - c.last_direct_at) * 1000)::float8 as quiet_ms
  from jobs j left join chats c on c.account_id = any(array[j.account_id]) and c.id = j.chat
  where j.started_epoch is not null
  union all select refused, why, null, null, null, null, null from (${refused}) r`;

// The CRM's own id of a message is stored as an idempotency key under a route that no request uses: the first insert,
// on any node, reserves it for a minute. Returns the messages whose id was already in use.
const UNUSED_IDS = `
   taken as (
     insert into idempotency_keys as k (account_id, route, key, request_hash, operation_id, locked_until)
     select distinct on (account_id, crm_message_id) account_id, 'crmMessageId', crm_message_id, '', id, now()
     from input where crm_message_id is not null order by account_id, crm_message_id, ord
     on conflict (account_id, route, key) do update set
       operation_id = excluded.operation_id,
       created_at = case when k.operation_id = excluded.operation_id then k.created_at else now() end
     where k.operation_id = excluded.operation_id or k.created_at <= now() - interval '60 seconds'
     returning operation_id
   ), wanted as materialized (
     select * from input where crm_message_id is null or id in (select operation_id from taken)
   )`;
const REFUSED = `
  select * from displaced union all
  select id, 'repeated' from input where crm_message_id is not null and id not in (select operation_id from taken)`;

interface Shape {
  readonly isOne: boolean;
  /** Some of the messages have an id of the CRM. */
  readonly hasIds: boolean;
  /** Some of the messages are to be sent at once. */
  readonly starts: boolean;
}

/** One statement for each shape, because the parts that a shape does not need would cost much of its time. */
function statementFor({ isOne, hasIds, starts }: Shape): string {
  const input = isOne ? ONE : MANY;
  const begin = hasIds
    ? `input as materialized (${input}), ${UNUSED_IDS}`
    : `wanted as materialized (${input})`;
  return `with ${begin}, ${STORED}, ${partFor(starts, hasIds ? REFUSED : "select * from displaced")}`;
}

const partFor = (starts: boolean, refused: string): string =>
  starts ? `${STARTED_JOBS} ${startedOr(refused)}` : `${JOBS} ${refused}`;

const nameOf = ({ isOne, hasIds, starts }: Shape): string =>
  `message_accept${isOne ? "_one" : ""}${hasIds ? "_with_ids" : ""}${starts ? "_and_start" : ""}`;

const BOTH = [false, true];
const STATEMENTS: ReadonlyMap<string, Statement> = new Map(
  BOTH.flatMap((isOne) =>
    BOTH.flatMap((hasIds) =>
      BOTH.map((starts) => {
        const name = nameOf({ isOne, hasIds, starts });
        return [name, sql(name, statementFor({ isOne, hasIds, starts }))] as const;
      }),
    ),
  ),
);

// The usual message: alone, for a chat that has messages. Nothing is stored if it has none.
const placedOne = (starts: boolean): string => `
  with accepted as materialized (
    select * from (${ONE}) w
    where (select true from chat_order o where o.account_id = w.account_id and o.chat = w.chat limit 1)
  ), ${ADDED}, ${moveUp("select account_id, chat, channel_id from added")},
  ${partFor(starts, "select $2::uuid as refused, 'moved' as why where (select true from accepted) is null")}`;
const ACCEPT_PLACED = sql("message_accept_placed", placedOne(false));
const ACCEPT_PLACED_AND_START = sql("message_accept_placed_and_start", placedOne(true));

/** Stores messages with their send jobs. Repeating a message (same id) changes nothing. */
export async function storeMessages(db: Queryable, rows: readonly AcceptRow[]): Promise<AcceptAnswer[]> {
  const isOne = rows.length === 1;
  const hasIds = rows.some(({ message }) => message.crm_message_id !== null);
  const starts = rows.some(({ start }) => start !== undefined);
  const values = valuesOf(COLUMNS, rows);
  if (isOne && !hasIds && rows.every(({ message }) => !message.new_chat)) {
    const statement = starts ? ACCEPT_PLACED_AND_START : ACCEPT_PLACED;
    const answers = await db.query<AcceptAnswer>(statement, values);
    if (answers.every(({ refused }) => refused === null)) return answers;
  }
  return db.query<AcceptAnswer>(shapeOf({ isOne, hasIds, starts }), values);
}

function shapeOf(shape: Shape): Statement {
  const statement = STATEMENTS.get(nameOf(shape));
  if (statement === undefined) throw new Error("There is a statement for each shape");
  return statement;
}

/** Text and content in the form in which they are read back from the tables. */
export function storedForm({
  text,
  content,
}: Pick<AcceptedMessage, "text" | "content">): Pick<AcceptedMessage, "text" | "content"> {
  return {
    text: storableOrNull(text),
    content: isEmpty(content) ? {} : (JSON.parse(jsonValue(content)) as OutgoingContent),
  };
}

/** Approximate number of characters to be stored. */
export function weightOf({ text, content }: AcceptedMessage): number {
  return (text?.length ?? 0) + (isEmpty(content) ? 0 : JSON.stringify(content).length);
}

function contentOf({ content }: AcceptedMessage): string | null {
  return isEmpty(content) ? null : jsonValue(content);
}

function isEmpty(content: OutgoingContent): boolean {
  return Object.keys(content).length === 0;
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}
