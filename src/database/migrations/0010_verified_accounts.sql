-- expand
-- The messenger account that a channel's credentials belong to, as verified when they were given. Null for channels that
-- a session links by itself, such as with a QR code. `messenger_id` is set from it before a session opens, unless
-- another live channel has the account.
alter table channels add column verified_id text;
