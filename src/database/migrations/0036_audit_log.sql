-- Who changed what in an account or in the installation, and from where.
create table audit_log (
  id bigint generated always as identity primary key,
  -- Null: of the whole installation.
  account_id bigint,
  at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('operator', 'token', 'application', 'partner', 'page', 'service')),
  actor_id text not null,
  origin text not null,
  action text not null,
  subject text not null,
  details jsonb not null
);
create index audit_log_account on audit_log (account_id, id);
create index audit_log_at on audit_log using brin (at);
