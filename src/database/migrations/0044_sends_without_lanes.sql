-- A send is one row. Its channel's owner keeps the order of the chats in memory and reads a chat's jobs from the first.
drop table send_lanes;

alter table send_jobs drop constraint send_jobs_pkey;
drop index send_jobs_account;
alter table send_jobs add primary key (account_id, channel_id, chat, id);

-- Of the first job of a chat that rests: until when, and what it waits for.
alter table send_jobs add column not_before timestamptz;
alter table send_jobs add column held_by text;
