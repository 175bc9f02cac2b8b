-- expand
-- Numbers that clients asked about and that the owner of the channel has not looked up yet (core/phone). Deleted with the
-- result, or after a week without one.
create table phone_checks (
  account_id bigint not null,
  channel_id uuid not null,
  phone text not null,
  -- The request; a number may be in several.
  check_id uuid not null,
  id bigint generated always as identity,
  requested_at timestamptz not null default now(),
  -- Not before this time: the pace of the channel.
  due timestamptz not null default now(),
  attempts int not null default 0,
  primary key (account_id, channel_id, phone, check_id)
);
create index phone_checks_order on phone_checks (channel_id, id);
create index phone_checks_due on phone_checks (due);
create index phone_checks_requested on phone_checks (requested_at);

-- Lookups of numbers at the messenger: their results, and their times, by which further ones are paced. Kept for 30 days.
create table phone_lookups (
  account_id bigint not null,
  channel_id uuid not null,
  phone text not null,
  -- Stored before the request: a crash must not make lookups faster than the pace.
  at timestamptz not null default now(),
  -- Null: there is no result.
  is_found boolean,
  chat_id text,
  username text,
  primary key (account_id, channel_id, phone)
);
create index phone_lookups_recent on phone_lookups (account_id, channel_id, at);
create index phone_lookups_at on phone_lookups (at);
