-- A channel belongs to one account. With the account among its columns this index looked as good as the primary key
-- for finding a chat by its id while the table was small: every such look-up then read all of the index.
drop index chats_external;
create unique index chats_external on chats (channel_id, chat_type, chat_id);
