-- expand
-- Messages that programs propose and employees approve: lines of a conversation, and tokens that may only propose.

-- tolerated: earlier nodes write only the earlier kinds, and refuse a token of a kind that they do not know
alter table tokens drop constraint tokens_kind_check;
-- tolerated: it admits all that earlier nodes write
alter table tokens add constraint tokens_kind_check check (kind in ('access', 'agent', 'api', 'sidecar')) not valid;

-- tolerated: earlier nodes write only the earlier kinds, and show no line of a kind that they do not know
alter table chat_entries drop constraint chat_entries_kind_check;
-- tolerated: it admits all that earlier nodes write
alter table chat_entries add constraint chat_entries_kind_check
  check (kind in ('note', 'assigned', 'snoozed', 'proposed')) not valid;

-- Approved, and not sent yet. Only for statements that name the condition: the others are to begin with the account.
create index chat_entries_unsent on chat_entries (created_at)
  where kind = 'proposed' and details #>> '{proposal,state}' = 'approved';
