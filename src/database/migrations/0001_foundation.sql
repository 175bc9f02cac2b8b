-- Accounts, tokens, nodes, channels, chats, messages, send lanes, events, webhook lanes, files.
-- Keys of tenant tables begin with the account, so that tables can be divided by it later.

create table accounts (
  id bigint primary key check (id between 10000000 and 99999999),
  name text not null,
  created_at timestamptz not null default now()
);

create table tokens (
  hash bytea primary key,
  account_id bigint not null references accounts,
  id uuid not null unique,
  kind text not null check (kind in ('access', 'api', 'sidecar')),
  hint text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index tokens_account on tokens (account_id);

-- What an installation remembers of itself (fingerprint of the key, whether the first start was announced).
create table installation (
  key text primary key,
  value text not null
);

create table nodes (
  id uuid primary key,
  name text not null,
  roles text[] not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

create table channels (
  account_id bigint not null references accounts,
  id uuid not null,
  transport text not null,
  status text not null check (status in ('active', 'init', 'disabled')),
  reason text,
  unpaid boolean not null default false,
  messenger_id text,
  name text not null default '',
  phone text not null default '',
  username text not null default '',
  url text,
  tier text not null default 'TIER_0',
  tariff text,
  credentials bytea not null,
  owner uuid,
  epoch bigint not null default 0,
  created_at timestamptz not null default now(),
  status_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (account_id, id)
);
create unique index channels_id on channels (id);
create index channels_owner on channels (owner) where deleted_at is null;
-- One messenger account serves one live channel in the whole installation.
create unique index channels_one_link on channels (transport, messenger_id)
  where deleted_at is null and messenger_id is not null and status <> 'disabled';

create table channel_state (
  account_id bigint not null,
  channel_id uuid not null,
  key text not null,
  value bytea not null,
  primary key (account_id, channel_id, key)
);

-- Failed exchanges with messengers and notes of their connectors, redacted, for an operator.
create table channel_log (
  account_id bigint not null,
  channel_id uuid not null,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  level text not null,
  message text not null,
  details jsonb,
  primary key (account_id, channel_id, id)
);
create index channel_log_at on channel_log (at);

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
  last_inbound_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) with (fillfactor = 80);
create unique index chats_external on chats (account_id, channel_id, chat_type, chat_id);
create index chats_username on chats (account_id, channel_id, lower(username)) where username is not null;
create index chats_phone on chats (account_id, channel_id, phone) where phone is not null;

create table messages (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  chat uuid not null,
  direction text not null check (direction in ('in', 'out', 'echo')),
  type text not null,
  status text not null check (status in ('queued', 'inbound', 'sent', 'delivered', 'read', 'error')),
  text text,
  -- Outbound: attachment, template, keyboard, recipient as accepted. Inbound: place, vcard, pressed button.
  content jsonb,
  file_id uuid,
  quoted_id uuid,
  quoted jsonb,
  author_id text,
  author_name text,
  sender jsonb,
  crm_message_id text,
  external_id text,
  error jsonb,
  -- When the messenger says it was sent; our acceptance until then.
  sent_at timestamptz not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  old_info jsonb,
  primary key (account_id, id)
) with (fillfactor = 80);
create unique index messages_external on messages (account_id, chat, external_id) where external_id is not null;
create index messages_crm_id on messages (account_id, crm_message_id) where crm_message_id is not null;

-- Send lanes: one per chat, worked only by the node that owns the channel. `due = infinity`: nothing to do.
create table send_lanes (
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  due timestamptz not null,
  ver bigint not null default 1,
  primary key (chat)
) with (fillfactor = 60);
create index send_lanes_due on send_lanes (channel_id, due);

create table send_jobs (
  id bigint generated always as identity,
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  message_id uuid not null,
  kind text not null check (kind in ('send', 'edit', 'remove')),
  change jsonb,
  -- Set and committed before the request leaves: a job found with it after a crash has an unknown outcome.
  started_epoch bigint,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (chat, id)
) with (fillfactor = 60);

-- Outcome of an edit or removal, for the request that waits for it; swept after a day.
create table change_outcomes (
  account_id bigint not null,
  job_id bigint primary key,
  error jsonb,
  at timestamptz not null default now()
);
create index change_outcomes_at on change_outcomes (at);

create table webhook_endpoints (
  account_id bigint not null references accounts,
  id uuid not null,
  -- v3: the account's one receiver, with flags; v2: a subscription to one event.
  version text not null check (version in ('v3', 'v2')),
  url text not null,
  -- Kinds of events it takes, as in events.kind.
  kinds text[] not null,
  crm_key bytea,
  secret bytea not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index webhook_endpoints_v3 on webhook_endpoints (account_id) where version = 'v3';
create unique index webhook_endpoints_id on webhook_endpoints (id);

-- What happened, as a receiver is told. Written in the transaction of the change itself; kept for replay.
create table events (
  account_id bigint not null,
  id bigint generated always as identity,
  kind text not null,
  channel_id uuid,
  chat uuid,
  subject text not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index events_created on events using brin (created_at);

-- Webhook lanes: one per receiver, and one per chat that was isolated after a refused item (`chat` set).
create table webhook_lanes (
  id uuid primary key,
  account_id bigint not null,
  endpoint_id uuid not null,
  chat uuid,
  due timestamptz not null,
  ver bigint not null default 1,
  claim uuid,
  -- Counts the claims.
  turn bigint not null default 0,
  -- The batch under way: a repeat sends exactly the same items under the same id.
  batch_to bigint,
  attempts integer not null default 0,
  first_failed_at timestamptz,
  batch_limit integer not null default 500
) with (fillfactor = 60);
create index webhook_lanes_due on webhook_lanes (due);
create index webhook_lanes_endpoint on webhook_lanes (endpoint_id, chat);
create index webhook_lanes_claim on webhook_lanes (claim) where claim is not null;

create table webhook_queue (
  lane uuid not null,
  event_id bigint not null,
  account_id bigint not null,
  endpoint_id uuid not null,
  primary key (lane, event_id)
) with (fillfactor = 80);

-- What could not be delivered within the schedule. Nothing is dropped.
create table webhook_parked (
  account_id bigint not null,
  endpoint_id uuid not null,
  event_id bigint not null,
  parked_at timestamptz not null default now(),
  reason text not null,
  primary key (account_id, endpoint_id, event_id)
);

create table webhook_attempts (
  account_id bigint not null,
  id bigint generated always as identity,
  endpoint_id uuid not null,
  delivery_id text not null,
  at timestamptz not null default now(),
  duration_ms integer not null,
  event_ids bigint[] not null,
  -- HTTP status, or null when no answer came; then `failure` says why.
  status integer,
  failure text,
  answer text,
  primary key (account_id, id)
);
create index webhook_attempts_at on webhook_attempts (at);

create table files (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  -- Unguessable part of the public link.
  key text not null unique,
  name text,
  mime_type text,
  size bigint,
  state text not null check (state in ('waiting', 'stored', 'failed')),
  -- How the session finds it at the messenger.
  source jsonb not null,
  attempts integer not null default 0,
  due timestamptz not null default now(),
  failure text,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index files_waiting on files (channel_id, due) where state = 'waiting';

create table idempotency_keys (
  account_id bigint not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  -- Null while the first request is under way; `operation_id` makes its repetition harmless after a crash.
  status integer,
  answer text,
  operation_id uuid not null,
  created_at timestamptz not null default now(),
  locked_until timestamptz not null,
  primary key (account_id, route, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Counts requests per account and minute, over all nodes. Losing it in a crash costs nothing.
create unlogged table rate_counters (
  account_id bigint not null,
  minute bigint not null,
  requests integer not null,
  primary key (account_id, minute)
) with (fillfactor = 50);
