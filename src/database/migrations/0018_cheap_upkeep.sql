-- Every statement reaches these tables by an index, whatever is known of their values. Autovacuum analyses them again
-- and again while they grow, and with 30,000 rows of long texts each time everybody waited for it.
do $$
declare
  col record;
begin
  for col in
    select attrelid::regclass as tab, attname as name,
      exists (select 1 from pg_index i where i.indrelid = a.attrelid and a.attnum = any(i.indkey)) as is_key
    from pg_attribute a
    where attrelid in ('messages'::regclass, 'chats'::regclass, 'events'::regclass, 'webhook_attempts'::regclass,
                       'files'::regclass, 'send_jobs'::regclass)
      and attnum > 0 and not attisdropped
  loop
    execute format('alter table %s alter column %I set statistics %s', col.tab, col.name,
                   case when col.is_key then 10 else 0 end);
  end loop;
end $$;

-- Each analysis makes every connection plan its statements anew.
alter table messages set (autovacuum_analyze_scale_factor = 1);
alter table events set (autovacuum_analyze_scale_factor = 1);
alter table webhook_attempts set (autovacuum_analyze_scale_factor = 1);
-- Queues: whatever was counted is past by then.
alter table send_lanes set (autovacuum_analyze_threshold = 2000000000);
alter table send_jobs set (autovacuum_analyze_threshold = 2000000000);
alter table webhook_lanes set (autovacuum_analyze_threshold = 2000000000);
alter table webhook_queue set (autovacuum_analyze_threshold = 2000000000);
alter table unanswered set (autovacuum_analyze_threshold = 2000000000);
