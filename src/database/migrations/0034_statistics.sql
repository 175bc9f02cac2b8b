-- expand
-- Counts and times of what happened, for the console's charts. Each node adds what it counted in a minute to three
-- series: points of five minutes (kept for three hours), hours (three days) and days in UTC (100 days); deleted by
-- `core/statistics/retention.ts`. Account 0: the installation. `value` is a time in milliseconds or a depth.
create table statistics (
  account_id bigint not null,
  span_seconds int not null,
  kind text not null,
  at timestamptz not null,
  subject uuid not null,
  label text not null,
  count bigint not null,
  total float8 not null,
  peak float8 not null,
  primary key (account_id, span_seconds, kind, at, subject, label)
) with (fillfactor = 80);
create index statistics_at on statistics (span_seconds, at);
