-- expand
-- What the CRM tells us: employees, contacts, deals and pipelines, and how new clients are assigned. Ids are the CRM's
-- own. They are compared by bytes, so that pages are the same on every server.

-- Employees.
create table crm_users (
  account_id bigint not null references accounts,
  id text collate "C" not null,
  name text not null,
  phone text,
  -- Set by the account's owner; loading the employees again keeps it.
  gets_new_clients boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

create table contacts (
  account_id bigint not null references accounts,
  id text collate "C" not null,
  -- May name an employee who is not loaded, or not yet.
  responsible_user_id text collate "C" not null,
  name text not null,
  uri text,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The chats of a contact, in the CRM's order: by chat id, or by username or phone if the CRM does not know the id.
create table contact_chats (
  account_id bigint not null,
  contact_id text collate "C" not null,
  position integer not null,
  chat_type text not null,
  chat_id text,
  username text,
  phone text,
  primary key (account_id, contact_id, position),
  foreign key (account_id, contact_id) references contacts on delete cascade
);
create index contact_chats_chat_id on contact_chats (account_id, chat_type, chat_id) where chat_id is not null;
create index contact_chats_username on contact_chats (account_id, chat_type, lower(username))
  where chat_id is null and username is not null;
create index contact_chats_phone on contact_chats (account_id, chat_type, phone)
  where chat_id is null and phone is not null;

create table deals (
  account_id bigint not null references accounts,
  id text collate "C" not null,
  responsible_user_id text collate "C" not null,
  name text not null,
  uri text,
  closed boolean not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The contacts of a deal, in the CRM's order. A contact may not be loaded, or not yet.
create table deal_contacts (
  account_id bigint not null,
  deal_id text collate "C" not null,
  position integer not null,
  contact_id text collate "C" not null,
  primary key (account_id, deal_id, position),
  foreign key (account_id, deal_id) references deals on delete cascade
);
create index deal_contacts_contact on deal_contacts (account_id, contact_id);

create table pipelines (
  account_id bigint not null references accounts,
  -- In the CRM's order.
  position integer not null,
  id text collate "C" not null,
  name text not null,
  -- [{id, name}], in order.
  stages jsonb not null,
  primary key (account_id, id)
);

create table crm_settings (
  account_id bigint primary key references accounts,
  -- first_respondent: a new client belongs to the first employee who answers; in_turn: to the next employee in order.
  new_clients text not null default 'nobody' check (new_clients in ('nobody', 'first_respondent', 'in_turn')),
  -- Where new deals begin.
  -- The employee who was assigned a client last.
  last_in_turn text collate "C"
);

-- Clients whose contact, then deal, the CRM was asked to create. The transaction that inserts the row publishes the
-- request; storing the CRM's answer as a contact or deal deletes it.
create table client_creations (
  account_id bigint not null references accounts,
  chat_type text not null,
  chat_id text not null,
  -- Stands in `events.chat` of the requests.
  id uuid not null,
  channel_id uuid not null,
  chat uuid not null,
  -- What it is asked for at present.
  entity text not null check (entity in ('contact', 'deal')),
  asked_at timestamptz not null default now(),
  primary key (account_id, chat_type, chat_id)
);
create unique index client_creations_id on client_creations (account_id, id);
