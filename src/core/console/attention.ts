import { type Queryable, sql } from "../../database/database.ts";
import { isOverdue } from "../node/upkeep-steps.ts";
import { INSTALLATION } from "../statistics/statistics.ts";

/**
 * What needs an operator's attention. `channel_down`: a channel does not work; `channel_waits`: a channel has waited
 * long to be linked; `channel_restricted`: the messenger restricts its account; `channel_stopped`: its sending was stopped here; `sends_wait`: its oldest message has waited
 * long although the channel works and sends; `receiver_paused`, `receiver_failing`: webhooks are not accepted; `events_parked`:
 * events that a receiver refused; `reports_refused`: messengers' reports that could not be stored; `exports_fail`:
 * exports that fail repeatedly; `sink_failing`, `sink_parked`: events that the sink does not accept, of how many accounts, or has refused;
 * `upkeep_fails`: upkeep steps that have not succeeded for several periods;
 * `older_node`: an hour after a later release migrated the database, a node still runs an earlier one; `no_node`: no
 * node runs channels, delivers webhooks, or does the upkeep; `disk_full`: the disk of a node's data is nearly full;
 * `queue_grows`: a queue of the installation has doubled within 15 minutes.
 */
export const ATTENTION_KINDS = [
  "no_node",
  "disk_full",
  "upkeep_fails",
  "older_node",
  "channel_down",
  "sink_failing",
  "receiver_paused",
  "sends_wait",
  "queue_grows",
  "receiver_failing",
  "events_parked",
  "sink_parked",
  "reports_refused",
  "exports_fail",
  "channel_restricted",
  "channel_stopped",
  "channel_waits",
] as const;

export interface Attention {
  readonly kind: (typeof ATTENTION_KINDS)[number];
  readonly level: "bad" | "wait";
  readonly accountId: number | null;
  /** Id of the channel, receiver or export; "" where there is none. */
  readonly subject: string;
  /** Name of the channel or steps, or the receiver's address without its query. */
  readonly name: string;
  readonly transport: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly since: Date | null;
}

/** Of each kind, no more are listed. */
export const ATTENTION_LIMIT = 50;
/** From this share of a disk in percent. */
const DISK_FULL = 90;
/** A shorter queue is never reported as growing. */
const MIN_QUEUE = 1_000;
/** Counting stops here. */
const MAX_COUNTED = 1_000;
const COLUMNS = "kind, level, account_id, subject, name, transport, reason, count, since";
/** Accounts take turns, so that one with many problems does not hide those of others; the newest first. */
const some = (select: string): string => `(select ${COLUMNS} from (
    select r.*, row_number() over (partition by kind order by turn, since desc nulls last) as place from (
      select q.*, row_number() over (partition by kind, account_id order by since desc nulls last) as turn
      from (${select}) as q (${COLUMNS})) as r) as p
  where place <= ${ATTENTION_LIMIT})`;
const OF = "($1::bigint is null or account_id = $1)";

