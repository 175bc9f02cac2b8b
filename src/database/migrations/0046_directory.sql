-- expand
-- What a cell knows of the directory of its installation (core/directory). Without a directory, all of it stays empty.

-- The claim in the directory by which the channel has its messenger account (`messenger_id`); null: none, or not known.
alter table channels add column link_claim uuid;

-- How often the account has moved to another cell; the number of moves with which the directory knows it in this cell
-- (null: not at all); and the cell in which the directory has it instead.
alter table accounts add column moves integer not null default 0, add column listed_moves integer, add column listed_cell text;
create index accounts_unlisted on accounts (id) where listed_moves is distinct from moves;
create index accounts_listed_elsewhere on accounts (id) where listed_cell is not null;

-- Whether the directory has the token, so that other cells take it too.
alter table oauth_machine_tokens add column is_shared boolean not null default false;
create index oauth_machine_tokens_unshared on oauth_machine_tokens (expires_at) where not is_shared;

-- Claims that channels have given up; deleted when the directory knows.
create table released_links (
  account_id bigint not null,
  claim uuid not null,
  at timestamptz not null default now(),
  primary key (account_id, claim)
);
create index released_links_at on released_links (at);

-- A channel gives up its claim with its messenger account, or when it is disconnected or deleted.
create function release_link() returns trigger language plpgsql as $$
declare
  ends constant boolean := new.status = 'disabled' or new.deleted_at is not null or new.messenger_id is distinct from old.messenger_id;
begin
  if not ends and new.link_claim is not distinct from old.link_claim then return new; end if;
  if new.link_claim = old.link_claim then new.link_claim := null; end if;
  insert into released_links (account_id, claim) values (old.account_id, old.link_claim) on conflict do nothing;
  return new;
end $$;
-- tolerated: earlier nodes claim nothing, and give up what they end.
create trigger channel_gives_up_link before update on channels
  for each row when (old.link_claim is not null) execute function release_link();
