-- expand
-- Who takes an event, decided when it happens: the cursors of its receivers. A receiver reads the log from its position on
-- and skips what others take, so the kind is no longer part of the key, and there are no spans of subscriptions.
alter table events add column receivers uuid[] not null default '{}';
-- tolerated: nothing was released before
alter table events drop constraint events_pkey;
-- tolerated: nothing was released before
alter table events add primary key (account_id, id);
update events e set receivers = array(
    select c.id from webhook_cursors c join webhook_spans s on s.cursor_id = c.id
    where c.account_id = e.account_id and c.position < e.id and s.since < e.id and s.until >= e.id and e.kind = any(s.kinds))
  where e.id > (select min(position) from webhook_cursors c where c.account_id = e.account_id);
-- tolerated: nothing was released before
drop table webhook_spans;
