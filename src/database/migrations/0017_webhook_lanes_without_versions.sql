-- Whether a lane has more to do is seen in its queue when it is given back.
alter table webhook_lanes drop column ver;
