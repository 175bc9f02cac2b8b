-- A release names the version of the lane that it read. Counted from 1, a lane that was removed and made anew had the
-- version of the old one again; now each version is a number that no other lane, before or after, has.
alter table send_lanes alter column ver set default floor(random() * 9007199254740991)::bigint;
