-- The timeline of the write-ahead log; PostgreSQL begins another one when a standby is promoted or a backup is restored.
-- Null where the server does not tell.
create function current_timeline() returns text language plpgsql stable as $$
begin
  return substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
exception when others then
  return null;
end $$;

-- The timeline that the nodes know of: nothing is sent on another one until what may have been sent before is marked.
create table database_timeline (
  is_only boolean primary key default true check (is_only),
  timeline text,
  -- A standby had every commit that was answered, as far as the last look tells.
  is_synchronous boolean not null default false,
  since timestamptz not null default now()
);
insert into database_timeline (timeline) values (current_timeline());
