-- expand
-- The request that a replay has sent, so that its new delivery can be found (`core/delivery/request/replay.ts`).

-- Id in `webhook_attempts`; null before, and if nothing could be sent. Earlier nodes leave it null.
alter table webhook_replay_items add column attempt_id bigint;
