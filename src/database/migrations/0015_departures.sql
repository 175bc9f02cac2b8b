-- A deleted channel is taken off its messenger, and its keys are forgotten, by the node that owns it: until it is done,
-- or until then. Null for a channel that lives, and for one that is gone.
alter table channels add column leaving_until timestamptz;
create index channels_leaving on channels (id) where leaving_until is not null;

-- What earlier releases left behind.
update channels c set leaving_until = now() + interval '1 day'
where deleted_at is not null and (
  owner is not null
  or exists (select 1 from channel_vault v where v.account_id = c.account_id and v.channel_id = c.id)
  or exists (select 1 from channel_state s where s.account_id = c.account_id and s.channel_id = c.id)
);
