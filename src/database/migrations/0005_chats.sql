-- expand
-- Chats, groups, and the chat page.

-- Trigrams of a chat's names, for a search by any part of a name, phone number or username. Each starts with the account,
-- so that a search reads nothing of other accounts. A space before the first word marks its beginning.
create function name_grams(account bigint, names text) returns text[]
language sql immutable strict parallel safe
return (
  select coalesce(array_agg(distinct account || ':' || substr(s, i, 3)), '{}')
  from (select ' ' || left(lower(names), 200) as s) n, generate_series(1, length(s) - 2) i
);

create table chats (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  chat_type text not null,
  chat_id text not null,
  name text not null default '',
  username text,
  phone text,
  avatar_file_id uuid,
  -- Of a group: the title that was last reported, and since when the group has it. `name` also follows messages.
  title text,
  title_at timestamptz,
  last_inbound_at timestamptz,
  -- When the person last wrote to the channel itself. Comments on its posts do not open a reply window.
  last_direct_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) with (fillfactor = 80);
-- Without the account, which a channel implies: with it, the planner may prefer this index to the primary key while the
-- table is small, and then read all chats of the account to find one by its id.
create unique index chats_external on chats (channel_id, chat_type, chat_id);
create index chats_username on chats (account_id, channel_id, lower(username)) where username is not null;
create index chats_phone on chats (account_id, channel_id, phone) where phone is not null;
create index chats_grams on chats
  using gin (name_grams(account_id, name || ' ' || coalesce(username, '') || ' ' || coalesce(phone, '')));

-- When each chat had its last message, for the list of chats. A table of its own, because `chats` has more indexes to
-- maintain. The list is read by minutes and sorted within each, so that a busy chat changes the index once a minute.
-- Deleted with the messages of a chat.
create table chat_order (
  account_id bigint not null,
  chat uuid not null,
  channel_id uuid not null,
  -- Minutes since 1970.
  minute integer not null,
  at timestamptz not null,
  primary key (account_id, chat)
) with (fillfactor = 70);
create index chat_order_minute on chat_order (account_id, minute);

-- Until when an employee has seen a chat; kept for eight days, since messages count as unanswered for seven.
create table chat_reads (
  account_id bigint not null,
  user_id text collate "C" not null,
  chat uuid not null,
  at timestamptz not null,
  primary key (account_id, user_id, chat)
);
create index chat_reads_at on chat_reads (at);

-- Messages of clients that nobody has answered, one row each: written with the message, deleted with the answer, or
-- after seven days.
create table unanswered (
  account_id bigint not null,
  chat uuid not null,
  message_id uuid not null,
  channel_id uuid not null,
  at timestamptz not null,
  primary key (account_id, chat, message_id)
) with (autovacuum_analyze_threshold = 2000000000);
create index unanswered_at on unanswered (at);

-- Accounts of which somebody has a page of chats open, or had recently: their event log has events of the kind `live`
-- from `since` on, without a gap, until `until`.
create table live_accounts (
  account_id bigint primary key,
  since bigint not null,
  until timestamptz not null
) with (fillfactor = 50);

-- Texts that the employees of an account send often, by a short name.
create table canned_answers (
  account_id bigint not null references accounts,
  id uuid not null,
  name text not null,
  -- The name in the form in which names are compared: NFC, lower case.
  name_key text not null,
  text text not null,
  -- Grows with every change.
  version integer not null default 1,
  primary key (account_id, id)
);
create unique index canned_answers_name on canned_answers (account_id, name_key collate "C");

-- Changes of groups that were published, by the messenger's ids, so that repeated reports publish nothing. Kept for 30
-- days; no messenger repeats anything later.
create table group_changes (
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  external_id text not null,
  reported_at timestamptz not null default now(),
  primary key (account_id, channel_id, chat, external_id)
);
create index group_changes_reported_at on group_changes (reported_at);

-- The last change of each person's membership in a group, because some messengers report it in two ways. Kept for 30
-- days.
create table group_members (
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  person text not null,
  change text not null check (change in ('added', 'removed', 'left', 'promoted', 'demoted')),
  -- When it happened, according to the messenger.
  at timestamptz not null,
  reported_at timestamptz not null default now(),
  primary key (account_id, channel_id, chat, person)
) with (fillfactor = 80);
create index group_members_reported_at on group_members (reported_at);
