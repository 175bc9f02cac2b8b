-- Which application an address of v2 belongs to: null for the account's owner, without a client for a partner's own tokens.
alter table webhook_endpoints
  add column partner_id bigint references partners,
  add column client_id uuid references oauth_clients,
  add check (client_id is null or partner_id is not null);
drop index webhook_endpoints_v2;
-- An address that an application lost with its grant is empty.
create unique index webhook_endpoints_v2 on webhook_endpoints (account_id, url, partner_id, client_id) nulls not distinct
  where version = 'v2' and url <> '';
create index webhook_endpoints_partner on webhook_endpoints (account_id) where partner_id is not null;
