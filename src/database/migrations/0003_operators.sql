-- expand
-- People who run the installation, and the log of what was changed.

create table operators (
  id uuid primary key,
  -- In lower case.
  login text not null unique,
  -- operator: the whole installation; admin: one account; viewer: reads, one account or all.
  role text not null check (role in ('operator', 'admin', 'viewer')),
  account_id bigint references accounts,
  -- argon2id, in the PHC string format.
  password text not null,
  -- Sealed key of the second factor. The pending one replaces it with its first correct code.
  totp_key bytea,
  totp_pending_key bytea,
  -- Time step of the last accepted code: a code is accepted once.
  totp_step bigint,
  created_at timestamptz not null default now(),
  signed_in_at timestamptz,
  check (role = 'viewer' or (role = 'admin') = (account_id is not null))
);

-- One-time links: to become an operator, or to set a new password.
create table operator_links (
  hash bytea primary key,
  -- first: valid as long as there is no operator at all.
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
  -- SHA-256 of the cookie's value.
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

-- Who changed what, and from where; kept for AUDIT_RETENTION_DAYS.
create table audit_log (
  id bigint generated always as identity primary key,
  -- Null: the change concerns the whole installation.
  account_id bigint,
  at timestamptz not null default now(),
  actor_kind text not null
    check (actor_kind in ('operator', 'console', 'token', 'application', 'partner', 'page', 'service')),
  actor_id text not null,
  origin text not null,
  action text not null,
  subject text not null,
  details jsonb not null
);
create index audit_log_account on audit_log (account_id, id);
create index audit_log_at on audit_log using brin (at);
