-- The page of chats: the list of an account's chats, their threads, what each employee has seen, and who follows live.

-- When each chat had its last message, for the list. Beside `chats`, whose rows have more indexes to be kept. The list is
-- read minute by minute and sorted within one, so that a chat in which much is written changes its index once a minute.
create table chat_order (
  account_id bigint not null,
  chat uuid not null,
  channel_id uuid not null,
  minute integer not null,
  at timestamptz not null,
  primary key (account_id, chat)
) with (fillfactor = 70);
create index chat_order_minute on chat_order (account_id, minute);

insert into chat_order (account_id, chat, channel_id, minute, at)
select account_id, chat, (array_agg(channel_id))[1], floor(extract(epoch from max(created_at)) / 60), max(created_at)
from messages group by account_id, chat;

-- A thread, in the order in which messages were stored: it never changes, and what is new is always at its end.
create index messages_thread on messages (account_id, chat, created_at, id);

-- Up to when an employee has seen a chat. Older than what counts as unanswered it says nothing more.
create table chat_reads (
  account_id bigint not null,
  user_id text collate "C" not null,
  chat uuid not null,
  at timestamptz not null,
  primary key (account_id, user_id, chat)
);
create index chat_reads_at on chat_reads (at);

-- Accounts of which somebody has the page open, or had of late: their log has events of the kind `live` from `since` on,
-- without a gap, until `until`.
create table live_accounts (
  account_id bigint primary key,
  since bigint not null,
  until timestamptz not null
) with (fillfactor = 50);

-- Search for chats by any part of a name, phone number or username: their trigrams, each with the account before it, so
-- that an account's search reads nothing of the others. A blank before the first word makes beginnings of words known.
create function name_grams(account bigint, names text) returns text[]
language sql immutable strict parallel safe
return (
  select coalesce(array_agg(distinct account || ':' || substr(s, i, 3)), '{}')
  from (select ' ' || left(lower(names), 200) as s) n, generate_series(1, length(s) - 2) i
);
create index chats_grams on chats
  using gin (name_grams(account_id, name || ' ' || coalesce(username, '') || ' ' || coalesce(phone, '')));
