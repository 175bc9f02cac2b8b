-- expand
-- What the employees of an account do with chats together: assignment, internal notes, snoozing, and marks of their own.

-- One employee's own marks of chats. Deleted with the chat.
create table chat_marks (
  account_id bigint not null,
  user_id text collate "C" not null,
  chat uuid not null,
  -- Since when the chat is at the top of the employee's list.
  pinned_at timestamptz,
  -- When the employee marked the chat as unread.
  unread_at timestamptz,
  primary key (account_id, user_id, chat)
);
create index chat_marks_pinned on chat_marks (account_id, user_id, pinned_at) where pinned_at is not null;
create index chat_marks_chat on chat_marks (account_id, chat);

-- Who works on a chat, and until when it is snoozed for everybody. Deleted with the chat.
create table chat_work (
  account_id bigint not null,
  chat uuid not null,
  channel_id uuid not null,
  -- Null: never assigned here; the employee whom the CRM names as responsible for the contact counts instead.
  assigned_at timestamptz,
  -- Null: nobody.
  assignee text collate "C",
  -- The name by then, for an employee whom the CRM has not uploaded.
  assignee_name text,
  snoozed_until timestamptz,
  -- A message of the customer after it ends the snooze.
  snoozed_at timestamptz,
  -- When the last snooze was over.
  returned_at timestamptz,
  primary key (account_id, chat)
) with (fillfactor = 80);
create index chat_work_assignee on chat_work (account_id, assignee) where assignee is not null;
create index chat_work_snoozed on chat_work (account_id, snoozed_until) where snoozed_until is not null;
-- Only for statements that name the condition: the others are to begin with the account.
create index chat_work_due on chat_work (snoozed_until) where snoozed_until < 'infinity';

-- Lines of a conversation that are no messages: internal notes, and what was assigned to whom. In a table of their own, so
-- that nothing that sends or reports messages can reach them. Deleted with the messages of their time, and with the chat.
create table chat_entries (
  account_id bigint not null,
  id uuid not null,
  chat uuid not null,
  channel_id uuid not null,
  kind text not null check (kind in ('note', 'assigned', 'snoozed')),
  author_id text not null,
  author_name text,
  -- Of a note; '' once it is deleted.
  text text not null default '',
  -- Of an assignment: from whom to whom; of a snooze: until when.
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  primary key (account_id, id)
);
create index chat_entries_thread on chat_entries (account_id, chat, created_at, id);
create index chat_entries_created_at on chat_entries (created_at);
create index chat_entries_words on chat_entries using gin (search_words(account_id, created_at, text))
  where kind = 'note' and deleted_at is null;

-- Employees who have opened a chat page, for the list of colleagues: the CRM may not have uploaded them. Kept for 90 days
-- after the last time.
create table page_employees (
  account_id bigint not null,
  user_id text collate "C" not null,
  name text,
  seen_at timestamptz not null default now(),
  primary key (account_id, user_id)
);
create index page_employees_seen_at on page_employees (seen_at);
create index page_employees_recent on page_employees (account_id, seen_at);
