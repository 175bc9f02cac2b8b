-- Templates of business APIs, and channels that a messenger names by its own ids.

-- What the channel has in common with others of its messenger, such as the business of several numbers.
alter table channels add column business_id text;
create index channels_messenger on channels (transport, messenger_id) where deleted_at is null and messenger_id is not null;
create index channels_business on channels (transport, business_id) where deleted_at is null and business_id is not null;

-- Messages approved beforehand. They belong to a business, so every channel of it can send them.
create table templates (
  account_id bigint not null,
  id uuid not null,
  transport text not null,
  business_id text not null,
  external_id text not null,
  name text not null,
  language text not null,
  category text not null,
  status text not null check (status in ('APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED')),
  -- Why it was refused, in the messenger's words.
  reason text,
  components jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (account_id, id)
);
create index templates_business on templates (business_id, account_id) where deleted_at is null;
create index templates_listed on templates (account_id, name, language, id) where deleted_at is null;
