-- expand
-- The number of the last migration that the node's release knows. A contract waits until no node lives that does not know
-- the expand before it.
alter table nodes add column schema_version integer not null default 0;
