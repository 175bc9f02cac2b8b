-- One node runs the upkeep for all: that of this id, as long as its lease in `nodes` holds.
create table upkeep_leader (
  is_only boolean primary key default true check (is_only),
  node_id uuid,
  since timestamptz not null default now()
);
insert into upkeep_leader default values;

-- How each step of the upkeep fares, as its leader wrote it a few seconds ago.
create table upkeep_steps (
  step text primary key,
  -- How often it is to run, and since when the leader runs it.
  every_ms integer not null,
  since timestamptz not null,
  succeeded_at timestamptz,
  -- Failures since then, and the last of them.
  failures integer not null,
  failure text
) with (fillfactor = 50);
