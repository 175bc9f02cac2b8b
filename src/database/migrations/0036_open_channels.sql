-- expand
-- The channels that a node should work on, by the node that does: finds those without one, and the nodes that have some,
-- without reading the channels of others.
create index channels_open on channels (owner, id) where deleted_at is null and status <> 'disabled';
