-- Finding a channel's oldest dead letters must not read those of all other channels.
create index inbound_dead_letters_by_channel on inbound_dead_letters (account_id, channel_id, last_at, id);
