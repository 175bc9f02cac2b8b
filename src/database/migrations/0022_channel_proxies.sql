-- expand
-- The network route of a channel. `proxy`: the URL of its own proxy, sealed; `proxy_address`: the same without user name and
-- password, for answers. `exit_key`: its exit in the operator's pool, which it keeps while the pool has it.
alter table channels
  add column proxy bytea,
  add column proxy_address text,
  add column exit_key text;
