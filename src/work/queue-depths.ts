import type { Queryable } from "../database/database.ts";

export interface ChannelCount {
  readonly transport: string;
  readonly status: string;
  readonly channels: number;
}

export interface QueueDepth {
  readonly queue: "send" | "webhook" | "parked" | "dead_letters" | "files" | "exports";
  readonly jobs: number;
  /** Seconds since the oldest due job was added. */
  readonly delay: number;
}

/** Nobody acts on a larger number, and counting must not take longer the worse things are. */
const MAX_COUNTED = 1_000_000;
const counted = (rows: string): string => `(select * from ${rows} limit ${MAX_COUNTED})`;
const secondsSince = (time: string): string =>
  `coalesce(extract(epoch from now() - min(${time})), 0)::float8`;

// The first event of each queue is its oldest. A join of queues and events might be planned as one look at all events.
const DEPTHS = `
  select 'send' as queue, count(*)::int as jobs, ${secondsSince("created_at")} as delay from ${counted("send_jobs")}
  union all select 'webhook', count(*)::int, (
    select ${secondsSince("(select created_at from events e where e.account_id = q.account_id and e.id = q.event_id)")}
    from webhook_lanes l cross join lateral (
      select account_id, event_id from webhook_queue where lane = l.id order by lane, event_id limit 1) q
  ) from ${counted("webhook_queue")}
  union all select 'parked', count(*)::int, 0 from ${counted("webhook_parked")}
  union all select 'dead_letters', count(*)::int, 0 from ${counted("inbound_dead_letters")}
  union all select 'files', count(*)::int, ${secondsSince("created_at")} from ${counted("files where state = 'waiting'")}
  union all select 'exports', count(*)::int, ${secondsSince("requested_at")}
    from message_exports where finished_at is null`;
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
