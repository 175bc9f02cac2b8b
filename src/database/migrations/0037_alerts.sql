-- expand
-- Problems that operators are told of (`core/alert`): a row lives until each target knows of the end of its problem.
-- Account 0: the installation. Written by the leader of the upkeep only.
create table alerts (
  kind text not null,
  account_id bigint not null,
  subject text not null,
  -- As last seen: what the notification says.
  facts json not null,
  since timestamptz not null,
  ended_at timestamptz,
  -- Targets that were told of the problem, and of its end.
  told text[] not null default '{}',
  told_end text[] not null default '{}',
  told_at timestamptz,
  primary key (account_id, kind, subject)
);

-- The last notification to each target, and its failure.
create table alert_targets (
  target text primary key,
  sent_at timestamptz,
  tried_at timestamptz not null,
  failure text
);
