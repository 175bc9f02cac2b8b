import { type Queryable, sql } from "../../../database/database.ts";
import { audit, together } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import { countWaiting } from "../cursor/waiting.ts";
import { ADDRESS_COLUMNS, type Address } from "../request/request.ts";
import { pauseReceiver, resumeReceiver } from "./pause.ts";

/** A receiver of webhooks and its health. */
export interface Receiver {
  readonly id: string;
  readonly accountId: number;
  /** v3: the account's one address; v2: an address of subscriptions to single events; sink: the operator's sink. */
  readonly version: "v3" | "v2" | "sink";
  /** "" if it was removed. */
  readonly url: string;
  /** Kinds of events that it takes. */
  readonly kinds: readonly string[];
  readonly state: "active" | "failing" | "paused";
  readonly pausedAt: Date | null;
  readonly pauseReason: "failing" | "asked" | null;
  readonly failingSince: Date | null;
  /** Failed requests since then. */
  readonly failures: number;
  readonly lastSuccessAt: Date | null;
  /** At least this many events wait. */
  readonly queued: number;
  readonly parked: number;
  /** Limit of events per request; null: the setting of the installation. */
  readonly maxItems: number | null;
  readonly concurrency: number;
}

const COLUMNS = `e.id, e.account_id as "accountId", e.version, e.url, e.kinds,
  case when e.paused_at is not null then 'paused' when e.failing_since is not null then 'failing' else 'active' end as state,
  e.paused_at as "pausedAt", e.pause_reason as "pauseReason", e.failing_since as "failingSince", e.failures,
  (select a.at from webhook_attempts a where a.account_id = e.account_id and a.endpoint_id = e.id
     and a.status between 200 and 299 order by a.account_id desc, a.endpoint_id desc, a.at desc limit 1) as "lastSuccessAt",
  (select coalesce(sum(${countWaiting("c")}), 0)::int from webhook_cursors c where c.endpoint_id = e.id) as queued,
  (select count(*)::int from webhook_retries p where p.account_id = e.account_id and p.endpoint_id = e.id and p.state = 'parked') as parked,
  e.max_items as "maxItems", e.concurrency`;

/** The sink is the operator's alone; `withSink`: an operator asks. */
export interface Asking {
  readonly withSink?: boolean;
}

const LIST = sql(
  "webhook_receivers_list",
  `select ${COLUMNS} from webhook_endpoints e where e.account_id = $1 and ($2 or e.version <> 'sink')
   order by e.version = 'sink', e.version desc, e.created_at, e.id`,
);

/**
 * The v3 address first, the sink last. Addresses of v2 without a subscription are omitted unless events wait for them.
 */
export async function listReceivers(
  db: Queryable,
  { accountId }: Scope,
  { withSink = false }: Asking = {},
): Promise<Receiver[]> {
  const all = await db.query<Receiver>(LIST, [accountId, withSink]);
  return all.filter(
    ({ version, kinds, queued, parked }) => version === "v3" || kinds.length > 0 || queued > 0 || parked > 0,
  );
}

const WORST = sql(
  "webhook_receivers_worst",
  `select ${COLUMNS} from (
     select * from webhook_endpoints where ($1::bigint is null or account_id = $1) and url <> '' and version <> 'sink'
     order by paused_at, failing_since, created_at desc limit 200) e
   order by e.paused_at, e.failing_since, e.created_at desc, e.id`,
);

/** The first two hundred addresses of webhooks, paused and failing ones first. `accountId` null: of all accounts. */
export function listWorstReceivers(db: Queryable, accountId: number | null): Promise<Receiver[]> {
  return db.query<Receiver>(WORST, [accountId]);
}

const FIND = sql(
  "webhook_receiver_find",
  `select ${COLUMNS} from webhook_endpoints e
   where e.account_id = $1 and ($3 or e.version <> 'sink') and (e.id = $2 or ($2::uuid is null and e.version = 'v3'))`,
);

