-- expand
-- Messages, the queue of those to be sent, their files, search and exports.

create table messages (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  chat uuid not null,
  direction text not null check (direction in ('in', 'out', 'echo')),
  type text not null,
  status text not null check (status in ('queued', 'inbound', 'sent', 'delivered', 'read', 'error')),
  -- When the latest status of an outbound message was reported; null before the first.
  status_at timestamptz,
  text text,
  -- Outbound: attachment, template, keyboard, recipient as accepted. Inbound: place, vcard, pressed button.
  content jsonb,
  file_id uuid,
  quoted_id uuid,
  quoted jsonb,
  author_id text,
  author_name text,
  sender jsonb,
  crm_message_id text,
  external_id text,
  error jsonb,
  -- The time that the messenger gives the message; until then, when it was accepted.
  sent_at timestamptz not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  -- The content before the last edit.
  old_info jsonb,
  primary key (account_id, id)
) with (fillfactor = 80, autovacuum_analyze_scale_factor = 1);
create unique index messages_external on messages (account_id, chat, external_id) where external_id is not null;
create index messages_crm_id on messages (account_id, crm_message_id) where crm_message_id is not null;
-- A chat in the order in which its messages were stored. The order never changes, and new messages are at the end.
create index messages_thread on messages (account_id, chat, created_at, id);

-- Messages that the messenger knows, in its order: what a person has read. Without the status, so that receipts change no
-- indexed column. The update that stores the messenger's id adds to all indexes anyway.
create index messages_in_order on messages (account_id, chat, sent_at, id) where direction <> 'in' and external_id is not null;

-- Messages to be sent, edited or deleted: one row each, deleted with its outcome. The owner of the channel keeps the
-- order of the chats in memory, and reads the jobs of a chat from the first on.
create table send_jobs (
  id bigint generated always as identity,
  account_id bigint not null,
  channel_id uuid not null,
  chat uuid not null,
  message_id uuid not null,
  kind text not null check (kind in ('send', 'edit', 'remove')),
  change jsonb,
  -- Length of the message's text and content, which limits how many jobs are read at once.
  bytes integer not null default 0,
  -- The channel's epoch, committed before the request is sent: if a job is found with it after a crash, its outcome is
  -- unknown.
  started_epoch bigint,
  -- Since when a request may have had its effect. Messengers remember the ids of repeated sends for a limited time.
  unsure_since timestamptz,
  attempts integer not null default 0,
  -- Of the first job of a chat that rests: until when, and why.
  not_before timestamptz,
  held_by text,
  created_at timestamptz not null default now(),
  primary key (account_id, channel_id, chat, id)
) with (fillfactor = 60, autovacuum_analyze_threshold = 2000000000);

-- The outcome of an edit or deletion, for the request that waits for it; kept for a day.
create table change_outcomes (
  account_id bigint not null,
  job_id bigint primary key,
  error jsonb,
  at timestamptz not null default now()
);
create index change_outcomes_at on change_outcomes (at);

-- Reports about messages whose external id is not stored yet: a receipt may arrive before the response to the send.
-- Deleted when the message is found, or after a day.
create table early_reports (
  account_id bigint not null,
  id bigint not null generated always as identity,
  channel_id uuid not null,
  chat uuid not null,
  -- The external id of the message; '' for a report about everything that was sent up to a time.
  external_id text not null,
  -- Our id of the message, if the messenger returned it: the report waits for the outcomes of earlier sends to the chat.
  message_id uuid,
  -- Encoded like the events of dead letters.
  event text not null,
  -- Of a report about many messages that is partly applied.
  read_from jsonb,
  kept_at timestamptz not null default now(),
  primary key (account_id, id)
) with (autovacuum_analyze_threshold = 2000000000);
create index early_reports_chat on early_reports (chat);
create index early_reports_kept on early_reports (kept_at);

