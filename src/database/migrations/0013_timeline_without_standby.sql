-- contract 0012
-- Each node remembers by itself whether the primary had a synchronous standby.
alter table database_timeline drop column is_synchronous;
