-- expand
-- Sign-in to the console at an OpenID Connect provider (`core/operator/provider-sign-in.ts`).

-- Issuer and subject of a person who signs in at the provider; null for one with a password.
alter table operators add column provider_id text;
-- tolerated: earlier nodes leave it null
create unique index operators_provider on operators (provider_id);

-- Sealed ID token, which the sign-out at the provider needs; null: none, or too large for an address.
alter table operator_sessions add column id_token bytea;

-- Made on the command line or at the first start: valid even where passwords are switched off.
alter table operator_links add column by_command boolean not null default false;

-- Returns from the provider: each state is taken once, over all nodes. Deleted by `operator/retention.ts`.
create table operator_returns (
  -- SHA-256 of the state.
  hash bytea primary key,
  expires_at timestamptz not null
);
create index operator_returns_expires on operator_returns (expires_at);
