import { type Database, type Queryable, sql } from "../../database/database.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import { touchChats } from "../chat/order.ts";
import type { OutgoingContent } from "../content.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { jsonRows, jsonValue, storable } from "../json-rows.ts";
import { WaitingSends, withinQuota } from "../quota/waiting-sends.ts";
import { retryOnLostConnection } from "../retry.ts";
import type { MessageType } from "../transport/message.ts";
import { queueForSearch } from "./search-index.ts";

/** A complete outgoing message, to be stored together with its send job. */
export interface AcceptedMessage {
  readonly account_id: number;
  readonly id: string;
  readonly channel_id: string;
  readonly chat: string;
  readonly chat_type: string;
  readonly chat_id: string;
  readonly chat_name: string;
  readonly new_chat: boolean;
  readonly type: MessageType;
  readonly text: string | null;
  readonly content: OutgoingContent;
  readonly quoted_id: string | null;
  readonly author_id: string | null;
  /** Set for messages that an employee wrote on the chat page; null for messages of API clients. */
  readonly author_name: string | null;
  readonly crm_message_id: string | null;
}

/**
 * The sender of this node's channels. A message that it can send at once is stored with its started mark, so that it
 * is sent without being read and marked first.
 */
export interface SendsAtOnce {
  /** Null: the message has to wait, or another node sends it. */
  take(message: AcceptedMessage): StartAtOnce | null;
}

/** Reserves a slot for one message and blocks its chat for others, until `end`. */
export interface StartAtOnce {
  /** The owner of the channel, and its epoch. */
  readonly nodeId: string;
  readonly epoch: number;
  /**
   * Ends the reservation. `job`: the marked job; null if it is not marked or this is unknown, and then it has to be
   * read before it is sent. Call it once.
   */
  end(job: StartedJob | null): void;
}

/** A job that was stored with its started mark. */
export interface StartedJob {
  readonly id: number;
  readonly bytes: number;
  /** The messenger's id of the chat; null for a new chat. */
  readonly chatId: string | null;
  /** Milliseconds since the person last wrote, except comments; null: never. */
  readonly quietMs: number | null;
}

/**
 * Group commit of accepted messages: messages that one node accepts at the same moment are stored by one statement.
 * `add` resolves when the message is durable, or with "repeated", storing nothing, if the account used the same
 * `crm_message_id` for another message less than a minute ago. Repeating a message (same id) changes nothing, so a
 * batch whose outcome was lost with the connection is sent again. Messages of accounts near their quota of waiting
 * sends take a separate path that counts them.
 */
export interface AcceptQueue {
  add(message: AcceptedMessage): Promise<Acceptance>;
  /** Offers messages to `sends` from now on; null: to no sender. */
  offerTo(sends: SendsAtOnce | null): void;
  close(): Promise<void>;
}

export interface HasAccept {
  readonly accept: AcceptQueue;
}

/**
 * Nothing is stored unless "stored". "full": the account's quota of waiting sends is used up. "moved": the chat does not
 * exist under this id any more; find it again.
 */
export type Acceptance = "stored" | "repeated" | "full" | "moved";

const INPUT = `
  select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[],
                       $9::text[], $10::text[], $11::text[])
    with ordinality as r(account_id, id, channel_id, chat, type, text, content, quoted_id, author_id, author_name,
                         crm_message_id, ord)`;

