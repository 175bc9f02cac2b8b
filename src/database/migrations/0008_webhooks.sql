-- expand
-- The event log, its receivers, and how far each of them is.

-- Ids of events and of webhook attempts. The first id of a day is the number of days since 1970 times 2^32, so that
-- both tables are partitioned by id, and a partition holds about a day. Whoever opens a day advances the sequence to it.
create sequence log_ids;

-- Skips the ids that a lost primary may have drawn after its last commit that reached this server. Receivers know those
-- of events. Nodes know those of send jobs and of dead letters: they store the outcome of a lost send or replay after
-- the promotion, and would delete another job or letter with the same id. The ids of other tables are used only inside
-- the database and in its answers to readers. Every connection calls this function before its first statement, so no
-- row of a new timeline has such an id. The lock is LOG_DAY_LOCK of src/database/locks.ts: a concurrent setval would
-- undo this one.
create function skip_lost_ids() returns void language plpgsql as $$
begin
  if pg_is_in_recovery() or not exists (
    select from database_timeline where ids_timeline is distinct from current_timeline()) then return; end if;
  perform pg_advisory_xact_lock(92685394247685);
  update database_timeline set ids_timeline = current_timeline() where ids_timeline is distinct from current_timeline();
  if found then
    perform setval('log_ids', (select last_value + (1 << 24) from log_ids)),
      setval('send_jobs_id_seq', (select last_value + (1 << 24) from send_jobs_id_seq)),
      setval('inbound_dead_letters_id_seq', (select last_value + (1 << 24) from inbound_dead_letters_id_seq));
  end if;
end $$;

-- When the ids of a day began: rows with lower ids are older.
create table log_days (
  day integer primary key,
  opened_at timestamptz not null default now()
);

-- What happened, as receivers are told. Written in the transaction of the change, under a lock of its account: the ids
-- of an account grow in commit order.
create table events (
  account_id bigint not null,
  id bigint not null default nextval('log_ids'),
  kind text not null,
  channel_id uuid,
  chat uuid,
  subject text not null,
  body text not null,
  created_at timestamptz not null default now(),
  -- A receiver reads the kinds that it takes, each from its position on.
  primary key (account_id, kind, id)
) partition by range (id);
-- From a message to its events. Without the account: no index may find all rows of an account by the account alone.
create index events_subject on events (subject);

-- Every request to a receiver.
create table webhook_attempts (
  account_id bigint not null,
  id bigint not null default nextval('log_ids'),
  endpoint_id uuid not null,
  delivery_id text not null,
  at timestamptz not null default now(),
  duration_ms integer not null,
  purpose text not null default 'delivery' check (purpose in ('delivery', 'replay', 'test')),
  event_ids bigint[] not null,
  -- Of these events, each once.
  kinds text[] not null default '{}',
  channels uuid[] not null default '{}',
  -- HTTP status; null without a response, and then `failure` says why.
  status integer,
  failure text,
  answer text,
  -- Headers: ours without secrets, and the receiver's.
  sent jsonb,
  received jsonb,
  primary key (account_id, id)
) partition by range (id);
create index webhook_attempts_account_at on webhook_attempts (account_id, at, id);
create index webhook_attempts_success on webhook_attempts (account_id, endpoint_id, at) where status between 200 and 299;

-- The first partition holds today and whatever is imported from before. The upkeep opens the following ones with the
-- same setting (core/event/log-days.ts, which gives its reason).
-- tolerated: the tables are new
do $$
declare
  today constant bigint := floor(extract(epoch from now()) / 86400);
  log text;
begin
  foreach log in array array['events', 'webhook_attempts'] loop
    execute format('create table %I partition of %I for values from (minvalue) to (%s)
                    with (autovacuum_analyze_threshold = 2000000000)',
                   log || '_d' || today, log, (today + 1) << 32);
  end loop;
  perform setval('log_ids', today << 32);
end $$;

