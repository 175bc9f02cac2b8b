-- The phone that holds the account has been offline for long: the channel still works, and will be unlinked soon.
alter table channels add column phone_unavailable boolean not null default false;
