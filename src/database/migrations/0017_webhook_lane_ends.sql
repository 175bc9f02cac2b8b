-- Whether a lane has more to do is seen in its queue when it is given back.
alter table webhook_lanes drop column ver;
-- Where the queue begins: nothing is left up to this event, and nothing will be added before it.
alter table webhook_lanes add column done_to bigint not null default 0;
