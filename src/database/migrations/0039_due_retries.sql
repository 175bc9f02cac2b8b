-- expand
-- The cursors of refused events by the time of their next attempt: those that are due are found without a look at the events.
create index webhook_cursors_retries on webhook_cursors (due) where lane = 'retries' and claim is null;