/**
 * Common table expressions that store the messages of "wanted" listed in "added"; "accepted" are those whose chat exists.
 * A stored chat without messages may be deleted to make room for a renamed one (`chat/move.ts`), and a new one may find
 * that its name was taken, so the row of a chat's first message is locked. A chat with a place in the list has messages.
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
     select distinct on (chat) * from json_to_recordset($12::json) as r(
       account_id bigint, chat uuid, channel_id uuid, chat_type text, chat_id text, chat_name text)
     where chat in (select chat from wanted) order by chat
     on conflict do nothing
     returning id
   ), accepted as materialized (
     select * from wanted where chat not in (select chat from fresh)
       or chat in (select id from held) or chat in (select id from new_chats)
   ), displaced as materialized (
     select id as refused, 'moved' as why from wanted where id not in (select id from accepted)
   ), added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, quoted_id,
                           author_id, author_name, crm_message_id, sent_at)
     select account_id, id, channel_id, chat, 'out', type, 'queued', text, content::jsonb, quoted_id,
            author_id, author_name, crm_message_id, now()
     from accepted order by ord
     -- A repetition locks the row, so that its commit too waits for a synchronous standby. The first one may have been
     -- interrupted while it waited: then the server has the message, and the standby has not.
     on conflict (account_id, id) do update set id = excluded.id where false
     returning account_id, channel_id, chat, id, content -> 'leavesUnanswered' is null as answers,
               text is not null as has_text,
               coalesce(octet_length(text), 0) + coalesce(pg_column_size(content), 0) as bytes
   ), answered as (
     ${forgetUnanswered("select distinct account_id, chat from added where answers")}
   ), searched as (
     ${queueForSearch("select account_id, id from added where has_text")}
   ), ${touchChats("select account_id, chat, channel_id from added")}`;

// Jobs get their ids in the order of the rows of "added", which is the order of their insertion.
const JOBS = `
  insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
  select account_id, channel_id, chat, id, 'send', bytes from added`;

const ACCEPT = sql(
  "message_accept",
  `with wanted as materialized (${INPUT}), ${STORED}, jobs as (${JOBS}) select * from displaced`,
);

// Same as `send_jobs_start`, but only for the first job of a chat: jobs committed earlier are sent earlier.
const BEGIN = `
  begun as materialized (
    select i.id, s.epoch from accepted i
    join unnest($13::uuid[], $14::bigint[], $15::uuid[]) as s(id, epoch, node_id) on s.id = i.id
    where (select true from channels c where c.id = any(array[i.channel_id]) and c.owner = s.node_id and c.epoch = s.epoch
             and c.deleted_at is null limit 1)
      and (select true from send_jobs j where j.account_id = any(array[i.account_id]) and j.channel_id = i.channel_id
             and j.chat = i.chat limit 1) is null
  ), jobs as (
    insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes, started_epoch, attempts, unsure_since)
    select a.account_id, a.channel_id, a.chat, a.id, 'send', a.bytes, b.epoch, (b.epoch is not null)::int,
           case when b.epoch is not null then now() end
    from added a left join begun b on b.id = a.id
    returning account_id, chat, id, message_id, bytes, started_epoch
  )`;
const BEGUN = `
  select j.message_id, j.id, j.bytes, c.chat_id, (extract(epoch from now() - c.last_direct_at) * 1000)::float8 as quiet_ms
  from jobs j left join chats c on c.account_id = any(array[j.account_id]) and c.id = j.chat
  where j.started_epoch is not null`;

/** The started jobs, and the messages that these rows refuse. */
const begunOr = (refused: string): string => `
  select null::uuid as refused, null as why, begun.* from (${BEGUN}) begun
  union all select refused, why, null, null, null, null, null from (${refused}) r`;

const ACCEPT_AND_BEGIN = sql(
  "message_accept_and_begin",
  `with wanted as materialized (${INPUT}), ${STORED}, ${BEGIN} ${begunOr("select * from displaced")}`,
);

// The CRM's own id of a message is stored as an idempotency key under a route that no request uses: the first insert,
// on any node, reserves it for a minute. Returns the messages whose id was already in use.
const WITH_IDS = `with input as materialized (${INPUT}
   ), taken as (
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
   ), ${STORED}`;
const REFUSED = `
  select * from displaced union all
  select id, 'repeated' from input where crm_message_id is not null and id not in (select operation_id from taken)`;

const ACCEPT_WITH_IDS = sql("message_accept_with_ids", `${WITH_IDS}, jobs as (${JOBS}) ${REFUSED}`);
const ACCEPT_WITH_IDS_AND_BEGIN = sql(
  "message_accept_with_ids_and_begin",
  `${WITH_IDS}, ${BEGIN} ${begunOr(REFUSED)}`,
);

/** Approximate limit of the characters that one statement stores. */
const MAX_WEIGHT = 4_000_000;

// One batch at a time: messages that arrive meanwhile make the next batch larger and so cheaper per message. Accounts
// alternate, so that the large messages of one do not delay those of the others by more than one batch.
const BATCHES = {
  maxItems: 256,
  maxConcurrent: 1,
  queueKeyOf: ({ account_id: owner }: AcceptedMessage) => ({ owner, lane: "" }),
  weightOf: ({ text, content }: AcceptedMessage) =>
    (text?.length ?? 0) + (isEmpty(content) ? 0 : JSON.stringify(content).length),
  maxWeight: MAX_WEIGHT,
};
/** Messages of larger batches are not sent at once: reading and marking many together costs less. */
const MAX_AT_ONCE = 8;

interface AcceptQuota {
  /** 0: no quota. */
  readonly maxWaiting?: number;
  /** Whether other nodes may accept messages too. */
  readonly hasOthers?: () => boolean;
}

/**
 * `onStored` is called with what each batch has stored and is not being sent already.
 */
export function createAcceptQueue(
  db: Database,
  onStored: (messages: readonly AcceptedMessage[], waiting: readonly AcceptedMessage[]) => void,
  { maxWaiting = 0, hasOthers = () => true }: AcceptQuota = {},
): AcceptQueue {
  const sends = new WaitingSends(db, maxWaiting, hasOthers);
  let offered: SendsAtOnce | null = null;
  const reported = (
    messages: readonly AcceptedMessage[],
    results: readonly Acceptance[],
    begun: ReadonlySet<string> = new Set(),
  ): readonly Acceptance[] => {
    const kept = messages.filter((_, index) => results[index] === "stored");
    onStored(
      kept,
      kept.filter(({ id }) => !begun.has(id)),
    );
    return results;
  };
  const free = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    async run(messages) {
      const starts = takeAtOnce(offered, messages);
      const { results, begun } = await storeAndBegin(db, messages, starts);
      return reported(messages, results, begun);
    },
  });
  const counted = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    run: async (messages) =>
      reported(messages, await retryOnLostConnection(() => storeCounted(db, messages, maxWaiting))),
  });
  return {
    add: async (message) =>
      (await sends.isFarFromLimit(message.account_id)) ? free.add(message) : counted.add(message),
    offerTo: (to) => {
      offered = to;
    },
    async close() {
      await Promise.all([free.close(), counted.close()]);
    },
  };
}

