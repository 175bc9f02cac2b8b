import { removals } from "../retention.ts";

/** `$1`: the days for which events are kept. A replay is deleted after its items. */
export const WEBHOOK_RETENTION = removals({
  webhook_notices:
    "delete from webhook_notices where ctid in (select ctid from webhook_notices where at < now() - $1 * interval '1 day' limit 5000)",
  webhook_replay_items: `delete from webhook_replay_items where ctid in (
     select i.ctid from (
       select account_id, id from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at) r
     cross join lateral (
       select ctid from webhook_replay_items
       where account_id = any(array[r.account_id]) and replay_id = any(array[r.id]) limit 5000) i
     limit 5000)`,
  webhook_replays: `delete from webhook_replays r where ctid in (
     select ctid from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 1000)
     and (select true from webhook_replay_items i where i.account_id = any(array[r.account_id]) and i.replay_id = r.id limit 1)
       is null`,
});
