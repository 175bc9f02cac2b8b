-- Reports about messages whose id the messenger has not told us yet: a receipt may overtake the answer to the send.
create table early_reports (
  account_id bigint not null,
  id bigint not null generated always as identity,
  channel_id uuid not null,
  chat uuid not null,
  -- The messenger's id of the message; '' for a report about everything that was sent up to a time.
  external_id text not null,
  -- Encoded like the events of dead letters.
  event text not null,
  kept_at timestamptz not null default now(),
  primary key (account_id, id)
) with (autovacuum_analyze_threshold = 2000000000);
create index early_reports_chat on early_reports (chat);
create index early_reports_kept on early_reports (kept_at);
