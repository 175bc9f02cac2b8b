-- Whose file it is: open pages are told when its content has arrived.
alter table files add column message_id uuid;
