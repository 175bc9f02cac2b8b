-- How long the text and the content of a job's message are: it is known before they are read.
alter table send_jobs add column bytes integer not null default 0;
