-- expand
-- Accounts, the partners that create them, and what gives access to them. An account is a tenant. The keys of tenant
-- tables begin with the account, so that tables can be partitioned by it later.

-- Resellers. Ids have nine digits, those of accounts eight, so that both can be counted in the same tables (rate
-- limits, idempotency keys).
create table partners (
  id bigint primary key check (id between 100000000 and 999999999),
  -- In lower case.
  email text not null unique,
  name text not null,
  -- argon2id, in the PHC string format.
  password text not null,
  created_at timestamptz not null default now()
);

create table accounts (
  id bigint primary key check (id between 10000000 and 99999999),
  name text not null,
  partner_id bigint references partners,
  lang text,
  currency text,
  country text,
  -- Hours from UTC.
  timezone double precision,
  -- Origins that may show the account's pages in a frame; null: any.
  frame_origins text[],
  -- Of the request that created the account: a repeated request finds it instead of creating another one.
  operation_id uuid,
  created_at timestamptz not null default now()
);
create index accounts_partner on accounts (partner_id) where partner_id is not null;
create unique index accounts_operation on accounts (operation_id) where operation_id is not null;

-- What an account uses of its quotas, where counting would take long.
create table account_usage (
  account_id bigint primary key references accounts,
  file_bytes bigint not null default 0
);

-- Applications of partners.
create table oauth_clients (
  id uuid primary key,
  partner_id bigint not null references partners,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null default now()
);
create index oauth_clients_partner on oauth_clients (partner_id);

-- A family of tokens: those issued for one grant, and all that were obtained from them by refreshing. Deleted by the
-- upkeep after its last token expired; its tokens are deleted with it.
create table oauth_grants (
  id uuid primary key,
  partner_id bigint not null references partners,
  -- Null for the partner's own machine token.
  account_id bigint references accounts,
  -- Null for a machine token, and for one that was exchanged for it: no application asked.
  client_id uuid references oauth_clients,
  scope text[] not null,
  created_at timestamptz not null default now(),
  -- When its last token expires.
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index oauth_grants_expires on oauth_grants (expires_at);
create index oauth_grants_account on oauth_grants (account_id) where account_id is not null;

-- Access tokens, by their SHA-256: of OAuth, with a grant, a scope and an end; and those that an operator issues,
-- which allow everything and never expire.
create table tokens (
  hash bytea primary key,
  account_id bigint not null references accounts,
  id uuid not null unique,
  kind text not null check (kind in ('access', 'api', 'sidecar')),
  -- The last characters of the token, by which its owner recognises it.
  hint text not null,
  grant_id uuid references oauth_grants on delete cascade,
  scope text[],
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index tokens_account on tokens (account_id);
create index tokens_grant on tokens (grant_id) where grant_id is not null;
create index tokens_expires on tokens (expires_at) where expires_at is not null;

-- A used token is kept until it would have expired: using it again revokes its family.
create table oauth_refresh_tokens (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (grant_id);
create index oauth_refresh_tokens_expires on oauth_refresh_tokens (expires_at);

-- Tokens of partners, for programs that act for all their accounts.
create table oauth_machine_tokens (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  expires_at timestamptz not null
);
create index oauth_machine_tokens_grant on oauth_machine_tokens (grant_id);
create index oauth_machine_tokens_expires on oauth_machine_tokens (expires_at);

-- Authorisation codes.
create table oauth_codes (
  hash bytea primary key,
  account_id bigint not null references accounts,
  client_id uuid not null references oauth_clients,
  redirect_uri text not null,
  scope text[] not null,
  -- SHA-256 of the verifier (PKCE).
  challenge bytea not null,
  expires_at timestamptz not null,
  -- What the code was exchanged for; set once.
  grant_id uuid references oauth_grants on delete cascade
);
create index oauth_codes_expires on oauth_codes (expires_at);
create index oauth_codes_grant on oauth_codes (grant_id) where grant_id is not null;

-- Wrong passwords, by login and address, and by address. Losing them in a crash costs little.
create unlogged table login_attempts (
  subject bytea not null,
  -- Quarter hours since 1970.
  period bigint not null,
  attempts integer not null,
  primary key (subject, period)
);

-- Admission to one page, for one visit. The link contains the ticket itself, this table its hash.
create table page_tickets (
  account_id bigint not null references accounts,
  hash bytea primary key,
  page text not null check (page in ('channels', 'chats')),
  -- What the page is opened with.
  opening jsonb not null,
  -- The token that requested the link, and its grant: the session ends when either is revoked. Null for a link that an
  -- operator or the channel itself issued.
  token_id uuid,
  grant_id uuid,
  -- Once redeemed: the end of the session.
  expires_at timestamptz not null,
  redeemed_at timestamptz,
  -- Of the token of the session that the ticket was exchanged for.
  session_hash bytea unique,
  -- Channels that were created in the session. Besides that of its opening, it reaches no other.
  channels uuid[] not null default '{}'
);
create index page_tickets_expires on page_tickets (expires_at);

-- Responses to requests that a client may repeat; kept for a day.
create table idempotency_keys (
  account_id bigint not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  -- Null while the first request is being processed; `operation_id` makes repeating it harmless after a crash.
  status integer,
  answer text,
  operation_id uuid not null,
  created_at timestamptz not null default now(),
  locked_until timestamptz not null,
  primary key (account_id, route, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Requests per account and minute, of all nodes. Losing them in a crash costs nothing.
create unlogged table rate_counters (
  account_id bigint not null,
  minute bigint not null,
  requests integer not null,
  primary key (account_id, minute)
) with (fillfactor = 50);
