-- expand
-- Our id of the message, where the messenger repeats it: the report waits for the outcomes of earlier sends of the chat.
alter table early_reports add column message_id uuid;
