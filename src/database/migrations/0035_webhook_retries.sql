-- expand
-- One table for every event that a receiver's position has passed and that was not delivered. All events up to the position
-- are delivered, belong to other receivers, or are here.
create table webhook_retries (
  account_id bigint not null,
  endpoint_id uuid not null,
  event_id bigint not null,
  -- The cursor that passed it.
  cursor_id uuid not null,
  -- kept: the cursor reads it before the log. refused: retried alone from `due` on, the first event of its chat.
  -- following: waits for the refused event of its chat. parked: refused until its schedule ended.
  state text not null check (state in ('kept', 'refused', 'following', 'parked')),
  kind text not null,
  channel_id uuid,
  chat uuid,
  subject text not null,
  body text not null,
  created_at timestamptz not null,
  -- Of a refused event: the next attempt, the failed ones, and the time of the first of these.
  due timestamptz,
  attempts integer not null default 0,
  first_failed_at timestamptz,
  -- Of a parked event.
  parked_at timestamptz,
  reason text,
  primary key (account_id, endpoint_id, event_id)
) with (autovacuum_analyze_threshold = 2000000000);
comment on table webhook_retries is
  'Events passed but not delivered. Deleted when they are delivered or discarded, or their receiver ends (core/delivery/cursor).';
create index webhook_retries_kept on webhook_retries (account_id, cursor_id, event_id) where state = 'kept';
create index webhook_retries_chat on webhook_retries (account_id, endpoint_id, chat, event_id)
  where state in ('refused', 'following');
create index webhook_retries_due on webhook_retries (account_id, endpoint_id, due) where state = 'refused';
create index webhook_retries_parked on webhook_retries (account_id, event_id, endpoint_id) where state = 'parked';

insert into webhook_retries
    (account_id, endpoint_id, event_id, cursor_id, state, kind, channel_id, chat, subject, body, created_at, parked_at, reason)
  select account_id, endpoint_id, event_id, endpoint_id, 'parked', kind, channel_id, chat, subject, body, created_at, parked_at, reason
  from webhook_parked;
insert into webhook_retries
    (account_id, endpoint_id, event_id, cursor_id, state, kind, channel_id, chat, subject, body, created_at)
  select k.account_id, c.endpoint_id, k.event_id,
    case when k.kind in ('createContact', 'createDeal', 'crm_entities.contact_add', 'crm_entities.deal_add')
      then e.creation_lane else e.id end,
    'kept', k.kind, k.channel_id, k.chat, k.subject, k.body, k.created_at
  from webhook_kept k join webhook_cursors c on c.id = k.cursor_id
  join webhook_endpoints e on e.account_id = c.account_id and e.id = c.endpoint_id
  on conflict do nothing;
-- tolerated: nothing was released before
drop table webhook_kept;
-- tolerated: nothing was released before
drop table webhook_parked;

-- tolerated: nothing was released before
delete from webhook_cursors where chat is not null;
-- tolerated: nothing was released before
alter table webhook_cursors drop column chat, drop column taken;
-- events: reads the log for the receiver. creations: for what its CRM is asked to create. retries: reads no log, its position
-- is above all ids; claims the refused events of the receiver.
-- tolerated: nothing was released before
alter table webhook_cursors add column lane text not null default 'events' check (lane in ('events', 'creations', 'retries'));
update webhook_cursors set lane = 'creations' where id <> endpoint_id;
create index webhook_cursors_endpoint on webhook_cursors (endpoint_id);
