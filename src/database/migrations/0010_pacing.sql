-- Care for accounts of persons: limits of single channels, first contacts, warnings of the messenger, notices.

-- When the channel was linked for the first time: its warm-up is counted from then.
alter table channels add column active_since timestamptz;
update channels set active_since = created_at where status = 'active' or messenger_id is not null;

create table channel_pacing (
  account_id bigint not null,
  channel_id uuid not null,
  -- Limits that were set in place of the transport's own.
  changes jsonb not null default '{}',
  -- The messenger's warning: nobody new is written to until then.
  held_until timestamptz,
  hold_reason text,
  -- The messenger asked the whole channel to wait until then.
  paused_until timestamptz,
  primary key (account_id, channel_id)
) with (fillfactor = 80);

-- Messages to people who never wrote, in the order in which they took their part of the allowance; kept for two days.
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

-- Why a lane rests and until when, as far as its channel's owner can foresee it.
alter table send_lanes add column held_by text;
alter table send_lanes add column held_until timestamptz;
