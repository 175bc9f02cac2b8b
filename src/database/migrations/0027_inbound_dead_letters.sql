-- What messengers reported and could not be read or stored. Operators list, replay and remove it.
create table inbound_dead_letters (
  account_id bigint not null,
  id bigint generated always as identity,
  channel_id uuid not null,
  -- SHA-256 of stage and payload: a report that is repeated stays one row.
  digest bytea not null,
  -- 'payload': as the messenger sent it, and could not be read. 'event': was read, and could not be stored.
  stage text not null check (stage in ('payload', 'event')),
  -- JSON, as text: jsonb would refuse some of what has to be kept.
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
