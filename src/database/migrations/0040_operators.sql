-- People who sign in to the console.
create table operators (
  id uuid primary key,
  -- What they sign in with, in lower case.
  login text not null unique,
  -- operator: the whole installation; admin: one account; viewer: reads, one account or all.
  role text not null check (role in ('operator', 'admin', 'viewer')),
  account_id bigint references accounts,
  -- argon2id, in the PHC string format.
  password text not null,
  -- Sealed key of the second factor; the pending one becomes it with its first right code.
  totp_key bytea,
  totp_pending_key bytea,
  -- Time step of the last code that was accepted: a code counts once.
  totp_step bigint,
  created_at timestamptz not null default now(),
  signed_in_at timestamptz,
  check (role = 'viewer' or (role = 'admin') = (account_id is not null))
);

-- One-time links: to become an operator, or to set a new password.
create table operator_links (
  hash bytea primary key,
  -- first: serves as long as there is no operator at all.
  purpose text not null check (purpose in ('first', 'invite', 'reset')),
  role text not null,
  account_id bigint references accounts,
  operator_id uuid references operators on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check ((purpose = 'reset') = (operator_id is not null))
);
create index operator_links_expires on operator_links (expires_at);

create table operator_sessions (
  id uuid primary key,
  operator_id uuid not null references operators on delete cascade,
  -- SHA-256 of what the cookie holds.
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  -- Of the last request that a person caused, exact to a minute.
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  address text not null,
  agent text not null
);
create index operator_sessions_operator on operator_sessions (operator_id);
create index operator_sessions_expires on operator_sessions (expires_at);

alter table audit_log drop constraint audit_log_actor_kind_check;
alter table audit_log add constraint audit_log_actor_kind_check
  check (actor_kind in ('operator', 'console', 'token', 'application', 'partner', 'page', 'service'));

-- What a channel's status has been. Written by a trigger, since several statements change it.
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
insert into channel_states (account_id, channel_id, at, status, reason)
select account_id, id, status_at, status, reason from channels where deleted_at is null;

-- An operator stopped the channel's sending.
alter table channel_pacing add column stopped_at timestamptz;
