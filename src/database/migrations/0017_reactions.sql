-- expand
-- Reactions to messages: the latest one of each person. Rows are deleted with their message.
create table message_reactions (
  account_id bigint not null,
  message_id uuid not null,
  -- The messenger's id of the person; '' for the channel's own account.
  person text not null,
  name text not null,
  -- Null: it was removed. The row stays, so that an older report changes nothing.
  emoji text,
  at timestamptz not null,
  primary key (account_id, message_id, person),
  foreign key (account_id, message_id) references messages (account_id, id) on delete cascade
);

-- tolerated: earlier nodes store no such jobs
alter table send_jobs drop constraint send_jobs_kind_check;
-- tolerated: allows more than before
alter table send_jobs add constraint send_jobs_kind_check
  check (kind in ('send', 'edit', 'remove', 'react')) not valid;
