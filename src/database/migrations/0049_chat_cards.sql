-- expand
-- What employees noted on a chat's person (`core/inbox/card.ts`).

-- Null: nothing.
alter table chat_work add column card jsonb;
