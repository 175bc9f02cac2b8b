-- expand
-- What the contacts and deals of an account take, counted as they change: counting the rows of a large account for each
-- request would take long. Apart from `account_usage`, so that a long upload of contacts delays no file.

create table crm_usage (
  account_id bigint primary key references accounts,
  contacts bigint not null default 0,
  deals bigint not null default 0,
  -- Of contacts and deals, with their chats and references.
  bytes bigint not null default 0
);

-- Bytes of a row's texts, and 64 for the row itself and its index entries.
create function crm_bytes(r contacts) returns bigint language sql immutable parallel safe return
  64 + octet_length(r.id) + octet_length(r.responsible_user_id) + octet_length(r.name) + coalesce(octet_length(r.uri), 0);
create function crm_bytes(r contact_chats) returns bigint language sql immutable parallel safe return
  64 + octet_length(r.contact_id) + coalesce(octet_length(r.chat_id), 0) + coalesce(octet_length(r.username), 0)
  + coalesce(octet_length(r.phone), 0);
create function crm_bytes(r deals) returns bigint language sql immutable parallel safe return
  64 + octet_length(r.id) + octet_length(r.responsible_user_id) + octet_length(r.name) + coalesce(octet_length(r.uri), 0);
create function crm_bytes(r deal_contacts) returns bigint language sql immutable parallel safe return
  64 + octet_length(r.deal_id) + octet_length(r.contact_id);

create function add_crm_usage(account bigint, of_table text, row_count bigint, byte_count bigint) returns void
language sql as $$
  insert into crm_usage as u (account_id, contacts, deals, bytes)
  select account, case when of_table = 'contacts' then row_count else 0 end,
    case when of_table = 'deals' then row_count else 0 end, byte_count
  where row_count <> 0 or byte_count <> 0
  on conflict (account_id) do update set
    contacts = u.contacts + excluded.contacts, deals = u.deals + excluded.deals, bytes = u.bytes + excluded.bytes;
$$;

-- The rows of a statement have no type of their own; %1$I is that of their table.
create function count_crm_inserts() returns trigger language plpgsql as $$
begin
  execute format(
    'select add_crm_usage(s.account_id, %1$L, s.row_count, s.byte_count)
     from (select n.account_id, count(*) as row_count, sum(crm_bytes(n::%1$I))::bigint as byte_count
           from new_rows n group by n.account_id) s', tg_table_name);
  return null;
end $$;
create function count_crm_deletes() returns trigger language plpgsql as $$
begin
  execute format(
    'select add_crm_usage(s.account_id, %1$L, -s.row_count, -s.byte_count)
     from (select o.account_id, count(*) as row_count, sum(crm_bytes(o::%1$I))::bigint as byte_count
           from old_rows o group by o.account_id) s', tg_table_name);
  return null;
end $$;
create function count_crm_updates() returns trigger language plpgsql as $$
begin
  execute format(
    'select add_crm_usage(s.account_id, %1$L, 0, s.byte_count)
     from (select account_id, sum(bytes)::bigint as byte_count
           from (select n.account_id, crm_bytes(n::%1$I) as bytes from new_rows n
                 union all select o.account_id, -crm_bytes(o::%1$I) from old_rows o) c
           group by account_id) s', tg_table_name);
  return null;
end $$;

-- tolerated: it only counts what nodes of earlier releases store, and changes none of their rows
create trigger contacts_inserted after insert on contacts
  referencing new table as new_rows for each statement execute function count_crm_inserts();
-- tolerated: as above
create trigger contacts_deleted after delete on contacts
  referencing old table as old_rows for each statement execute function count_crm_deletes();
-- tolerated: as above
create trigger contacts_updated after update on contacts
  referencing new table as new_rows old table as old_rows for each statement execute function count_crm_updates();
-- tolerated: as above
create trigger contact_chats_inserted after insert on contact_chats
  referencing new table as new_rows for each statement execute function count_crm_inserts();
-- tolerated: as above
create trigger contact_chats_deleted after delete on contact_chats
  referencing old table as old_rows for each statement execute function count_crm_deletes();
-- tolerated: as above
create trigger deals_inserted after insert on deals
  referencing new table as new_rows for each statement execute function count_crm_inserts();
-- tolerated: as above
create trigger deals_deleted after delete on deals
  referencing old table as old_rows for each statement execute function count_crm_deletes();
-- tolerated: as above
create trigger deals_updated after update on deals
  referencing new table as new_rows old table as old_rows for each statement execute function count_crm_updates();
-- tolerated: as above
create trigger deal_contacts_inserted after insert on deal_contacts
  referencing new table as new_rows for each statement execute function count_crm_inserts();
-- tolerated: as above
create trigger deal_contacts_deleted after delete on deal_contacts
  referencing old table as old_rows for each statement execute function count_crm_deletes();

insert into crm_usage (account_id, contacts, deals, bytes)
select account_id, sum(contacts), sum(deals), sum(bytes) from (
  select account_id, 1 as contacts, 0 as deals, crm_bytes(t) as bytes from contacts t
  union all select account_id, 0, 0, crm_bytes(t) from contact_chats t
  union all select account_id, 0, 1, crm_bytes(t) from deals t
  union all select account_id, 0, 0, crm_bytes(t) from deal_contacts t
) counted group by account_id;
