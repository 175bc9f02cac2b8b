-- Employees, contacts, deals and pipelines of the CRM, how new clients are assigned, messages that wait for an answer.
-- Ids are the CRM's own; they sort by their bytes, so that pages are the same on every server.

create table crm_users (
  account_id bigint not null references accounts,
  id text collate "C" not null,
  name text not null,
  phone text,
  -- The switch "gets new clients"; loading the employees again keeps it.
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

-- Where a contact can be reached, in its order. A chat is found by its id, or by username or phone where the CRM
-- does not know the id.
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

-- Contacts of a deal, in its order; one may be unknown, or not loaded yet.
create table deal_contacts (
  account_id bigint not null,
  deal_id text collate "C" not null,
  position integer not null,
  contact_id text collate "C" not null,
  primary key (account_id, deal_id, position),
  foreign key (account_id, deal_id) references deals on delete cascade
);
create index deal_contacts_contact on deal_contacts (account_id, contact_id);

-- Sales funnels, in the CRM's order.
create table pipelines (
  account_id bigint not null references accounts,
  position integer not null,
  id text collate "C" not null,
  name text not null,
  -- [{id, name}], in their order.
  stages jsonb not null,
  primary key (account_id, id)
);

create table crm_settings (
  account_id bigint primary key references accounts,
  -- first_respondent: a new client belongs to the first employee who answers; in_turn: to the next in the row.
  new_clients text not null default 'nobody' check (new_clients in ('nobody', 'first_respondent', 'in_turn')),
  -- The funnel and stage of new deals.
  pipeline_id text,
  stage_id text,
  -- Who was assigned a client last.
  last_in_turn text collate "C"
);

-- Messages of clients that nobody answered yet, one row each: written with the message, removed with the answer.
create table unanswered (
  account_id bigint not null,
  chat uuid not null,
  message_id uuid not null,
  channel_id uuid not null,
  at timestamptz not null,
  primary key (account_id, chat, message_id)
);
create index unanswered_at on unanswered (at);
