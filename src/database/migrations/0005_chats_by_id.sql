-- With the account as its first column, this index looked as good as the primary key for finding a chat by its id
-- while the table was empty: every such look-up then read all chats of the account, until the first analysis.
drop index chats_external;
create unique index chats_external on chats (channel_id, chat_type, chat_id, account_id);
