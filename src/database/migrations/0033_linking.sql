-- Pages on which channels are linked that do not exist yet: the visit's id becomes the channel's.
create table connect_visits (
  id uuid primary key,
  account_id bigint not null,
  transport text not null,
  -- What the page keeps between two requests, sealed.
  state bytea,
  expires_at timestamptz not null
);
create index connect_visits_expire on connect_visits (expires_at);

-- What belongs to which channel where several share one account of a messenger. Looked up before the tenant is known.
create table app_bindings (
  transport text not null,
  key text not null,
  account_id bigint not null,
  channel_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (transport, key)
);
create index app_bindings_channel on app_bindings (channel_id);
