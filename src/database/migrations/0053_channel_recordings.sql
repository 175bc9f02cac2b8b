-- Channels all of whose exchanges with the messenger are recorded, at an operator's request, until a moment.
create table channel_recordings (
  account_id bigint not null,
  channel_id uuid not null,
  until timestamptz not null,
  primary key (account_id, channel_id)
);
create index channel_recordings_until on channel_recordings (until);
