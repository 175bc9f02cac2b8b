-- expand
-- Files that are being received: what is written already, and how much room a file needs that did not fit.

alter table files
  -- {upload, validator, isWhole, name, mimeType}: what the last attempt has written, so that the next continues it.
  add column progress jsonb,
  -- The quota had no room for so many bytes of the file: until it has, the file is not asked for again.
  add column needed_bytes bigint;
