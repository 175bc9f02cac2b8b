-- When the latest status of an outgoing message was learnt. Null until the first one.
alter table messages add column status_at timestamptz;
