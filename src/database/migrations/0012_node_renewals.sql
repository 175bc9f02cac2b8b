-- expand
-- How often the node's lease was renewed. The node remembers it: a promoted standby that has less lacks commits.
alter table nodes add column renewals bigint not null default 0;
