-- expand
-- Whether a row is an edit or deletion that arrived before its message.
alter table early_reports add column is_change boolean not null default false;
