-- expand
-- Accounts that move from one cell (a database with its nodes) to another (core/move).

-- The moves that this cell takes part in, each account's latest one. `source`: the account leaves this cell; the row stays
-- after the move, because this cell passes on what still arrives for the account, and is deleted when the account comes
-- back. `target`: the account comes to this cell; the row stays until the account leaves, so that a repeated command finds
-- out that the move is over.
create table account_moves (
  account_id bigint not null,
  move_id uuid not null,
  side text not null check (side in ('source', 'target')),
  -- Of the source: copying, holding (its requests wait), fenced (nothing of the account can be written), moved (its rows
  -- are being removed), left (they are). Of the target: arriving, arrived.
  state text not null check (state in ('copying', 'holding', 'fenced', 'moved', 'left', 'arriving', 'arrived')),
  -- While holding: until then. If the command that moves the account dies, requests go on here.
  hold_until timestamptz,
  -- Of the source: where the nodes of the target are reached.
  address text,
  -- Of the source: the timeline on which the copy began. On another one, changes may be missing that were copied.
  timeline text,
  -- Of the target: what is copied, by table.
  progress jsonb not null default '{}',
  started_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, side)
);

-- Rows of a moving account that changed since they were copied, by their keys. Written by triggers that exist during the
-- move; deleted when the target has the present state of the row, or the move is revoked.
create table account_move_changes (
  account_id bigint not null,
  id bigint generated always as identity,
  changed_table text not null,
  key jsonb not null,
  primary key (account_id, changed_table, id)
) with (autovacuum_analyze_threshold = 2000000000);

-- By what requests for accounts that left this cell are recognised: hashes of tokens, ids of channels, keys of files.
-- Read before the account is known. Deleted when the account comes back.
create table moved_addresses (
  kind text not null check (kind in ('token', 'ticket', 'session', 'channel', 'file', 'export', 'transport')),
  key text not null,
  account_id bigint not null,
  primary key (kind, key, account_id)
);
create index moved_addresses_account on moved_addresses (account_id);

-- The trigger of a moving account's tables: notes changed rows, and refuses changes once the account is fenced. The fence
-- takes the advisory lock (MOVE_LOCK of src/database/locks.ts) exclusively, so it waits for every transaction that has written for the account,
-- and whoever writes later sees the fence. Arguments: the account; then, if changes are noted, the table and the
-- columns of its primary key. `trunkline.account_move`: `on` for the move itself; `upkeep` for the deletion of old rows, which the target
-- does by itself and which may go on here.
create function follow_account_move() returns trigger language plpgsql as $$
declare
  account constant bigint := tg_argv[0]::bigint;
  mode constant text := coalesce(current_setting('trunkline.account_move', true), '');
  present text;
  before jsonb;
  after jsonb;
begin
  if mode = 'on' then return null; end if;
  perform pg_advisory_xact_lock_shared(21582, account::integer);
  select state into present from account_moves m where m.account_id = account and m.side = 'source';
  if present in ('fenced', 'moved', 'left') then
    if mode = 'upkeep' then return null; end if;
    raise exception 'The account % is moving to another cell', account using errcode = 'TL001', detail = account::text;
  end if;
  if tg_nargs = 1 or present is null then return null; end if;
  if tg_op <> 'INSERT' then
    select jsonb_object_agg(c.key, c.value) into before from jsonb_each(to_jsonb(old)) c where c.key = any(tg_argv[2:]);
    insert into account_move_changes (account_id, changed_table, key) values (account, tg_argv[1], before);
  end if;
  if tg_op <> 'DELETE' then
    select jsonb_object_agg(c.key, c.value) into after from jsonb_each(to_jsonb(new)) c where c.key = any(tg_argv[2:]);
    if before is null or before <> after then
      insert into account_move_changes (account_id, changed_table, key) values (account, tg_argv[1], after);
    end if;
  end if;
  return null;
end $$;
