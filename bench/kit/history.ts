import type { Queryable } from "../../src/database/database.ts";
import type { Stand } from "./stand.ts";

/** A chat with ten thousand messages. */
export const LONG_CHAT = "00000000-0000-4000-8000-000000000001";
const LONG = 10_000;
const PER_CHAT = 25;
const YEARS = 3;
/** Indexes that are created at once, after the rows. */
const LATER = [
  "message_words_text",
  "messages_thread",
  "messages_external",
  "messages_crm_id",
  "chats_grams",
];

/**
 * This many messages of three years in chats of 25, a few of them unanswered, and one chat with ten thousand. Texts
 * have a hundred characters; the word `order` is in a tenth of them, `rare7` in one of a hundred thousand.
 */
export async function fillInbox(session: Queryable, stand: Stand, messages: number): Promise<void> {
  const { accountId } = stand.account;
  const channel = stand.channelId;
  const definitions = await session.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where indexname = any($1)",
    [LATER],
  );
  for (const name of LATER) await session.query(`drop index ${name}`);
  await session.query(
    `update accounts set created_at = now() - interval '${YEARS} years' where id = ${accountId}`,
  );
  const id = (number: string): string =>
    `(lpad(to_hex(${number} % 4294967296), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
  const chats = Math.floor(messages / PER_CHAT);
  await session.query(
    `insert into chats (account_id, id, channel_id, chat_type, chat_id, name, phone, last_inbound_at)
     select ${accountId}, case when n = 1 then '${LONG_CHAT}' else ${id("n")} end, '${channel}', 'telegram', 'bench-' || n,
            (array['Ivan', 'Anna', 'Olga', 'Customer'])[n % 4 + 1] || ' ' || n, '7900' || lpad(n::text, 7, '0'), now()
     from generate_series(1, ${chats}::bigint) n`,
  );
  await session.query(
    `insert into messages (account_id, id, channel_id, chat, direction, type, status, text, external_id, sent_at, created_at)
     select ${accountId}, ${id("n + 1000000000")}, '${channel}',
            case when n <= ${LONG} then '${LONG_CHAT}' else ${id(`n * 7919 % ${chats} + 1`)} end,
            case when n % 3 = 0 then 'in' else 'out' end, 'text', case when n % 3 = 0 then 'inbound' else 'read' end,
            'Good day, message ' || n || case when n % 10 = 0 then ' about the order ' else ' about the house ' end
              || case when n % 100000 < 50 then 'rare' || n % 100000 else md5(n::text) end
              || ' and what else is there to say of it', 'x' || n,
            at, at
     from generate_series(1, ${messages}::bigint) n
     cross join lateral (select now() - (${messages} - n) * interval '${YEARS} years' / ${messages} as at) t`,
  );
  await session.query(
    `insert into message_words (account_id, message_id, chat, created_at, text)
     select account_id, id, chat, created_at, text from messages where account_id = ${accountId} order by created_at`,
  );
  await session.query("truncate search_queue");
  await session.query(
    `insert into chat_order (account_id, chat, channel_id, minute, at)
     select account_id, chat, channel_id, floor(extract(epoch from max(created_at)) / 60), max(created_at)
     from messages where account_id = ${accountId} and chat in (select id from chats) group by account_id, chat, channel_id
     on conflict (account_id, chat) do update set minute = excluded.minute, at = excluded.at`,
  );
  await session.query(
    `insert into unanswered (account_id, chat, message_id, channel_id, at)
     select account_id, chat, id, channel_id, created_at from messages
     where account_id = ${accountId} and direction = 'in' and created_at > now() - interval '7 days' and text like '%1 about%'`,
  );
  await session.query("set maintenance_work_mem = '512MB'");
  for (const { indexdef } of definitions) await session.query(indexdef);
  await session.query("vacuum analyze");
}

/** Events of three months, of statuses, which all receivers have; all in the present partition. */
export async function fillEvents(session: Queryable, stand: Stand, events: number): Promise<void> {
  await session.query(
    `insert into events (account_id, kind, channel_id, chat, subject, body, created_at)
     select ${stand.account.accountId}, 'statuses', '${stand.channelId}', gen_random_uuid(), 'bench-' || n / 4,
            '{"messageId":"' || gen_random_uuid() || '","timestamp":"2026-01-01T00:00:00.000Z","status":"delivered"}',
            now() - (${events} - n) * interval '90 days' / ${events}
     from generate_series(1, ${events}::bigint) n`,
  );
  await session.query("vacuum analyze events");
}
