-- expand
-- Ids that templates had in another service from which the account was taken over (core/takeover): clients go on using
-- them. They name the template by what the messenger calls it, because it may become known here only later. Kept with
-- the account.
create table template_aliases (
  account_id bigint not null,
  id uuid not null,
  name text not null,
  -- Null: any.
  language text,
  -- Channels that could send it, to choose between businesses with templates of this name.
  channel_ids uuid[] not null,
  primary key (account_id, id)
);
