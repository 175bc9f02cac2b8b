import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Core, Scope } from "../core.ts";
import { AppError } from "../errors.ts";
import { entityAskedFor } from "../event/creation-payloads.ts";
import type { V2Event } from "./kinds.ts";
import {
  checkUri,
  dropQueue,
  forgetAsked,
  lockSettings,
  newWebhookSecret,
  refreshV3Kinds,
} from "./settings.ts";

/** One event that goes to one address. */
export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly event: V2Event;
}

const LIST = sql(
  "webhook_subscriptions_list",
  `select s.id, e.url, s.event from webhook_subscriptions s
   join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 order by s.created_at, s.id`,
);

export function listSubscriptions(db: Queryable, { accountId }: Scope): Promise<Subscription[]> {
  return db.query<Subscription>(LIST, [accountId]);
}

/**
 * Subscribes to events, all or none. One that exists already stays as it is and is answered too. Throws
 * `WEBHOOK_SUBSCRIPTION_EXISTS` where another address is asked to create what only one may create, and
 * `WEBHOOK_TOO_MANY_ADDRESSES`.
 */
export async function addSubscriptions(
  core: Core,
  scope: Scope,
  wanted: readonly Omit<Subscription, "id">[],
): Promise<Subscription[]> {
  for (const { url } of wanted) checkUri(core, url);
  return storeAll(core, scope, wanted, (tx, each) => addOne(core, tx, { scope, ...each }));
}

const ENDPOINT = sql(
  "webhook_subscriptions_endpoint",
  `insert into webhook_endpoints (account_id, id, version, url, kinds, secret) values ($1, $2, 'v2', $3, '{}', $4)
   on conflict (account_id, url) where version = 'v2' do update set url = excluded.url returning id`,
);
const ADD = sql(
  "webhook_subscription_add",
  `insert into webhook_subscriptions (account_id, id, endpoint_id, event) values ($1, $2, $3, $4)
   on conflict (account_id, endpoint_id, event) do update set event = excluded.event returning id`,
);

async function addOne(
  core: Core,
  tx: Queryable,
  { scope, url, event }: { scope: Scope; url: string; event: V2Event },
): Promise<Subscription> {
  const endpointId = await endpointFor(core, tx, { scope, url });
  await refuseSecondCreator(tx, scope, { event, endpointId });
  const [row] = await tx.query<{ id: string }>(ADD, [scope.accountId, newId(), endpointId, event]);
  if (row === undefined) throw new Error("A subscription was not stored");
  return { id: row.id, url, event };
}

const OTHER_CREATOR = sql(
  "webhook_subscription_other_creator",
  `select e.url from webhook_subscriptions s
   join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 and s.event = $2 and s.endpoint_id <> $3`,
);

/** Two addresses that both create a contact for a client would make two of it. */
async function refuseSecondCreator(
  tx: Queryable,
  { accountId }: Scope,
  { event, endpointId }: { readonly event: V2Event; readonly endpointId: string },
): Promise<void> {
  if (entityAskedFor(event) === null) return;
  const [other] = await tx.query<{ url: string }>(OTHER_CREATOR, [accountId, event, endpointId]);
  if (other !== undefined)
    throw new AppError("WEBHOOK_SUBSCRIPTION_EXISTS", {
      description: "Another address is already subscribed to this event, and only one may be",
      data: { url: other.url, event },
    });
}

async function endpointFor(
  core: Core,
  tx: Queryable,
  { scope, url }: { scope: Scope; url: string },
): Promise<string> {
  const values = [scope.accountId, newId(), url, newWebhookSecret(core, scope)];
  const [row] = await tx.query<{ id: string }>(ENDPOINT, values);
  if (row === undefined) throw new Error("An endpoint was not stored");
  return row.id;
}

const KINDS = sql(
  "webhook_subscriptions_kinds",
  `update webhook_endpoints e set kinds = array(
     select s.event from webhook_subscriptions s where s.account_id = e.account_id and s.endpoint_id = e.id order by s.event)
   where e.account_id = $1 and e.version = 'v2'`,
);

/** Every event is queued, and posted, once for each. */
const MAX_ADDRESSES = 100;
const COUNT = sql(
  "webhook_subscriptions_count",
  "select count(distinct endpoint_id)::integer as addresses from webhook_subscriptions where account_id = $1",
);

async function countAddresses(tx: Queryable, { accountId }: Scope): Promise<number> {
  const [counted] = await tx.query<{ addresses: number }>(COUNT, [accountId]);
  return counted?.addresses ?? 0;
}

/**
 * Adds or changes one subscription after the other, all or none. That there are too many addresses is said only where one
 * was added: an account may have more of them from before there was a limit.
 */
