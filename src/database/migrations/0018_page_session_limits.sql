-- expand
-- Sessions that come from another one end with it, and those of a channel's own link can be ended together.
-- `ends_at`: the latest end of the session that the ticket opens; null: its usual lifetime. `link_channel`: the channel
-- whose own link opened the session, or the session that requested the ticket; null for links that a token or an operator
-- requested.
alter table page_tickets add column ends_at timestamptz, add column link_channel uuid;
create index page_tickets_link_channel on page_tickets (link_channel) where link_channel is not null;