const NODE_IS_ALIVE = "n.lease_until > now() and";
const LIST = sql(
  "console_attention",
  [
    `select 'no_node' as kind, 'bad' as level, null::bigint as "accountId", '' as subject, '' as name, null::text as transport,
       r.role as reason, 0 as count, null::timestamptz as since
     from unnest(array['sessions', 'delivery', 'jobs']) as r (role)
     where $1::bigint is null and not exists (select 1 from nodes n where ${NODE_IS_ALIVE} r.role = any(n.roles))`,
    `select 'upkeep_fails', 'bad', null, '', string_agg(step, ', ' order by step), null,
       (array_agg(failure order by failure is null, step))[1], count(*)::int, min(coalesce(succeeded_at, since))
     from upkeep_steps s where $1::bigint is null and ${isOverdue("s")}
       and exists (select 1 from nodes n where ${NODE_IS_ALIVE} 'jobs' = any(n.roles))
     having count(*) > 0`,
    `select 'older_node', 'wait', null, n.id::text, n.name, null, null, count(*)::int, min(m.applied_at)
     from nodes n join schema_migrations m on m.version > n.schema_version
     where $1::bigint is null and ${NODE_IS_ALIVE} m.applied_at < now() - interval '1 hour' group by n.id`,
    // Samples of the last complete minutes, of points of five minutes.
    `select 'disk_full', 'bad', null, '', label, null, null, max(peak)::int, min(at)
     from statistics where $1::bigint is null and account_id = ${INSTALLATION} and span_seconds = 300 and kind = 'disk'
       and at > now() - interval '11 minutes'
     group by label having min(peak) >= ${DISK_FULL}`,
    `select 'queue_grows', 'wait', null, '', label, null, null, max(peak) filter (where at > now() - interval '10 minutes')::int,
       min(at)
     from statistics where $1::bigint is null and account_id = ${INSTALLATION} and span_seconds = 300 and kind = 'queue'
       and at > now() - interval '25 minutes'
     group by label
     having count(*) > 2 and max(peak) filter (where at > now() - interval '10 minutes') >= ${MIN_QUEUE}
       and max(peak) filter (where at > now() - interval '10 minutes')
         > 2 * coalesce(max(peak) filter (where at <= now() - interval '15 minutes'), 0)`,
    some(`select case when status = 'disabled' then 'channel_down' else 'channel_waits' end,
       case when status = 'disabled' then 'bad' else 'wait' end, account_id, id::text, name, transport, reason, 0, status_at
     from channels where ${OF} and deleted_at is null
       and (status = 'disabled' or status = 'init' and status_at < now() - interval '10 minutes')`),
    some(`select 'channel_restricted', 'wait', c.account_id, c.id::text, c.name, c.transport, r ->> 'kind', 0,
       (r ->> 'since')::timestamptz
     from channels c cross join lateral jsonb_array_elements(c.restrictions) r
     where ($1::bigint is null or c.account_id = $1) and c.restrictions <> '[]' and c.deleted_at is null`),
    some(`select 'channel_stopped', 'wait', p.account_id, c.id::text, c.name, c.transport, null, 0, p.stopped_at
     from channel_pacing p join channels c on c.account_id = p.account_id and c.id = p.channel_id
     where ($1::bigint is null or p.account_id = $1) and p.stopped_at is not null and c.deleted_at is null`),
    some(`select 'sends_wait', 'bad', c.account_id, c.id::text, c.name, c.transport, null, count(*)::int, min(j.due)
     from channels c cross join lateral (
       select distinct on (chat) greatest(created_at, not_before) as due from send_jobs s
       where s.account_id = c.account_id and s.channel_id = c.id order by chat, id) j
     where j.due < now() - interval '5 minutes' and ($1::bigint is null or c.account_id = $1) and c.status = 'active'
       and c.deleted_at is null
       and not exists (
         select 1 from channel_pacing p
         where p.account_id = any(array[c.account_id]) and p.channel_id = c.id and p.stopped_at is not null)
     group by c.account_id, c.id, c.name, c.transport`),
    some(`select case when paused_at is not null then 'receiver_paused' else 'receiver_failing' end, 'bad', account_id, id::text,
       split_part(url, '?', 1), null, pause_reason, failures, coalesce(paused_at, failing_since)
     from webhook_endpoints where ${OF} and url <> '' and version <> 'sink' and (paused_at is not null or failing_since is not null)`),
    some(`select 'events_parked', 'wait', e.account_id, e.id::text, split_part(e.url, '?', 1), null, null, p.count, p.since
     from webhook_endpoints e cross join lateral (
       select count(*)::int as count, min(parked_at) as since from (
         select parked_at from webhook_retries
         where account_id = any(array[e.account_id]) and endpoint_id = any(array[e.id]) and state = 'parked'
         order by account_id, endpoint_id, event_id limit ${MAX_COUNTED}) q) p
     where ($1::bigint is null or e.account_id = $1) and e.version <> 'sink' and p.count > 0`),
    `select 'sink_failing', 'bad', null, '', min(url), null, null, count(*)::int, min(failing_since)
     from webhook_endpoints where $1::bigint is null and version = 'sink' and failing_since is not null having count(*) > 0`,
    `select 'sink_parked', 'wait', null, '', min(e.url), null, null, sum(p.count)::int, min(p.since)
     from webhook_endpoints e cross join lateral (
       select count(*)::int as count, min(parked_at) as since from (
         select parked_at from webhook_retries
         where account_id = any(array[e.account_id]) and endpoint_id = any(array[e.id]) and state = 'parked'
         order by account_id, endpoint_id, event_id limit ${MAX_COUNTED}) q) p
     where $1::bigint is null and e.version = 'sink' and p.count > 0 having count(*) > 0`,
    some(`select 'reports_refused', 'wait', c.account_id, c.id::text, c.name, c.transport, null, d.count, d.since
     from channels c cross join lateral (
       select count(*)::int as count, min(first_at) as since from (
         select first_at from inbound_dead_letters
         where account_id = any(array[c.account_id]) and channel_id = any(array[c.id])
           and stage <> 'unknown'
         order by account_id, channel_id, last_at, id limit ${MAX_COUNTED}) q) d
     where ($1::bigint is null or c.account_id = $1) and c.deleted_at is null and d.count > 0`),
    some(`select 'exports_fail', 'wait', account_id, id::text, '', null, null, failures, requested_at
     from message_exports where ${OF} and finished_at is null and failures > 2`),
  ].join(" union all "),
);

/** Most urgent first. `accountId` null: of the whole installation. */
export async function listAttention(db: Queryable, accountId: number | null): Promise<Attention[]> {
  const rows = await db.query<Attention>(LIST, [accountId]);
  const rank = ({ kind }: Attention): number => ATTENTION_KINDS.indexOf(kind);
  return rows.toSorted((a, b) => rank(a) - rank(b) || (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0));
}
