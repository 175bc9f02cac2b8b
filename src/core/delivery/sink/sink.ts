import { type Database, type Queryable, sql } from "../../../database/database.ts";
import { audit } from "../../audit/audit.ts";
import { ALL_CREATION_KINDS } from "../../payload/creation-kinds.ts";
import { dropQueue } from "../cursor/queues.ts";
import { eachWaiting, firstWaiting, MAX_COUNTED } from "../cursor/waiting.ts";
import { V2_EVENTS, V3_KINDS } from "../receiver/kinds.ts";
import { MAX_DELIVERIES } from "../request/replay.ts";

/** The sink, as its receivers know it: a row of `webhook_endpoints` for each account. */
export interface Sink {
  /** Without credentials. */
  readonly url: string;
  readonly kinds: readonly string[];
}

/** Kinds of events that the sink can take: those that ask for nothing. */
export const SINK_KINDS: readonly string[] = [...V3_KINDS, ...V2_EVENTS].filter(
  (kind) => !ALL_CREATION_KINDS.some((creation) => creation === kind),
);

/** Whether a receiver is the sink. Webhooks go to http and https alone. */
export function isSink({ url }: { readonly url: string }): boolean {
  return /^(amqp|nats|kafka)s?:/.test(url);
}

const STORE = `
  insert into event_sink as s (url, kinds) values ($1, $2)
  on conflict (only_row) do update set url = excluded.url, kinds = excluded.kinds
  where (s.url, s.kinds) is distinct from (excluded.url, excluded.kinds)`;
const ALIGN = sql("event_sink_align", "select align_sink($1)");

/**
 * Lets the transaction change receivers of accounts that are leaving this cell, too: the target has its own sink, and an
 * account that stays after all must have the one of this cell.
 */
const WITH_MOVING = "set local trunkline.account_move = 'upkeep'";

/**
 * From now on the events of all accounts go to this sink. One that existed keeps its position, also if it has another
 * address. Idempotent.
 */
export async function useSink(db: Database, { url, kinds }: Sink): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(WITH_MOVING);
    await tx.query(STORE, [url, kinds]);
    await tx.query(ALIGN, [null]);
  });
}

export interface SinkState extends Sink {
  readonly accounts: number;
  /** Those that the broker accepts nothing of. */
  readonly failing: number;
  readonly failingSince: Date | null;
  /** Why the broker last accepted nothing, and when; also if it works again. */
  readonly failure: string | null;
  readonly failedAt: Date | null;
  /** Counted up to `MAX_COUNTED`. */
  readonly queued: number;
  /** The time of the oldest event that waits. */
  readonly queuedSince: Date | null;
  readonly parked: number;
}

const CURSORS = `webhook_endpoints e join webhook_cursors c on c.endpoint_id = e.id`;
const IS_SINK = "e.version = 'sink'";
const STATE = `
  select s.url, s.kinds, s.failure, s.failed_at as "failedAt",
    count(e.id)::int as accounts, count(e.failing_since)::int as failing, min(e.failing_since) as "failingSince",
    (select count(*)::int from (
      select 1 from ${CURSORS} cross join ${eachWaiting("c", MAX_COUNTED)} w where ${IS_SINK} limit ${MAX_COUNTED}) q) as queued,
    (select min(w.created_at) from ${CURSORS} cross join ${firstWaiting("c")} w where ${IS_SINK}) as "queuedSince",
    coalesce(sum((select count(*) from webhook_retries p
      where p.account_id = e.account_id and p.endpoint_id = e.id and p.state = 'parked')), 0)::float8 as parked
  from event_sink s left join webhook_endpoints e on ${IS_SINK} group by s.only_row`;

/** Null: no node has ever had a sink, or it was dropped. */
export async function sinkState(db: Queryable): Promise<SinkState | null> {
  const [state] = await db.query<SinkState>(STATE);
  return state ?? null;
}

const MAX_FAILURE = 500;
const FAILED = sql(
  "event_sink_failed",
  "update event_sink set failure = $1, failed_at = now() where only_row",
);

/** Keeps why the broker accepts nothing, for operators. */
export async function recordSinkFailure(db: Queryable, reason: string): Promise<void> {
  await db.query(FAILED, [reason.slice(0, MAX_FAILURE)]);
}

const RECEIVERS = `select account_id as "accountId", id as "endpointId" from webhook_endpoints where version = 'sink'`;
const REMOVE_PARKED = "delete from webhook_retries where account_id = $1 and endpoint_id = $2";
const REMOVE = "delete from webhook_endpoints where account_id = $1 and id = $2";

/** Ends the sink: what waits for it is discarded. Returns the number of accounts. Repeatable after a failure. */
export async function dropSink(db: Database): Promise<number> {
  await db.tx(async (tx) => {
    if ((await tx.query("delete from event_sink returning url")).length > 0)
      await audit(tx, { accountId: null, action: "installation.sink" });
  });
  const receivers = await db.query<{ accountId: number; endpointId: string }>(RECEIVERS);
  for (const receiver of receivers)
    await db.tx(async (tx) => {
      await tx.query(WITH_MOVING);
      const key = [receiver.accountId, receiver.endpointId];
      await dropQueue(tx, receiver);
      await tx.query(REMOVE_PARKED, key);
      await tx.query(REMOVE, key);
    });
  return receivers.length;
}

const PARKED = `
  select account_id as "accountId", endpoint_id as "receiverId", array_agg(event_id order by event_id) as "eventIds"
  from (
    select p.account_id, p.endpoint_id, p.event_id,
      (row_number() over (partition by p.account_id order by p.event_id) - 1) / $1 as part
    from webhook_endpoints e
    join webhook_retries p on p.account_id = e.account_id and p.endpoint_id = e.id and p.state = 'parked'
    where e.version = 'sink') p
  group by account_id, endpoint_id, part order by account_id, part`;

/** Events of one account that the sink refused. */
export interface SinkParked {
  readonly accountId: number;
  readonly receiverId: string;
  readonly eventIds: readonly number[];
}

/** All that the sink refused until the end of its schedule, oldest first, in parts that one replay takes. */
export function parkedOfSink(db: Queryable, size = MAX_DELIVERIES): Promise<SinkParked[]> {
  return db.query(PARKED, [size]);
}
