-- Webhook delivery: v2 subscriptions, receivers that are paused, notices, a delivery log to search, replays.

alter table webhook_endpoints
  -- Null: as many as the installation's setting says.
  add column max_items integer check (max_items between 1 and 10000),
  add column concurrency integer not null default 1 check (concurrency between 1 and 16),
  -- Signs beside the present one until then.
  add column previous_secret bytea,
  add column previous_secret_until timestamptz,
  -- Of the first failure after the last success; null while all is well.
  add column failing_since timestamptz,
  add column failures integer not null default 0,
  -- Percent of the way to the pause that were told of last.
  add column noticed integer not null default 0,
  add column paused_at timestamptz,
  add column pause_reason text check (pause_reason in ('failing', 'asked'));
-- A v2 endpoint is one address, whatever number of events it is subscribed to: its events keep their order.
create unique index webhook_endpoints_v2 on webhook_endpoints (account_id, url) where version = 'v2';

create table webhook_subscriptions (
  account_id bigint not null,
  id uuid not null,
  endpoint_id uuid not null,
  event text not null,
  -- Not now(): those of one request keep their order.
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, id)
);
create unique index webhook_subscriptions_event on webhook_subscriptions (account_id, endpoint_id, event);

-- What the owner of a receiver should know.
create table webhook_notices (
  account_id bigint not null,
  id bigint generated always as identity,
  endpoint_id uuid not null,
  at timestamptz not null default now(),
  kind text not null check (kind in ('failing', 'paused', 'resumed', 'recovered', 'refused', 'parked')),
  text text not null,
  primary key (account_id, id)
);
create index webhook_notices_endpoint on webhook_notices (account_id, endpoint_id, id);
create index webhook_notices_at on webhook_notices (at);

alter table webhook_attempts
  add column purpose text not null default 'delivery' check (purpose in ('delivery', 'replay', 'test')),
  -- Of the events in it, each once.
  add column kinds text[] not null default '{}',
  add column channels uuid[] not null default '{}',
  -- Headers: ours without secrets, and the receiver's.
  add column sent jsonb,
  add column received jsonb;
create index webhook_attempts_account_at on webhook_attempts (account_id, at, id);
create index webhook_attempts_success on webhook_attempts (account_id, endpoint_id, at) where status between 200 and 299;

-- From a message to its events.
create index events_subject on events (account_id, subject);
create index webhook_lanes_account on webhook_lanes (account_id);
create index webhook_parked_event on webhook_parked (account_id, event_id);

-- Deliveries to be sent once more, in the order of `position`, by a node that claims the replay.
create table webhook_replays (
  account_id bigint not null,
  id uuid not null,
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  claim uuid,
  primary key (account_id, id)
);
create index webhook_replays_open on webhook_replays (requested_at) where finished_at is null;
create index webhook_replays_requested on webhook_replays (requested_at);

create table webhook_replay_items (
  account_id bigint not null,
  replay_id uuid not null,
  position integer not null,
  endpoint_id uuid not null,
  delivery_id text not null,
  event_ids bigint[] not null,
  -- Null until it was sent.
  at timestamptz,
  status integer,
  failure text,
  primary key (account_id, replay_id, position)
);
