-- The words of messages are indexed in the background: storing a message only adds a row to a queue.
drop index messages_words;

-- Messages whose text is new or changed. A row becomes visible with the transaction that stored the message, so that a
-- late commit is not missed. No index: the indexer takes any rows, and an insertion costs one heap row.
create table search_queue (
  account_id bigint not null,
  message_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000000000);

-- What a search reads. Rows are deleted with their messages. No foreign key: it would cost each deletion of a message a
-- trigger, and would stand in the way of dropping many messages at once.
create table message_words (
  account_id bigint not null,
  message_id uuid not null,
  chat uuid not null,
  -- Of the message. A text is found in the week of its storage.
  created_at timestamptz not null,
  -- The first 10,000 characters: no more are indexed.
  text text not null,
  primary key (account_id, message_id)
);

-- New words wait in a list, which the indexer merges after each batch.
create index message_words_text on message_words using gin (search_words(account_id, created_at, text));

insert into search_queue (account_id, message_id)
select account_id, id from messages where text is not null;
