-- expand
-- The event sink of the installation: a broker that gets the events of all accounts (core/delivery/sink).

-- tolerated: earlier nodes store only values that stay allowed
alter table webhook_endpoints drop constraint webhook_endpoints_version_check;
-- tolerated: it allows all that was allowed before
alter table webhook_endpoints add constraint webhook_endpoints_version_check check (version in ('v3', 'v2', 'sink'));
-- tolerated: earlier nodes store no row of this version
create unique index webhook_endpoints_sink on webhook_endpoints (account_id) where version = 'sink';

-- At most one row: the sink. Written by nodes with SINK_URL when they start; deleted by `trunkline sink drop`.
create table event_sink (
  only_row boolean primary key default true check (only_row),
  -- Without credentials.
  url text not null,
  -- Kinds of events that it takes, as in `webhook_endpoints`.
  kinds text[] not null,
  since timestamptz not null default now()
);

-- Gives accounts the receiver of the sink, with a position that no event has yet, or its present address and kinds. Without
-- a sink, removes what an account brought along from another cell. `account` null: all accounts.
create function align_sink(account bigint) returns void language plpgsql as $$
begin
  if account is not null and not exists (select from event_sink) then
    delete from webhook_retries r using webhook_endpoints e
      where e.account_id = account and e.version = 'sink' and r.account_id = account and r.endpoint_id = e.id;
    delete from webhook_cursors c using webhook_endpoints e
      where e.account_id = account and e.version = 'sink' and c.endpoint_id = e.id;
    delete from webhook_endpoints e where e.account_id = account and e.version = 'sink';
    return;
  end if;
  update webhook_endpoints e set url = s.url, kinds = s.kinds from event_sink s
    where e.version = 'sink' and (account is null or e.account_id = account) and (e.url, e.kinds) is distinct from (s.url, s.kinds);
  with made as (
    -- It signs nothing, so its secret is empty.
    insert into webhook_endpoints (account_id, id, version, url, kinds, secret)
    select a.id, gen_random_uuid(), 'sink', s.url, s.kinds, '' from accounts a cross join event_sink s
    where (account is null or a.id = account)
      and not exists (select from webhook_endpoints e where e.account_id = a.id and e.version = 'sink')
    on conflict do nothing returning account_id, id
  )
  insert into webhook_cursors (id, account_id, endpoint_id, lane, claim_version, position)
  select m.id, m.account_id, m.id, 'events', (extract(epoch from clock_timestamp()) * 1000)::bigint,
    (select last_value from log_ids)
  from made m;
end $$;
