-- expand
-- Channels, the state of their sessions, and what they report about themselves.

create table channels (
  account_id bigint not null references accounts,
  id uuid not null,
  transport text not null,
  status text not null check (status in ('active', 'init', 'disabled')),
  reason text,
  unpaid boolean not null default false,
  -- The phone that holds the account has been offline for long: the channel still works, and will be unlinked soon.
  phone_unavailable boolean not null default false,

  -- The account of the messenger.
  messenger_id text,
  -- What channels of one business have in common, such as the id that owns several numbers.
  business_id text,
  name text not null default '',
  phone text not null default '',
  username text not null default '',
  url text,
  tier text not null default 'TIER_0',
  tariff text,
  -- Sealed.
  credentials bytea not null,

  -- What a page shows for the pending login step, also if it is opened after the step began: the QR code as a data URI,
  -- or the hint for the two-factor password.
  password_hint text,
  qr text,
  qr_expires_at timestamptz,

  -- The node that works on the channel. `epoch` grows with each new owner; writes on behalf of a channel check both.
  owner uuid,
  epoch bigint not null default 0,

  created_at timestamptz not null default now(),
  status_at timestamptz not null default now(),
  -- When it was first linked: the warm-up begins then.
  active_since timestamptz,
  deleted_at timestamptz,
  -- The owner of a deleted channel unlinks it from the messenger and deletes its keys, at the latest by then. Null
  -- before the deletion, and after this is done.
  leaving_until timestamptz,
  primary key (account_id, id)
);
create unique index channels_id on channels (id);
-- One messenger account serves one live channel in the whole installation.
create unique index channels_one_link on channels (transport, messenger_id)
  where deleted_at is null and messenger_id is not null and status <> 'disabled';
create index channels_messenger on channels (transport, messenger_id)
  where deleted_at is null and messenger_id is not null;
create index channels_business on channels (transport, business_id)
  where deleted_at is null and business_id is not null;
-- Rows of deleted channels stay, so indexes for frequent reads exclude them.
create index channels_owner on channels (owner, id) where owner is not null;
create index channels_live on channels (id) where deleted_at is null;
create index channels_live_of_account on channels (account_id) where deleted_at is null;
create index channels_leaving on channels (id) where leaving_until is not null;

-- The history of each channel's status; kept for 30 days. Written by a trigger, since several statements change it.
create table channel_states (
  account_id bigint not null,
  channel_id uuid not null,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  status text not null,
  reason text,
  primary key (account_id, channel_id, id)
);
create index channel_states_at on channel_states (at);

create function remember_channel_state() returns trigger language plpgsql as $$
begin
  insert into channel_states (account_id, channel_id, status, reason)
  values (new.account_id, new.id, new.status, new.reason);
  return null;
end $$;
create trigger channel_state_begins after insert on channels
  for each row execute function remember_channel_state();
create trigger channel_state_changes after update of status, reason on channels
  for each row when (old.status <> new.status or old.reason is distinct from new.reason)
  execute function remember_channel_state();

-- What a session stores between two runs, by key. Sealed; deleted when a deleted channel has been unlinked.
create table channel_state (
  account_id bigint not null,
  channel_id uuid not null,
  key text not null,
  value bytea not null,
  primary key (account_id, channel_id, key)
);

-- What a session stores by family and id: encryption keys, and what was received but is not recorded yet. Sealed;
-- deleted when a deleted channel has been unlinked.
create table channel_vault (
  account_id bigint not null,
  channel_id uuid not null,
  family text not null,
  id text not null,
  value bytea not null,
  primary key (account_id, channel_id, family, id)
) with (fillfactor = 80);

-- The last write to a channel's vault. A write with a lower number that is executed later has no effect.
create table channel_vault_writes (
  account_id bigint not null,
  channel_id uuid not null,
  epoch bigint not null,
  number bigint not null,
  primary key (account_id, channel_id)
) with (fillfactor = 50);

