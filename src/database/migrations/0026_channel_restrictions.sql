-- expand
-- What the messenger does not allow the account of a channel, beside the channel's status: a list of `StoredRestriction`
-- (core/channel-restrictions.ts). The column holds only sentences of our own and dates, so jsonb can hold it. Upkeep ends
-- those whose time is over (`endRestrictions`); `restriction_ends_at` is the earliest end.
alter table channels add column restrictions jsonb not null default '[]', add column restriction_ends_at timestamptz;
create index channels_restricted on channels (restriction_ends_at) where restriction_ends_at is not null;
