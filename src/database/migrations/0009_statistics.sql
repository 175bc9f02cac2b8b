-- expand
-- What the planner samples of large tables. Every statement reaches them by an index, whatever is known of their values
-- (docs/decisions/0002-plans-by-index.md). Autovacuum analyses a growing table again and again, and reading samples of
-- 30,000 long texts delays everybody. Key columns get small samples, all others none.
-- tolerated: changes the settings of the planner only
do $$
declare
  col record;
begin
  for col in
    select attrelid::regclass as tab, attname as name,
      exists (select 1 from pg_index i where i.indrelid = a.attrelid and a.attnum = any(i.indkey)) as is_key
    from pg_attribute a
    where attrelid in ('messages'::regclass, 'chats'::regclass, 'files'::regclass, 'send_jobs'::regclass)
      and attnum > 0 and not attisdropped
  loop
    execute format('alter table %s alter column %I set statistics %s', col.tab, col.name,
                   case when col.is_key then 10 else 0 end);
  end loop;
end $$;