type Starts = ReadonlyMap<string, StartAtOnce>;

/** Keyed by message id. */
function takeAtOnce(offered: SendsAtOnce | null, messages: readonly AcceptedMessage[]): Starts {
  if (offered === null || messages.length > MAX_AT_ONCE) return NO_STARTS;
  return new Map(
    messages.flatMap((message) => {
      const start = offered.take(message);
      return start === null ? [] : [[message.id, start]];
    }),
  );
}

const NO_STARTS: Starts = new Map();

/** Ends each reservation, whatever happens. */
async function storeAndBegin(db: Queryable, messages: readonly AcceptedMessage[], starts: Starts) {
  const begun = new Map<string, StartedJob>();
  try {
    const results = await retryOnLostConnection(() => store(db, messages, starts, begun));
    return { results, begun: new Set(begun.keys()) };
  } finally {
    for (const [id, start] of starts) start.end(begun.get(id) ?? null);
  }
}

/** Adds to `begun` the jobs that were stored with their started mark. */
async function store(
  db: Queryable,
  messages: readonly AcceptedMessage[],
  starts: Starts = NO_STARTS,
  begun = new Map<string, StartedJob>(),
): Promise<Acceptance[]> {
  // Messages without an id of the CRM, the common case, take the cheaper statement.
  const hasIds = messages.some(({ crm_message_id: id }) => id !== null);
  const rows =
    starts.size === 0
      ? await db.query<StoredRow>(hasIds ? ACCEPT_WITH_IDS : ACCEPT, valuesOf(messages))
      : await db.query<StoredRow>(hasIds ? ACCEPT_WITH_IDS_AND_BEGIN : ACCEPT_AND_BEGIN, [
          ...valuesOf(messages),
          ...valuesOfStarts(starts),
        ]);
  for (const { message_id: message, id, bytes, chat_id: chatId, quiet_ms: quietMs } of rows)
    if (message) begun.set(message, { id, bytes, chatId, quietMs });
  const refused = new Map(rows.map(({ refused: id, why }) => [id, why]));
  return messages.map(({ id }) => refused.get(id) ?? "stored");
}

interface StoredRow {
  /** Id of a message that was not stored. Otherwise the row is a started job. */
  readonly refused?: string | null;
  readonly why?: "repeated" | "moved" | null;
  readonly message_id?: string | null;
  readonly id: number;
  readonly bytes: number;
  readonly chat_id: string | null;
  readonly quiet_ms: number | null;
}

function valuesOfStarts(starts: Starts): unknown[] {
  const each = [...starts.values()];
  return [[...starts.keys()], each.map(({ epoch }) => epoch), each.map(({ nodeId }) => nodeId)];
}

function storeCounted(
  db: Database,
  messages: readonly AcceptedMessage[],
  maxWaiting: number,
): Promise<Acceptance[]> {
  return db.tx(async (tx) => {
    const fitting = await withinQuota(tx, messages, maxWaiting);
    const results = fitting.length === 0 ? [] : await store(tx, fitting);
    const byId = new Map(fitting.map(({ id }, index) => [id, results[index]]));
    return messages.map(({ id }) => byId.get(id) ?? "full");
  });
}

/** One array per column: PostgreSQL reads that several times faster than rows of JSON. */
function valuesOf(messages: readonly AcceptedMessage[]): unknown[] {
  const column = <Name extends keyof AcceptedMessage>(name: Name): AcceptedMessage[Name][] =>
    messages.map((message) => message[name]);
  const texts = (name: "text" | "author_id" | "author_name" | "crm_message_id"): (string | null)[] =>
    messages.map(({ [name]: value }) => (value === null ? null : storable(value)));
  return [
    column("account_id"),
    column("id"),
    column("channel_id"),
    column("chat"),
    column("type"),
    texts("text"),
    messages.map(({ content }) => (isEmpty(content) ? null : jsonValue(content))),
    column("quoted_id"),
    texts("author_id"),
    texts("author_name"),
    texts("crm_message_id"),
    jsonRows(messages.filter(({ new_chat: isNew }) => isNew).map(newChat)),
  ];
}

/** Text and content in the form in which they are read back from the tables. */
export function storedForm({
  text,
  content,
}: Pick<AcceptedMessage, "text" | "content">): Pick<AcceptedMessage, "text" | "content"> {
  return {
    text: text === null ? null : storable(text),
    content: isEmpty(content) ? {} : (JSON.parse(jsonValue(content)) as OutgoingContent),
  };
}

function isEmpty(content: OutgoingContent): boolean {
  return Object.keys(content).length === 0;
}

function newChat({ account_id, chat, channel_id, chat_type, chat_id, chat_name }: AcceptedMessage): object {
  return { account_id, chat, channel_id, chat_type, chat_id, chat_name };
}
