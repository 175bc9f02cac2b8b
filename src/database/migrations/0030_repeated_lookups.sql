-- expand
-- The earlier lookups of the same number within a day: each counts for the pace.
alter table phone_lookups add column earlier timestamptz[] not null default '{}';
