-- expand
-- The installation as a whole: its nodes, and what they agree on.

-- Facts by name, such as the fingerprint of the sealing key, and whether the first start was announced.
create table installation (
  key text primary key,
  value text not null
);

-- A node works as long as its lease is valid. The upkeep deletes rows an hour after their lease.
create table nodes (
  id uuid primary key,
  name text not null,
  roles text[] not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  -- Fingerprint of the key that the node seals with. A rotation waits until all nodes have the same.
  sealing_key text,
  -- The number of the last migration of the node's release. A contract waits for nodes that do not know its expand.
  schema_version integer not null default 0
);

-- One node runs the upkeep for all: the one with this id, as long as its lease in `nodes` is valid.
create table upkeep_leader (
  is_only boolean primary key default true check (is_only),
  node_id uuid,
  since timestamptz not null default now()
);
insert into upkeep_leader default values;

-- The state of each step of the upkeep, written by the leader every ten seconds.
create table upkeep_steps (
  step text primary key,
  -- The interval between two runs.
  every_ms integer not null,
  -- When the present leader first ran it.
  since timestamptz not null,
  succeeded_at timestamptz,
  -- Failures since the last success, and the last of them.
  failures integer not null,
  failure text
) with (fillfactor = 50);

-- The timeline of the write-ahead log. PostgreSQL begins another one when a standby is promoted or a base backup is
-- recovered. Null if the server does not allow reading it.
create function current_timeline() returns text language plpgsql stable as $$
begin
  return substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
exception when others then
  return null;
end $$;

-- This database, and no other to which a dump of it is restored. Null if the server does not allow reading it.
create function current_database_id() returns text language plpgsql stable as $$
begin
  return (select c.system_identifier || '/' || d.oid
          from pg_control_system() c, pg_database d where d.datname = current_database());
exception when others then
  return null;
end $$;

-- The timeline that the nodes know. On another one nothing is sent until the jobs that may have been sent are marked.
create table database_timeline (
  is_only boolean primary key default true check (is_only),
  timeline text,
  -- The timeline on which `skip_lost_ids` last skipped ids.
  ids_timeline text,
  -- The database that the nodes know.
  database_id text,
  -- Whether a synchronous standby had every acknowledged commit, when it was last read.
  is_synchronous boolean not null default false,
  since timestamptz not null default now()
);
insert into database_timeline (timeline, ids_timeline, database_id)
values (current_timeline(), current_timeline(), current_database_id());
