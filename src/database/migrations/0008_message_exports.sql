-- Exports of messages as CSV: a queue, and how far each has come.

create table message_exports (
  account_id bigint not null references accounts,
  id uuid not null,
  -- Both included, by the time that the messenger gives a message.
  start_at timestamptz not null,
  end_at timestamptz not null,
  -- Null: all channels of the account.
  channel_id uuid,
  -- Not now(): those of one account keep their order.
  requested_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  -- When the file and all that is known of the export are removed.
  expires_at timestamptz,
  -- The node that works on it, and how often one began to; a statement of an earlier turn changes nothing.
  claim uuid,
  turn integer not null default 0,
  -- End of the last turn: whoever has waited longest is next.
  worked_at timestamptz,
  -- After a failure it rests until then.
  due timestamptz not null default now(),
  failures integer not null default 0,
  -- The last message that was looked at, and whether it was the last of all.
  after_id uuid,
  is_read boolean not null default false,
  messages bigint not null default 0,
  -- The file as far as it is stored, as the store of files describes it.
  draft jsonb,
  primary key (account_id, id)
);
create index message_exports_open on message_exports (account_id, requested_at) where finished_at is null;
create unique index message_exports_one_at_a_time on message_exports (account_id) where claim is not null;
create index message_exports_worked on message_exports (account_id, worked_at) where worked_at is not null;
create index message_exports_expires on message_exports (expires_at) where expires_at is not null;

-- Old files are looked for.
create index files_created on files (created_at);

-- Set for the picture of a chat, which chats.avatar_file_id names once it is stored.
alter table files add column avatar_of uuid;
create index files_avatar on files (account_id, avatar_of, created_at) where avatar_of is not null;