-- Attachments of messages, and pictures of chats. Deleted after INBOUND_FILE_RETENTION_DAYS.
create table files (
  account_id bigint not null,
  id uuid not null,
  channel_id uuid not null,
  -- The unguessable part of the public link.
  key text not null unique,
  -- The message of an attachment: open pages are notified when its content has arrived.
  message_id uuid,
  -- The chat of a picture; `chats.avatar_file_id` names the picture once it is stored.
  avatar_of uuid,
  name text,
  mime_type text,
  size bigint,
  state text not null check (state in ('waiting', 'stored', 'failed')),
  -- How the session finds it at the messenger.
  source jsonb not null,
  attempts integer not null default 0,
  due timestamptz not null default now(),
  failure text,
  -- Bytes that the file counts for in `account_usage`, from when it is stored until it is deleted.
  counted_bytes bigint,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index files_waiting on files (channel_id, due) where state = 'waiting';
create index files_due on files (due) where state = 'waiting';
create index files_created on files (created_at);
create index files_avatar on files (account_id, avatar_of, created_at) where avatar_of is not null;

-- The words of a text. Each starts with the account and the week in which the message was stored: a search reads nothing
-- of other accounts, and proceeds week by week from the newest. '№' and '#' are ignored, so that a number is found with
-- and without them.
create function search_words(account bigint, at timestamptz, content text) returns tsvector
language sql immutable strict parallel safe
return (
  select coalesce(array_to_tsvector(array_agg(
    account || ':' || floor(extract(epoch from at) / 604800)::integer || ':' || left(lexeme, 60))), ''::tsvector)
  from unnest(to_tsvector('simple', translate(left(content, 10000), '№#', '  ')))
);

-- A query for messages of these weeks that contain all words of a text, or words that begin with them.
create function search_query(account bigint, weeks integer[], content text) returns tsquery
language sql immutable strict parallel safe
return (
  select string_agg('(' || (
    select string_agg('''' || replace(replace(account || ':' || week || ':' || left(lexeme, 60), '\', '\\'), '''', '''''')
                      || ''':*', ' & ')
    from unnest(to_tsvector('simple', translate(left(content, 200), '№#', '  ')))) || ')', ' | ')::tsquery
  from unnest(weeks) as week
);

-- Messages with a new or changed text, to be indexed in the background. A row becomes visible with the transaction that
-- stores the message, so a late commit is not missed. Without an index: the indexer takes any rows, and an insertion
-- costs one row only.
create table search_queue (
  account_id bigint not null,
  message_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000000000);

-- What a search reads. Rows are deleted with their messages. Without a foreign key, which would make every deletion of a
-- message run a trigger.
create table message_words (
  account_id bigint not null,
  message_id uuid not null,
  chat uuid not null,
  -- That of the message: a text is found in the week in which it was stored.
  created_at timestamptz not null,
  -- The first 10,000 characters; the rest is not indexed.
  text text not null,
  primary key (account_id, message_id)
);
-- New words are added to the index's pending list, which the indexer merges after each batch.
create index message_words_text on message_words using gin (search_words(account_id, created_at, text));

-- Exports of messages as CSV: a queue, and the progress of each.
create table message_exports (
  account_id bigint not null references accounts,
  id uuid not null,
  -- Inclusive, by the time that the messenger gives a message.
  start_at timestamptz not null,
  end_at timestamptz not null,
  -- Null: all channels of the account.
  channel_id uuid,
  -- Not now(), so that the exports of one transaction keep their order.
  requested_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  -- When the file and this row are deleted.
  expires_at timestamptz,
  -- The node that works on it, and the number of claims: a statement of an earlier claim changes nothing.
  claim uuid,
  claim_version integer not null default 0,
  -- End of the last claim: the account that has waited longest is next.
  worked_at timestamptz,
  -- After a failure: not before then.
  due timestamptz not null default now(),
  failures integer not null default 0,
  -- The last message that was examined, and whether it was the last of all.
  after_id uuid,
  is_read boolean not null default false,
  messages bigint not null default 0,
  -- The stored part of the file, as the file store describes it; of a finished export, its size in bytes.
  draft jsonb,
  -- Text after it that is too short to be stored.
  tail bytea,
  primary key (account_id, id)
);
create index message_exports_open on message_exports (account_id, requested_at) where finished_at is null;
create unique index message_exports_one_at_a_time on message_exports (account_id) where claim is not null;
create index message_exports_worked on message_exports (account_id, worked_at) where worked_at is not null;
create index message_exports_expires on message_exports (expires_at) where expires_at is not null;
