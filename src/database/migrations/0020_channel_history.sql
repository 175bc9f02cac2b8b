-- expand
-- Imports of what the messenger keeps of the time before a channel was linked: one row of each channel whose client
-- asked for it. The row stays with its channel's.
create table channel_history (
  account_id bigint not null,
  channel_id uuid not null,
  days integer not null,
  -- waiting: the channel is not linked yet, or the messenger has sent nothing. done: everything, or as much as the quota
  -- allows (`is_cut`).
  status text not null check (status in ('waiting', 'running', 'done')),
  is_cut boolean not null default false,
  -- Messages of this time are imported. `until_at` is when the channel was linked; null while it waits.
  since_at timestamptz,
  until_at timestamptz,
  -- Percent; null: unknown.
  progress smallint,
  messages bigint not null default 0,
  -- How many batches were begun.
  batches integer not null default 0,
  -- When receivers were told last, and of how much.
  told_at timestamptz,
  told_progress smallint,
  told_messages bigint not null default 0,
  started_at timestamptz,
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (account_id, channel_id)
) with (fillfactor = 50);
