-- What an account uses of its quotas, where counting would take long.
create table account_usage (
  account_id bigint primary key references accounts,
  file_bytes bigint not null default 0
);
-- Bytes that the file counts with in account_usage, from the moment when it is stored until it is removed.
alter table files add column counted_bytes bigint;
update files set counted_bytes = size where state = 'stored';
insert into account_usage (account_id, file_bytes)
  select account_id, sum(counted_bytes) from files where counted_bytes is not null group by account_id;

create index send_jobs_account on send_jobs (account_id);
