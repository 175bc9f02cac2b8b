-- expand
-- Jobs that mark a chat as read, or show that somebody is typing.
-- tolerated: earlier nodes store no such jobs
alter table send_jobs drop constraint send_jobs_kind_check;
-- tolerated: allows more than before
alter table send_jobs add constraint send_jobs_kind_check
  check (kind in ('send', 'edit', 'remove', 'react', 'mark')) not valid;
