-- expand
-- The message that an entry of a channel's log is about, and what a messenger said when it ended a channel's link.
alter table channel_log add column message_id uuid;
create index channel_log_message on channel_log (account_id, message_id, id) where message_id is not null;
alter table channel_states add column detail text;
