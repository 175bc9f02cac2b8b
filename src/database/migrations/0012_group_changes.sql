-- Changes of group chats, so that each is told once, whoever tells of it and however often.

-- The name that was told last, and since when the group has it; a chat's name itself also follows its messages.
alter table chats add column title text;
alter table chats add column title_at timestamptz;

-- What was told, by the messenger's names for it; kept for 30 days, since no messenger repeats anything later.
create table group_changes (
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  external_id text not null,
  told_at timestamptz not null default now(),
  primary key (account_id, channel_id, chat, external_id)
);
create index group_changes_told on group_changes (told_at);

-- What happened last to a person in a group: some messengers tell it in two ways. Kept for 30 days.
create table group_members (
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  person text not null,
  change text not null check (change in ('added', 'removed', 'left', 'promoted', 'demoted')),
  -- When the messenger says it happened.
  at timestamptz not null,
  told_at timestamptz not null default now(),
  primary key (account_id, channel_id, chat, person)
) with (fillfactor = 80);
create index group_members_told on group_members (told_at);