async function storeAll<T>(
  core: Core,
  scope: Scope,
  list: readonly T[],
  store: (tx: Queryable, each: T) => Promise<Subscription>,
): Promise<Subscription[]> {
  return core.db.tx(async (tx) => {
    await lockSettings(tx, scope);
    const before = await countAddresses(tx, scope);
    const stored: Subscription[] = [];
    for (const each of list) stored.push(await store(tx, each));
    if ((await countAddresses(tx, scope)) > Math.max(MAX_ADDRESSES, before))
      throw new AppError("WEBHOOK_TOO_MANY_ADDRESSES");
    await refresh(tx, scope);
    return stored;
  });
}

async function refresh(tx: Queryable, scope: Scope): Promise<void> {
  await tx.query(KINDS, [scope.accountId]);
  await refreshV3Kinds(tx, scope);
}

export interface SubscriptionChange {
  readonly id: string;
  readonly url?: string;
  readonly event?: V2Event;
}

interface StoredSubscription extends Subscription {
  readonly endpoint_id: string;
  /** No other subscription goes to its address. */
  readonly alone: boolean;
}

const FIND = sql(
  "webhook_subscription_find",
  `select s.id, e.url, s.event, s.endpoint_id, not exists (
     select 1 from webhook_subscriptions o
     where o.account_id = s.account_id and o.endpoint_id = s.endpoint_id and o.id <> s.id) as alone
   from webhook_subscriptions s join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 and s.id = $2`,
);

/**
 * Changes addresses and events, all or none. What waits for an address follows when its only subscription moves to a
 * new one; else it is delivered where it was due.
 */
export async function changeSubscriptions(
  core: Core,
  scope: Scope,
  changes: readonly SubscriptionChange[],
): Promise<Subscription[]> {
  for (const { url } of changes) if (url !== undefined) checkUri(core, url);
  const changed = await storeAll(core, scope, changes, (tx, change) =>
    changeOne(core, tx, { scope, change }),
  );
  core.wakes.wake("webhooks");
  return changed;
}

const MOVE = sql(
  "webhook_subscriptions_move",
  `update webhook_endpoints set url = $3 where account_id = $1 and id = $2 and not exists (
     select 1 from webhook_endpoints o where o.account_id = $1 and o.version = 'v2' and o.url = $3) returning id`,
);
const CHANGE = sql(
  "webhook_subscription_change",
  `update webhook_subscriptions s set endpoint_id = $3, event = $4
   where s.account_id = $1 and s.id = $2 and not exists (
     select 1 from webhook_subscriptions o
     where o.account_id = $1 and o.endpoint_id = $3 and o.event = $4 and o.id <> $2) returning id`,
);

async function changeOne(
  core: Core,
  tx: Queryable,
  { scope, change }: { scope: Scope; change: SubscriptionChange },
): Promise<Subscription> {
  const { accountId } = scope;
  const stored = await find(tx, scope, change.id);
  const { url = stored.url, event = stored.event } = change;
  const moved =
    url !== stored.url &&
    stored.alone &&
    (await tx.query(MOVE, [accountId, stored.endpoint_id, url])).length > 0;
  const endpointId =
    moved || url === stored.url ? stored.endpoint_id : await endpointFor(core, tx, { scope, url });
  await refuseSecondCreator(tx, scope, { event, endpointId });
  if ((await tx.query(CHANGE, [accountId, stored.id, endpointId, event])).length === 0)
    throw new AppError("WEBHOOK_SUBSCRIPTION_EXISTS", { data: { url, event } });
  return { id: stored.id, url, event };
}

async function find(tx: Queryable, { accountId }: Scope, id: string): Promise<StoredSubscription> {
  const [stored] = await tx.query<StoredSubscription>(FIND, [accountId, id]);
  if (stored === undefined) throw new AppError("WEBHOOK_SUBSCRIPTION_NOT_FOUND", { data: { id } });
  return stored;
}

const REMOVE = sql(
  "webhook_subscription_remove",
  "delete from webhook_subscriptions where account_id = $1 and id = $2",
);

/** Ends subscriptions, all or none. With the last one of an address goes what waits for it. */
export async function removeSubscriptions(core: Core, scope: Scope, ids: readonly string[]): Promise<void> {
  await core.db.tx(async (tx) => {
    await lockSettings(tx, scope);
    for (const id of new Set(ids)) {
      const stored = await find(tx, scope, id);
      await tx.query(REMOVE, [scope.accountId, id]);
      if (stored.alone) await dropQueue(tx, stored.endpoint_id);
      if (entityAskedFor(stored.event) !== null) await forgetAsked(tx, scope);
    }
    await refresh(tx, scope);
  });
}
