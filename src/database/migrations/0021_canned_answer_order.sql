-- expand
-- The place of a canned answer in lists; answers with the same place are sorted by name.
alter table canned_answers add column sort_order integer not null default 0;