-- Receivers. v3: the account's single one. v2: one per URL, whatever number of events it is subscribed to, so that its
-- events keep their order.
create table webhook_endpoints (
  account_id bigint not null references accounts,
  id uuid not null,
  version text not null check (version in ('v3', 'v2')),
  -- '' once an application lost it with its grant.
  url text not null,
  -- Of v2: the application that it belongs to. Both are null for the account's owner; only the client is null for a
  -- partner's own tokens.
  partner_id bigint references partners,
  client_id uuid references oauth_clients,
  -- Kinds of events that it takes, as in `events.kind`.
  kinds text[] not null,
  settings jsonb not null default '{}',
  -- Null: as many as the setting of the installation.
  max_items integer check (max_items between 1 and 10000),
  concurrency integer not null default 1 check (concurrency between 1 and 16),
  -- The cursor of requests to create something. Apart from all others, so that a CRM that is slow to create delays
  -- nothing else.
  creation_lane uuid not null default gen_random_uuid(),
  -- Sealed, like the secrets.
  crm_key bytea,
  secret bytea not null,
  -- Signs beside the present one until then.
  previous_secret bytea,
  previous_secret_until timestamptz,
  -- When the first failure after the last success was; null if the last attempt succeeded.
  failing_since timestamptz,
  failures integer not null default 0,
  -- Percent of the time until the pause of which the owner was last notified.
  noticed integer not null default 0,
  paused_at timestamptz,
  pause_reason text check (pause_reason in ('failing', 'asked')),
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  check (client_id is null or partner_id is not null)
);
create unique index webhook_endpoints_id on webhook_endpoints (id);
create unique index webhook_endpoints_v3 on webhook_endpoints (account_id) where version = 'v3';
create unique index webhook_endpoints_v2 on webhook_endpoints (account_id, url, partner_id, client_id) nulls not distinct
  where version = 'v2' and url <> '';
create index webhook_endpoints_partner on webhook_endpoints (account_id) where partner_id is not null;

-- Subscriptions of v2: one event each.
create table webhook_subscriptions (
  account_id bigint not null,
  id uuid not null,
  endpoint_id uuid not null,
  event text not null,
  -- Not now(), so that the subscriptions of one request keep their order.
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, id)
);
create unique index webhook_subscriptions_event on webhook_subscriptions (account_id, endpoint_id, event);

-- Positions in the event log: one for each receiver, one for what its CRM is asked to create, and one for each chat that
-- was isolated because of a refused item (`chat` set).
create table webhook_cursors (
  id uuid primary key,
  account_id bigint not null,
  endpoint_id uuid not null,
  chat uuid,
  -- The receiver has all events up to here that it takes, except those in `webhook_kept`,
  position bigint not null,
  -- and these events after it.
  taken bigint[] not null default '{}',
  -- Not claimed before then.
  due timestamptz not null default now(),
  -- The node that delivers, and the number of claims.
  claim uuid,
  claim_version bigint not null default 0,
  -- The pending batch: a repeated attempt sends exactly the same items under the same id.
  batch_to bigint,
  attempts integer not null default 0,
  first_failed_at timestamptz,
  batch_limit integer not null default 500
) with (fillfactor = 60, autovacuum_analyze_threshold = 2000000000);
create index webhook_cursors_account on webhook_cursors (account_id);
create index webhook_cursors_endpoint on webhook_cursors (endpoint_id, chat);
create index webhook_cursors_due on webhook_cursors (due);
create index webhook_cursors_failed on webhook_cursors (due) where attempts > 0;
create index webhook_cursors_claim on webhook_cursors (claim) where claim is not null;

-- The kinds that a receiver takes of the events after `since` and up to `until`. The last span is open. Deleted by the
-- upkeep once the cursor has passed it.
create table webhook_spans (
  cursor_id uuid not null references webhook_cursors on delete cascade,
  since bigint not null,
  until bigint not null default 9007199254740991,
  kinds text[] not null,
  primary key (cursor_id, since)
);

-- Events that wait outside the log: those of an isolated chat, and old ones of a paused receiver.
create table webhook_kept (
  cursor_id uuid not null references webhook_cursors on delete cascade,
  event_id bigint not null,
  account_id bigint not null,
  kind text not null,
  channel_id uuid,
  chat uuid,
  subject text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (cursor_id, event_id)
) with (autovacuum_analyze_threshold = 2000000000);

-- Events that could not be delivered within the whole schedule. Nothing is dropped.
create table webhook_parked (
  account_id bigint not null,
  endpoint_id uuid not null,
  event_id bigint not null,
  kind text not null,
  channel_id uuid,
  chat uuid,
  subject text not null,
  body text not null,
  created_at timestamptz not null,
  parked_at timestamptz not null default now(),
  reason text not null,
  primary key (account_id, endpoint_id, event_id)
);
create index webhook_parked_event on webhook_parked (account_id, event_id);

-- What the owner of a receiver should know; kept as long as events.
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

-- Requests to repeat deliveries; kept as long as events.
create table webhook_replays (
  account_id bigint not null,
  id uuid not null,
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  -- The node that works on it.
  claim uuid,
  primary key (account_id, id)
);
create index webhook_replays_open on webhook_replays (requested_at) where finished_at is null;
create index webhook_replays_requested on webhook_replays (requested_at);

-- The deliveries of a replay, in the order of `position`.
create table webhook_replay_items (
  account_id bigint not null,
  replay_id uuid not null,
  position integer not null,
  endpoint_id uuid not null,
  delivery_id text not null,
  event_ids bigint[] not null,
  -- When it was sent; null before.
  at timestamptz,
  status integer,
  failure text,
  primary key (account_id, replay_id, position)
);
