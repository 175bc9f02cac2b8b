-- What sessions keep by family and id: keys of encryption, and what arrived but is not stored yet. Sealed.
create table channel_vault (
  account_id bigint not null,
  channel_id uuid not null,
  family text not null,
  id text not null,
  value bytea not null,
  primary key (account_id, channel_id, family, id)
) with (fillfactor = 80);

-- What a request asks of a channel's live session, on whichever node that is; sealed, and gone once answered.
create table session_requests (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  request bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index session_requests_waiting on session_requests (channel_id) where answer is null;
create index session_requests_created on session_requests (created_at);
