-- expand
-- Publishing in one call. Each statement of such a function has a snapshot of its own, so the insertion sees what was
-- committed before the lock was taken. Called by core/event/log.ts and core/message/outcome-at-once.ts. A release that
-- changes a function gives it another name, because nodes of earlier releases still call it.

-- Appends events to the logs of their accounts, one array for each column, and returns the kinds that were appended. The
-- ids are drawn under a lock that is held until the end of the transaction. Accounts are locked in their order: otherwise
-- two transactions that publish for the same accounts could deadlock. The lock is EVENT_LOG_LOCK of
-- src/database/locks.ts. `creations` are the kinds that go to a receiver's cursor of creations. Of `abouts`, what an event
-- means to open pages, each is appended once for a subject.
create function append_events(
  creations text[], accounts bigint[], event_kinds text[], channels uuid[], keys uuid[], subjects text[], bodies text[],
  abouts text[]
) returns table (account_id bigint, kind text) language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(21580, id::integer) from (select distinct id from unnest(accounts) as id order by id) a;
  return query
    with input as materialized (
      select * from unnest(accounts, event_kinds, channels, keys, subjects, bodies, abouts) with ordinality
        as r(account_id, kind, channel_id, chat, subject, body, about, ord)
    ), added as (
      insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
      select i.account_id, i.kind, i.channel_id, i.chat, i.subject, i.body, r.cursors from input i cross join lateral (
        select array_agg(case when i.kind = any(creations) then e.creation_lane else e.id end) as cursors
        from webhook_endpoints e where e.account_id = any(array[i.account_id]) and i.kind = any(e.kinds)) r
      where r.cursors is not null order by i.ord
      returning account_id, kind
    ), followed as (
      insert into events (account_id, kind, channel_id, chat, subject, body)
      select account_id, 'live', channel_id, chat, subject, about from (
        select distinct on (account_id, about, subject) * from input where about is not null
        order by account_id, about, subject, ord) i
      where exists (select 1 from live_accounts l where l.account_id = any(array[i.account_id]) and l.until > now())
      order by ord
      returning account_id, kind
    )
    select account_id, kind from added union select account_id, kind from followed;
end $$;

-- Stores the outcome of a send and publishes its status, see `recordOutcomeAtOnce`: what `recordOutcomes` does in a
-- transaction of several statements, for one outcome. `event_kinds`, `bodies` and `abouts` are the events of the status.
-- Returns the kinds that were appended. Null: nothing was stored, because the account assigns new clients to whoever
-- answers first, and its CRM may have to be asked. An error says that other events have to be published: the message
-- was written on a page of ours, or has a later status already.
create function record_outcome(
  job_id bigint, account bigint, channel uuid, job_chat uuid, message_id uuid, new_status text, new_external_id text,
  new_sent_at timestamptz, new_error jsonb, at timestamptz, creations text[], event_kinds text[], bodies text[], abouts text[]
) returns text[] language plpgsql as $$
declare
  found_chat uuid;
  fits boolean;
  size constant integer[] := array[cardinality(event_kinds)];
begin
  if exists (select from crm_settings s where s.account_id = account and s.new_clients = 'first_respondent') then
    return null;
  end if;
  with job as (
    delete from send_jobs j
    where j.account_id = account and j.channel_id = channel and j.chat = job_chat and j.id = job_id
    returning j.id
  )
  update messages m set
    status = new_status,
    external_id = coalesce(new_external_id, m.external_id),
    sent_at = coalesce(new_sent_at, m.sent_at),
    error = coalesce(new_error, m.error),
    status_at = greatest(m.status_at, at)
  from job
  where m.account_id = account and m.id = message_id and m.status = 'queued'
  returning m.chat, m.status_at = at and not coalesce(m.content ? 'fromApp', false) into found_chat, fits;
  if found_chat is null then return '{}'; end if;
  if not fits then raise exception 'the status of message % has other events', message_id; end if;
  return array(
    select a.kind from append_events(
      creations, array_fill(account, size), event_kinds, array_fill(channel, size), array_fill(found_chat, size),
      array_fill(message_id::text, size), bodies, abouts) a);
end $$;
