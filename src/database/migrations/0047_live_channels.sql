-- Deleted channels stay, as rows that nobody looks for: what is read again and again is found by indexes without them.
drop index channels_owner;
create index channels_owner on channels (owner, id) where owner is not null;
create index channels_live on channels (id) where deleted_at is null;
create index channels_live_of_account on channels (account_id) where deleted_at is null;
