-- Partners, the accounts they make, their applications, and what OAuth gives to these.

-- Nine digits: where partners are counted beside accounts (requests a minute, idempotency keys) they never meet.
create table partners (
  id bigint primary key check (id between 100000000 and 999999999),
  -- In lower case.
  email text not null unique,
  name text not null,
  -- argon2id, in the PHC string format.
  password text not null,
  created_at timestamptz not null default now()
);

alter table accounts
  add column partner_id bigint references partners,
  add column lang text,
  add column currency text,
  add column country text,
  -- Hours from UTC.
  add column timezone double precision,
  -- Of the request that made it: its repetition finds the account instead of making another.
  add column operation_id uuid;
create index accounts_partner on accounts (partner_id) where partner_id is not null;
create unique index accounts_operation on accounts (operation_id) where operation_id is not null;

-- Wrong passwords by partner and address, and by address. Losing them in a crash costs little.
create unlogged table login_attempts (
  subject bytea not null,
  period bigint not null,
  attempts integer not null,
  primary key (subject, period)
);

create table oauth_clients (
  id uuid primary key,
  partner_id bigint not null references partners,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null default now()
);
create index oauth_clients_partner on oauth_clients (partner_id);

-- A family of tokens: what one grant gave, and all that came of it by refreshing. Without an account it is the
-- partner's own (a machine token).
create table oauth_grants (
  id uuid primary key,
  partner_id bigint not null references partners,
  account_id bigint references accounts,
  -- Null where no application asked: a machine token, or one exchanged for it.
  client_id uuid references oauth_clients,
  scope text[] not null,
  created_at timestamptz not null default now(),
  -- When its last token expires.
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index oauth_grants_expires on oauth_grants (expires_at);
create index oauth_grants_account on oauth_grants (account_id) where account_id is not null;

create table oauth_refresh_tokens (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (grant_id);
create index oauth_refresh_tokens_expires on oauth_refresh_tokens (expires_at);

create table oauth_machine_tokens (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  expires_at timestamptz not null
);
create index oauth_machine_tokens_grant on oauth_machine_tokens (grant_id);
create index oauth_machine_tokens_expires on oauth_machine_tokens (expires_at);

create table oauth_codes (
  hash bytea primary key,
  account_id bigint not null references accounts,
  client_id uuid not null references oauth_clients,
  redirect_uri text not null,
  scope text[] not null,
  -- SHA-256 of the verifier.
  challenge bytea not null,
  expires_at timestamptz not null,
  -- What it was redeemed for; set once.
  grant_id uuid references oauth_grants on delete cascade
);
create index oauth_codes_expires on oauth_codes (expires_at);
create index oauth_codes_grant on oauth_codes (grant_id) where grant_id is not null;

-- Access tokens of OAuth lie beside those that an operator issues, which never expire and may do everything.
alter table tokens
  add column expires_at timestamptz,
  add column grant_id uuid references oauth_grants on delete cascade,
  add column scope text[];
create index tokens_grant on tokens (grant_id) where grant_id is not null;
create index tokens_expires on tokens (expires_at) where expires_at is not null;
