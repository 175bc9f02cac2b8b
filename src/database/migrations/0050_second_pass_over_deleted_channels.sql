-- What was being accepted or received while a channel was deleted with its chats is deleted by a second pass.
alter table forgotten_channels
  add column deleted_at timestamptz not null default now(),
  add column due timestamptz not null default now(),
  add column is_second_pass boolean not null default false;