/** `id` null: the account's v3 address. Throws WEBHOOK_RECEIVER_NOT_FOUND. */
export async function getReceiver(
  db: Queryable,
  { accountId }: Scope,
  id: string | null,
  { withSink = false }: Asking = {},
): Promise<Receiver> {
  const [receiver] = await db.query<Receiver>(FIND, [accountId, id, withSink]);
  if (receiver === undefined) throw new AppError("WEBHOOK_RECEIVER_NOT_FOUND");
  return receiver;
}

const ADDRESS = sql(
  "webhook_receiver_address",
  `select ${ADDRESS_COLUMNS}, e.kinds from webhook_endpoints e where e.account_id = $1 and e.id = $2`,
);

type ReceiverAddress = Address & { readonly kinds: readonly string[] };

/** The address of its requests. Null: there is no such receiver. */
export async function findAddress(
  db: Queryable,
  { accountId }: Scope,
  id: string,
): Promise<ReceiverAddress | null> {
  const [address] = await db.query<ReceiverAddress>(ADDRESS, [accountId, id]);
  return address ?? null;
}

/** The address of its requests. Throws WEBHOOK_RECEIVER_NOT_FOUND. */
export async function getAddress(db: Queryable, scope: Scope, id: string): Promise<ReceiverAddress> {
  const address = await findAddress(db, scope, id);
  if (address === null) throw new AppError("WEBHOOK_RECEIVER_NOT_FOUND");
  return address;
}

/** Pauses a receiver on request. Idempotent. */
export async function pauseByHand(
  db: Base["db"],
  scope: Scope,
  id: string | null,
  asking?: Asking,
): Promise<Receiver> {
  const { accountId } = scope;
  const { id: endpointId } = await getReceiver(db, scope, id, asking);
  const notice = "Paused by an operator. All events are kept until it is resumed.";
  await db.tx(async (tx) => {
    if (await pauseReceiver(tx, { accountId, endpointId }, "asked", notice))
      await audit(tx, { accountId, action: "webhook.pause", subject: endpointId });
  });
  return getReceiver(db, scope, endpointId, asking);
}

/** Resumes a paused receiver on request. Idempotent. Notify the topic `webhooks` afterwards. */
export async function resumeByHand(
  db: Base["db"],
  scope: Scope,
  id: string | null,
  asking?: Asking,
): Promise<Receiver> {
  const { accountId } = scope;
  const { id: endpointId } = await getReceiver(db, scope, id, asking);
  await db.tx(async (tx) => {
    if (await resumeReceiver(tx, { accountId, endpointId }))
      await audit(tx, { accountId, action: "webhook.resume", subject: endpointId });
  });
  return getReceiver(db, scope, endpointId, asking);
}

export interface ReceiverChange {
  /** Null: the setting of the installation. */
  readonly maxItems?: number | null;
  readonly concurrency?: number;
}

const CHANGE = sql(
  "webhook_receiver_change",
  `update webhook_endpoints set max_items = case when $3 then $4 else max_items end, concurrency = coalesce($5, concurrency)
   where account_id = $1 and id = $2`,
);

/** Changes the batch size and concurrency of a receiver. */
export async function changeReceiver(
  db: Queryable,
  scope: Scope,
  { id, change }: { readonly id: string | null; readonly change: ReceiverChange },
): Promise<Receiver> {
  const { id: endpointId } = await getReceiver(db, scope, id);
  const { maxItems, concurrency = null } = change;
  const values = [scope.accountId, endpointId, maxItems !== undefined, maxItems ?? null, concurrency];
  await together(db, async (tx) => {
    await tx.query(CHANGE, values);
    const { accountId } = scope;
    await audit(tx, { accountId, action: "webhook.receiver", subject: endpointId, details: { ...change } });
  });
  return getReceiver(db, scope, endpointId);
}
