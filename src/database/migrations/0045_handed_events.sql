-- expand
-- Publishing in one call for an account whose log claims of this node have read: they take the new events from the publisher
-- and need not read them. Called by core/event/log.ts and core/message/outcome-at-once.ts. A release that changes a function
-- gives it another name, because nodes of earlier releases still call it.

-- Does what `append_events` does, for one account. `readers` are the receivers whose claims have read the log up to `since`
-- at least, each as its id and the version of its row. Returns for each new event its kind and id, and for all of them: the
-- Unix time, the last earlier event of the log (at least `since`), and those of the readers that have not changed.
create function append_events_for(
  creations text[], account bigint, event_kinds text[], channels uuid[], keys uuid[], subjects text[], bodies text[],
  abouts text[], readers text[], since bigint
) returns table (kind text, id bigint, seconds float8, previous bigint, current uuid[]) language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(21580, account::integer);
  return query
    with input as materialized (
      select * from unnest(event_kinds, channels, keys, subjects, bodies, abouts) with ordinality
        as r(kind, channel_id, chat, subject, body, about, ord)
    ), receiver as materialized (
      select e.id, e.creation_lane, e.kinds, e.id || ' ' || e.xmin = any(readers) as is_current
      from webhook_endpoints e where e.account_id = account and e.kinds <> '{}'
    ), earlier as materialized (
      select coalesce(
        (select e.id from events e where e.account_id = account and e.id > since order by e.account_id desc, e.id desc limit 1),
        since) as id
    ), added as (
      insert into events (account_id, kind, channel_id, chat, subject, body, receivers)
      select account, i.kind, i.channel_id, i.chat, i.subject, i.body, r.cursors from input i cross join lateral (
        select array_agg(case when i.kind = any(creations) then e.creation_lane else e.id end) as cursors
        from receiver e where i.kind = any(e.kinds)) r
      where r.cursors is not null order by i.ord
      returning kind, id
    ), followed as (
      insert into events (account_id, kind, channel_id, chat, subject, body)
      select account, 'live', channel_id, chat, subject, about from (
        select distinct on (about, subject) * from input where about is not null order by about, subject, ord) i
      where exists (select 1 from live_accounts l where l.account_id = account and l.until > now())
      order by ord
      returning kind, id
    )
    select a.kind, a.id, floor(extract(epoch from now()))::float8, earlier.id,
      array(select r.id from receiver r where r.is_current)
    from (select * from added union all select * from followed) a cross join earlier
    order by a.id;
end $$;

-- `record_outcome` (see the migration `publishing`), which publishes by `append_events_for` if there are readers. `kinds`
-- are null if nothing was stored, `ids` if there are no readers; `found_chat` is the chat of the events.
create function record_outcome_for(
  job_id bigint, account bigint, channel uuid, job_chat uuid, message_id uuid, new_status text, new_external_id text,
  new_sent_at timestamptz, new_error jsonb, at timestamptz, creations text[], event_kinds text[], bodies text[], abouts text[],
  readers text[], since bigint,
  out kinds text[], out found_chat uuid, out ids bigint[], out seconds float8, out previous bigint, out current uuid[]
) language plpgsql as $$
#variable_conflict use_column
declare
  fits boolean;
  size constant integer[] := array[cardinality(event_kinds)];
begin
  if exists (select from crm_settings s where s.account_id = account and s.new_clients = 'first_respondent') then
    return;
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
  kinds := '{}';
  if found_chat is null then return; end if;
  if not fits then raise exception 'the status of message % has other events', message_id; end if;
  if cardinality(readers) = 0 then
    kinds := array(
      select a.kind from append_events(
        creations, array_fill(account, size), event_kinds, array_fill(channel, size), array_fill(found_chat, size),
        array_fill(message_id::text, size), bodies, abouts) a);
  else
    select coalesce(array_agg(a.kind order by a.id), '{}'), array_agg(a.id order by a.id), min(a.seconds), min(a.previous),
      min(a.current)
    into kinds, ids, seconds, previous, current
    from append_events_for(
      creations, account, event_kinds, array_fill(channel, size), array_fill(found_chat, size),
      array_fill(message_id::text, size), bodies, abouts, readers, since) a;
  end if;
end $$;
