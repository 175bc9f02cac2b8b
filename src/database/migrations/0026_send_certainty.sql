-- Since when a request for the job may have had its effect: messengers that recognise repeated sends forget their ids.
alter table send_jobs add column unsure_since timestamptz;

-- When the person last wrote to the channel itself. Comments on its posts do not open a messenger's reply window.
alter table chats add column last_direct_at timestamptz;
update chats set last_direct_at = last_inbound_at where last_inbound_at is not null;
