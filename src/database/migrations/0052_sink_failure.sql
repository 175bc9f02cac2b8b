-- expand
-- Why the sink last accepted nothing, as a node reported it (core/delivery/sink). It stays when the sink works again.
alter table event_sink add column failure text, add column failed_at timestamptz;
