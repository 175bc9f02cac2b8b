-- Admission to one of our pages, for one visit: what the page is opened with. The link holds the ticket itself.
create table page_tickets (
  account_id bigint not null references accounts,
  hash bytea primary key,
  page text not null check (page in ('channels', 'chats')),
  opening jsonb not null,
  expires_at timestamptz not null,
  redeemed_at timestamptz
);
create index page_tickets_expires on page_tickets (expires_at);