-- Requests to a channel's open session, on whichever node it is. Sealed; deleted with the answer.
create table session_requests (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  request bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index session_requests_waiting on session_requests (channel_id) where answer is null;
create index session_requests_created on session_requests (created_at);

-- Visits of pages on which a channel is linked that does not exist yet. The visit's id becomes the channel's.
create table connect_visits (
  id uuid primary key,
  account_id bigint not null,
  transport text not null,
  -- What the page needs in its next request. Sealed.
  state bytea,
  expires_at timestamptz not null
);
create index connect_visits_expire on connect_visits (expires_at);

-- Which of several channels that share one application of a messenger a report belongs to. Read before the account is
-- known.
create table app_bindings (
  transport text not null,
  key text not null,
  account_id bigint not null,
  channel_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (transport, key)
);
create index app_bindings_channel on app_bindings (channel_id);

-- Rate limits of single channels.
create table channel_pacing (
  account_id bigint not null,
  channel_id uuid not null,
  -- Limits that replace those of the transport.
  changes jsonb not null default '{}',
  -- After a warning of the messenger: no first contacts until then.
  held_until timestamptz,
  hold_reason text,
  -- The messenger asked the whole channel to wait until then.
  paused_until timestamptz,
  -- An operator stopped the channel's sending.
  stopped_at timestamptz,
  primary key (account_id, channel_id)
) with (fillfactor = 80);

-- Messages to people who have never written, in the order in which they were counted against the allowance; kept for
-- two days.
create table first_contacts (
  account_id bigint not null,
  channel_id uuid not null,
  message_id uuid not null,
  at timestamptz not null default now(),
  primary key (account_id, channel_id, message_id)
);
create index first_contacts_recent on first_contacts (account_id, channel_id, at);
create index first_contacts_at on first_contacts (at);

-- What the owner of a channel should know; kept for 30 days.
create table channel_notices (
  account_id bigint not null,
  channel_id uuid not null,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  kind text not null,
  text text not null,
  primary key (account_id, channel_id, id)
);
create index channel_notices_at on channel_notices (at);

-- For operators: failed requests to messengers, and notes of connectors, redacted; kept for seven days.
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

-- Channels whose whole traffic with the messenger is recorded in `channel_log`, at an operator's request, until then.
create table channel_recordings (
  account_id bigint not null,
  channel_id uuid not null,
  until timestamptz not null,
  primary key (account_id, channel_id)
);
create index channel_recordings_until on channel_recordings (until);

-- Reports of messengers that could not be parsed or stored. Operators list, replay and delete them; kept for 30 days.
create table inbound_dead_letters (
  account_id bigint not null,
  id bigint generated always as identity,
  channel_id uuid not null,
  -- SHA-256 of stage and payload: a repeated report stays one row.
  digest bytea not null,
  -- payload: as the messenger sent it, could not be parsed. event: was parsed, could not be stored.
  stage text not null check (stage in ('payload', 'event')),
  -- JSON as text, because jsonb rejects some of what has to be kept.
  payload text not null,
  reason text not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  times int not null default 1,
  -- An operator asked for a replay that has not been tried yet.
  replay_requested_at timestamptz,
  primary key (account_id, id),
  unique (account_id, channel_id, digest)
);
create index inbound_dead_letters_to_replay on inbound_dead_letters (channel_id) where replay_requested_at is not null;
create index inbound_dead_letters_by_age on inbound_dead_letters (last_at);
create index inbound_dead_letters_by_channel on inbound_dead_letters (account_id, channel_id, last_at, id);

-- Channels that were deleted with their chats and whose messages are not all deleted yet. The messages of the account up
-- to `passed_to` have been examined.
create table forgotten_channels (
  channel_id uuid primary key,
  account_id bigint not null,
  passed_to uuid not null default '00000000-0000-0000-0000-000000000000',
  deleted_at timestamptz not null default now(),
  due timestamptz not null default now(),
  -- A second pass deletes what was being accepted or received during the deletion.
  is_second_pass boolean not null default false
);

-- Messages that a messenger approved in advance. They belong to a business: every channel of it can send them.
create table templates (
  account_id bigint not null,
  id uuid not null,
  transport text not null,
  business_id text not null,
  external_id text not null,
  name text not null,
  language text not null,
  category text not null,
  status text not null check (status in ('APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED')),
  -- The messenger's reason for a rejection.
  reason text,
  components jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (account_id, id)
);
create index templates_business on templates (business_id, account_id) where deleted_at is null;
create index templates_listed on templates (account_id, name, language, id) where deleted_at is null;
