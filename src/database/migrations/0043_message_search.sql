-- Full-text search of messages. Each word is stored with its account and the week in which the message was stored before
-- it: a search reads nothing of other accounts, and goes back week by week from the newest. A number is found without the
-- sign before it.
create function search_words(account bigint, at timestamptz, content text) returns tsvector
language sql immutable strict parallel safe
return (
  select coalesce(array_to_tsvector(array_agg(
    account || ':' || floor(extract(epoch from at) / 604800)::integer || ':' || left(lexeme, 60))), ''::tsvector)
  from unnest(to_tsvector('simple', translate(left(content, 10000), '№#', '  ')))
);

-- Messages of these weeks that have all words of a text, each at least by its beginning.
create function search_query(account bigint, weeks integer[], content text) returns tsquery
language sql immutable strict parallel safe
return (
  select string_agg('(' || (
    select string_agg('''' || replace(replace(account || ':' || week || ':' || left(lexeme, 60), '\', '\\'), '''', '''''')
                      || ''':*', ' & ')
    from unnest(to_tsvector('simple', translate(left(content, 200), '№#', '  ')))) || ')', ' | ')::tsquery
  from unnest(weeks) as week
);

-- New words wait in a list, which upkeep works in every second: accepting a message only appends to it.
create index messages_words on messages using gin (search_words(account_id, created_at, text)) where text is not null;
