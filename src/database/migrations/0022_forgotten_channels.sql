-- Channels that were deleted with their chats, whose messages are not all gone yet: the account's messages up to
-- `passed_to` were looked at.
create table forgotten_channels (
  channel_id uuid primary key,
  account_id bigint not null,
  passed_to uuid not null default '00000000-0000-0000-0000-000000000000'
);
