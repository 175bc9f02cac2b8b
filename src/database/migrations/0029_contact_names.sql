-- expand
-- What the channel's own address book calls the person of a private chat, and since when; `name` is then the same. A null
-- name with a time: the person was removed from the address book.
alter table chats
  add column contact_name text,
  add column contact_name_at timestamptz;
