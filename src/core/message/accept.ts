import { type Database, type Queryable, sql } from "../../database/database.ts";
import { createBatcher } from "../../platform/batcher.ts";
import { moveUp } from "../chat/order.ts";
import { forgetUnanswered } from "../crm/unanswered-rows.ts";
import { jsonRows, jsonValue, storable } from "../json-rows.ts";
import { WaitingSends, withinQuota } from "../quota/waiting-sends.ts";
import { repeatWhenLost } from "../repeat.ts";
import type { MessageType, OutgoingContent } from "./content.ts";

/** An outgoing message, complete, about to be stored with its send job. */
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
  /** Of an employee on the page of chats; clients of the interface name none. */
  readonly author_name: string | null;
  readonly crm_message_id: string | null;
}

/**
 * Group commit: messages accepted at the same moment by one node are stored by one statement. `add` resolves when
 * the message is durable, or with "repeated" when the account gave another message the same `crm_message_id` less
 * than a minute ago; then nothing is stored. Repeating a message (same id) changes nothing, so a batch whose outcome
 * was lost with the connection is simply sent again. Messages of accounts that are near their quota of waiting sends go
 * a way of their own, on which they are counted.
 */
export interface AcceptQueue {
  add(message: AcceptedMessage): Promise<Acceptance>;
  close(): Promise<void>;
}

/** "full": the account has as many sends waiting as its quota allows; nothing is stored. */
export type Acceptance = "stored" | "repeated" | "full";

const INPUT = `
  select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[],
                       $9::text[], $10::text[], $11::text[])
    with ordinality as r(account_id, id, channel_id, chat, type, text, content, quoted_id, author_id, author_name,
                         crm_message_id, ord)`;

/** Common table expressions that store what "accepted" has, up to the messages in "added"; `of` tells which chats. */
const stored = (of: string): string => `
   new_chats as (
     insert into chats (account_id, id, channel_id, chat_type, chat_id, name)
     select distinct on (chat) * from json_to_recordset($12::json) as r(
       account_id bigint, chat uuid, channel_id uuid, chat_type text, chat_id text, chat_name text)
     ${of} order by chat
     on conflict do nothing
   ), added as (
     insert into messages (account_id, id, channel_id, chat, direction, type, status, text, content, quoted_id,
                           author_id, author_name, crm_message_id, sent_at)
     select account_id, id, channel_id, chat, 'out', type, 'queued', text, content::jsonb, quoted_id,
            author_id, author_name, crm_message_id, now()
     from accepted order by ord
     on conflict (account_id, id) do nothing
     returning account_id, channel_id, chat, id, content -> 'leavesUnanswered' is null as answers,
               coalesce(octet_length(text), 0) + coalesce(pg_column_size(content), 0) as bytes
   ), answered as (
     ${forgetUnanswered("select distinct account_id, chat from added where answers")}
   ), ${moveUp("select account_id, chat, channel_id from added")}`;

// Jobs get their numbers in the order in which "added" gives its rows, which is that of their insertion.
const JOBS = `
  insert into send_jobs (account_id, channel_id, chat, message_id, kind, bytes)
  select account_id, channel_id, chat, id, 'send', bytes from added`;

const ACCEPT = sql("message_accept", `with accepted as materialized (${INPUT}), ${stored("")} ${JOBS}`);

// An id of the CRM's is a key like those of requests, under a route that no request has: whoever inserts it first
// has it for a minute, on whichever node. Answers the messages that came too late for theirs.
const ACCEPT_WITH_IDS = sql(
  "message_accept_with_ids",
  `with input as materialized (${INPUT}
   ), taken as (
     insert into idempotency_keys as k (account_id, route, key, request_hash, operation_id, locked_until)
     select distinct on (account_id, crm_message_id) account_id, 'crmMessageId', crm_message_id, '', id, now()
     from input where crm_message_id is not null order by account_id, crm_message_id, ord
     on conflict (account_id, route, key) do update set
       operation_id = excluded.operation_id,
       created_at = case when k.operation_id = excluded.operation_id then k.created_at else now() end
     where k.operation_id = excluded.operation_id or k.created_at <= now() - interval '60 seconds'
     returning operation_id
   ), accepted as materialized (
     select * from input where crm_message_id is null or id in (select operation_id from taken)
   ), ${stored("where chat in (select chat from accepted)")}, jobs as (${JOBS})
   select id from input where crm_message_id is not null and id not in (select operation_id from taken)`,
);

// One at a time: what arrives meanwhile makes the next batch larger, and a message costs less in it.
const BATCHES = { maxItems: 256, maxConcurrent: 1 };

/** `onStored` is called with what each batch has stored; `maxWaiting` 0 lifts the quota. */
export function createAcceptQueue(
  db: Database,
  onStored: (messages: readonly AcceptedMessage[]) => void,
  maxWaiting = 0,
): AcceptQueue {
  const sends = new WaitingSends(db, maxWaiting);
  const told = (messages: readonly AcceptedMessage[], results: Acceptance[]): Acceptance[] => {
    onStored(messages.filter((_, index) => results[index] === "stored"));
    return results;
  };
  const free = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    run: async (messages) => told(messages, await repeatWhenLost(() => store(db, messages))),
  });
  const counted = createBatcher<AcceptedMessage, Acceptance>({
    ...BATCHES,
    run: async (messages) =>
      told(messages, await repeatWhenLost(() => storeCounted(db, messages, maxWaiting))),
  });
  return {
    add: async (message) =>
      (await sends.isFarFromLimit(message.account_id)) ? free.add(message) : counted.add(message),
    async close() {
      await Promise.all([free.close(), counted.close()]);
    },
  };
}

async function store(db: Queryable, messages: readonly AcceptedMessage[]): Promise<Acceptance[]> {
  // The common case must not pay for the other one.
  const statement = messages.some(({ crm_message_id: id }) => id !== null) ? ACCEPT_WITH_IDS : ACCEPT;
  const refused = await db.query<{ id: string }>(statement, valuesOf(messages));
  const repeated = new Set(refused.map(({ id }) => id));
  return messages.map(({ id }) => (repeated.has(id) ? "repeated" : "stored"));
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

/** An array per column: PostgreSQL reads that several times faster than rows of JSON. */
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
    messages.map(({ content }) => (Object.keys(content).length === 0 ? null : jsonValue(content))),
    column("quoted_id"),
    texts("author_id"),
    texts("author_name"),
    texts("crm_message_id"),
    jsonRows(messages.filter(({ new_chat: isNew }) => isNew).map(newChat)),
  ];
}

function newChat({ account_id, chat, channel_id, chat_type, chat_id, chat_name }: AcceptedMessage): object {
  return { account_id, chat, channel_id, chat_type, chat_id, chat_name };
}
