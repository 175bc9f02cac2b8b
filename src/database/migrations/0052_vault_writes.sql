-- The last write to a channel's vault: one that is executed later, though it was made earlier, has no effect.
create table channel_vault_writes (
  account_id bigint not null,
  channel_id uuid not null,
  epoch bigint not null,
  number bigint not null,
  primary key (account_id, channel_id)
) with (fillfactor = 50);
