-- Events are a log, and receivers are positions in it.

drop table webhook_queue, webhook_lanes, webhook_parked, webhook_attempts, events;

-- Numbers events and attempts. The first number of a day is its number since 1970 times 2^32: so both tables are divided
-- by number, and a division is about a day. Whoever opens a day lets the sequence jump to it.
create sequence log_ids;

-- When the numbers jumped to those of a day: what has lower ones is older.
create table log_days (
  day integer primary key,
  opened_at timestamptz not null default now()
);

-- What happened, as a receiver is told. Written in the transaction of the change itself, under a lock of its account:
-- the ids of an account grow in the order of the commits.
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
-- From a message to its events. Not by account: what an account has is never to be found by that alone.
create index events_subject on events (subject);

-- Every request to a receiver.
create table webhook_attempts (
  account_id bigint not null,
  id bigint not null default nextval('log_ids'),
  endpoint_id uuid not null,
  delivery_id text not null,
  at timestamptz not null default now(),
  duration_ms integer not null,
  event_ids bigint[] not null,
  purpose text not null default 'delivery' check (purpose in ('delivery', 'replay', 'test')),
  -- Of the events in it, each once.
  kinds text[] not null default '{}',
  channels uuid[] not null default '{}',
  -- HTTP status, or null when no answer came; then `failure` says why.
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

-- How far a receiver is: one row for it, one for what its CRM is asked to create, and one for each chat that was set apart
-- around a refused item (`chat` set).
create table webhook_cursors (
  id uuid primary key,
  account_id bigint not null,
  endpoint_id uuid not null,
  chat uuid,
  -- The receiver has all of the log up to this event that it takes, but for what is in webhook_kept;
  position bigint not null,
  -- and these events behind it.
  taken bigint[] not null default '{}',
  -- Not worked on before.
  due timestamptz not null default now(),
  claim uuid,
  -- Counts the claims.
  turn bigint not null default 0,
  -- The batch under way: a repeat sends exactly the same items under the same id.
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

-- Which kinds a receiver takes of the events behind `since` and up to `until`. The last span is open.
create table webhook_spans (
  cursor_id uuid not null references webhook_cursors on delete cascade,
  since bigint not null,
  until bigint not null default 9007199254740991,
  kinds text[] not null,
  primary key (cursor_id, since)
);

-- Events that wait beside the log: those of a chat that was set apart, and old ones of a receiver that is paused.
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

-- What could not be delivered within the schedule. Nothing is dropped.
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

-- The first division holds whatever is imported from before; the following ones are opened day by day.
do $$
declare
  today constant bigint := floor(extract(epoch from now()) / 86400);
  log text;
begin
  foreach log in array array['events', 'webhook_attempts'] loop
    execute format('create table %I partition of %I for values from (minvalue) to (%s)',
                   log || '_d' || today, log, (today + 1) << 32);
  end loop;
  perform setval('log_ids', today << 32);
end $$;

insert into webhook_cursors (id, account_id, endpoint_id, position)
select c.id, e.account_id, e.id, (select last_value from log_ids)
from webhook_endpoints e cross join lateral (values (e.id), (e.creation_lane)) c (id) where e.kinds <> '{}';
insert into webhook_spans (cursor_id, since, kinds)
select c.id, c.position, array(
  select k from unnest(e.kinds) k
  where (k in ('createContact', 'createDeal', 'crm_entities.contact_add', 'crm_entities.deal_add')) = (c.id <> e.id) order by k)
from webhook_cursors c join webhook_endpoints e on e.account_id = c.account_id and e.id = c.endpoint_id;
