import type { Queryable } from "../../database/database.ts";
import { eachWaiting, firstWaiting, isUnpaused, MAX_COUNTED } from "../delivery/cursor/waiting.ts";

export interface ChannelCount {
  readonly transport: string;
  readonly status: string;
  readonly channels: number;
}

export const QUEUES = ["send", "webhook", "parked", "dead_letters", "files", "exports"] as const;

export interface QueueDepth {
  readonly queue: (typeof QUEUES)[number];
  readonly jobs: number;
  /** Seconds since the oldest due job was added. */
  readonly delay: number;
}

const counted = (rows: string): string => `(select * from ${rows} limit ${MAX_COUNTED}) counted`;
const secondsSince = (time: string): string =>
  `coalesce(extract(epoch from now() - min(${time})), 0)::float8`;

// Events of a paused receiver wait for its owner, not for this service.
const CURSORS = `(select * from webhook_cursors c where ${isUnpaused("c")}) c`;
// The oldest event of each cursor is the first that waits for it.
const DEPTHS = `
  select 'send' as queue, count(*)::int as jobs, ${secondsSince("created_at")} as delay from ${counted("send_jobs")}
  union all select 'webhook', (
    select count(*)::int from (
      select 1 from ${CURSORS} cross join ${eachWaiting("c", MAX_COUNTED)} w limit ${MAX_COUNTED}) q), (
    select ${secondsSince("w.created_at")} from ${CURSORS} cross join ${firstWaiting("c")} w)
  union all select 'parked', count(*)::int, 0 from ${counted("webhook_retries where state = 'parked'")}
  union all select 'dead_letters', count(*)::int, 0 from ${counted("inbound_dead_letters where stage <> 'unknown'")}
  union all select 'files', count(*)::int, ${secondsSince("created_at")} from ${counted("files where state = 'waiting' and due < 'infinity'")}
  union all select 'exports', count(*)::int, ${secondsSince("requested_at")}
    from message_exports where finished_at is null`;
export interface RestrictedCount {
  readonly transport: string;
  readonly kind: string;
  readonly channels: number;
}

const RESTRICTED = `select transport, r ->> 'kind' as kind, count(*)::int as channels
  from channels cross join lateral jsonb_array_elements(restrictions) r
  where restrictions <> '[]' and deleted_at is null group by 1, 2`;

/** Channels whose account the messenger restricts, over all nodes. */
export function restrictedCounts(db: Queryable): Promise<RestrictedCount[]> {
  return db.query(RESTRICTED, []);
}

const CHANNELS =
  "select transport, status, count(*)::int as channels from channels where deleted_at is null group by transport, status";

/** Over all nodes. */
export function queueDepths(db: Queryable): Promise<QueueDepth[]> {
  return db.query(DEPTHS, []);
}

/** Channels that are not deleted, over all nodes. */
export function channelCounts(db: Queryable): Promise<ChannelCount[]> {
  return db.query(CHANNELS, []);
}
