-- Old events are found by their age. Of an index by ranges of blocks nothing is left once the places of forgotten events
-- are used again: every range holds old and new ones, and the whole table was read each minute.
drop index events_created;
create index events_created on events (created_at, id);
