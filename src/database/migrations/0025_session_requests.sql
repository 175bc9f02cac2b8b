-- expand
-- Requests to sessions other than login steps.
alter table session_requests
  add column kind text not null default 'login',
  -- When the session's node began with it. Then it cannot be withdrawn, and no other node begins.
  add column taken_at timestamptz;

-- Creations of groups that were begun, so that none is begun twice. `answer`: what the client was told; null while that is
-- unknown. Deleted after two days, longer than a request may be repeated, and when creating certainly had no effect.
create table group_creations (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  answer jsonb,
  started_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index group_creations_started on group_creations (started_at);
