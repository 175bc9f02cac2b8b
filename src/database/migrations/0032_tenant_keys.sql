-- expand
-- The keys of these tables begin with the account, like those of all tenant tables (database/tenant-keys.ts).
-- tolerated: nothing was released before
alter table change_outcomes drop constraint change_outcomes_pkey;
-- tolerated: nothing was released before
alter table change_outcomes add primary key (account_id, job_id);
-- tolerated: nothing was released before
alter table forgotten_channels drop constraint forgotten_channels_pkey;
-- tolerated: nothing was released before
alter table forgotten_channels add primary key (account_id, channel_id);
-- tolerated: nothing was released before
drop index webhook_endpoints_id;
