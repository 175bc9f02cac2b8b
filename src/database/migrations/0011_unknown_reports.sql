-- expand
-- Parts of messengers' reports that no connector knows are kept as samples: `unknown` is one row per channel and kind,
-- with the newest sample; `reason` is the kind. Upkeep deletes it 30 days after the last report.
-- tolerated: earlier nodes list these rows with the others, and store none
alter table inbound_dead_letters drop constraint inbound_dead_letters_stage_check;
-- tolerated: allows more than before
alter table inbound_dead_letters add constraint inbound_dead_letters_stage_check
  check (stage in ('payload', 'event', 'unknown')) not valid;
