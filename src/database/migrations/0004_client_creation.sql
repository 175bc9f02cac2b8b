-- Contacts and deals that the CRM is asked to create.

-- A receiver gets these requests through a lane of their own: nobody else waits for a CRM that is slow to create.
alter table webhook_endpoints add column creation_lane uuid not null default gen_random_uuid();

-- One row for each client whose contact, then deal, the CRM has been asked for and has not given yet. Whoever adds
-- the row asks; the CRM's answer, stored as contact or deal, ends it.
create table client_creations (
  account_id bigint not null references accounts,
  chat_type text not null,
  chat_id text not null,
  -- Stands in events.chat of the requests.
  id uuid not null,
  channel_id uuid not null,
  chat uuid not null,
  -- What it is asked for at the moment.
  entity text not null check (entity in ('contact', 'deal')),
  asked_at timestamptz not null default now(),
  primary key (account_id, chat_type, chat_id)
);
create unique index client_creations_id on client_creations (account_id, id);
