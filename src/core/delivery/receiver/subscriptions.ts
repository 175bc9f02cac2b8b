import { type Queryable, sql } from "../../../database/database.ts";
import { newId } from "../../../platform/ids.ts";
import { type Application, isOfApplication } from "../../account/application.ts";
import { audit, withoutSecrets } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { AppError } from "../../errors.ts";
import { notifyReceivers } from "../../event/publish.ts";
import { entityAskedFor } from "../../payload/creation-kinds.ts";
import { checkQuota } from "../../quota/quotas.ts";
import type { Scope } from "../../scope.ts";
import { deliverNow, dropQueue, removeSilentCursors } from "../cursor/queues.ts";
import { beginCursors } from "../cursor/waiting.ts";
import type { V2Event } from "./kinds.ts";
import {
  changeInTurn,
  checkUri,
  forgetAsked,
  type HasWebhookTurns,
  newWebhookSecret,
  refreshV3Kinds,
} from "./settings.ts";
import { refuseBeyondScope, refuseWithoutGrant, type Subscriber } from "./subscriber.ts";

/** A subscription of one address to one event. */
export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly event: V2Event;
}

/** The account's owner sees all, an application only its own. The application's parameters follow the account's. */
const VISIBLE = `($2::bigint is null or (${isOfApplication("e", "$2", "$3")}))`;

function viewOf({ accountId, application }: Subscriber): [number, number | null, string | null] {
  return [accountId, application?.partnerId ?? null, application?.clientId ?? null];
}

const LIST = sql(
  "webhook_subscriptions_list",
  `select s.id, e.url, s.event from webhook_subscriptions s
   join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 and ${VISIBLE} order by s.created_at, s.id`,
);

/** Subscriptions of the account; an application sees only its own. */
export function listSubscriptions(db: Queryable, by: Subscriber): Promise<Subscription[]> {
  return db.query<Subscription>(LIST, viewOf(by));
}

/**
 * Subscribes to events, all or none. An existing subscription stays as it is and is returned too. Throws
 * `WEBHOOK_SUBSCRIPTION_EXISTS` if another address already has an event that only one address may have,
 * `WEBHOOK_TOO_MANY_ADDRESSES`, and `FORBIDDEN` for events outside an application's scope.
 */
export async function addSubscriptions(
  core: Base & HasWebhookTurns,
  by: Subscriber,
  wanted: readonly Omit<Subscription, "id">[],
): Promise<Subscription[]> {
  for (const { event } of wanted) refuseBeyondScope(by, event);
  for (const { url } of wanted) checkUri(core, url);
  const added = await storeAll(core, by, wanted, (tx, each) => addOne(core, tx, { by, ...each }));
  notifyReceivers(core, [by.accountId]);
  return added;
}

const ENDPOINT = sql(
  "webhook_subscriptions_endpoint",
  `insert into webhook_endpoints (account_id, id, version, url, kinds, secret, partner_id, client_id)
   values ($1, $2, 'v2', $3, '{}', $4, $5, $6)
   on conflict (account_id, url, partner_id, client_id) where version = 'v2' and url <> ''
   do update set url = excluded.url returning id`,
);
const ADD = sql(
  "webhook_subscription_add",
  `insert into webhook_subscriptions (account_id, id, endpoint_id, event) values ($1, $2, $3, $4)
   on conflict (account_id, endpoint_id, event) do update set event = excluded.event
   returning id, xmax = 0 as is_new`,
);

async function addOne(
  core: Base,
  tx: Queryable,
  { by, url, event }: { by: Subscriber; url: string; event: V2Event },
): Promise<Subscription> {
  await refuseWithoutGrant(tx, by, { application: by.application, event });
  const endpointId = await endpointFor(core, tx, { ...by, url });
  await refuseSecondCreator(tx, by, { event, endpointId });
  const [row] = await tx.query<{ id: string; is_new: boolean }>(ADD, [
    by.accountId,
    newId(),
    endpointId,
    event,
  ]);
  if (row === undefined) throw new Error("A subscription was not stored");
  if (!row.is_new) return { id: row.id, url, event };
  const details = { address: withoutSecrets(url), event };
  await audit(tx, { accountId: by.accountId, action: "webhook.subscribe", subject: row.id, details });
  return { id: row.id, url, event };
}

const OTHER_CREATOR = sql(
  "webhook_subscription_other_creator",
  `select case when ${VISIBLE} then e.url end as url from webhook_subscriptions s
   join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 and s.event = $4 and s.endpoint_id <> $5`,
);

/**
 * If two addresses both created a contact for a client, there would be two contacts. The other subscription is named
 * only to those who may see it.
 */
async function refuseSecondCreator(
  tx: Queryable,
  by: Subscriber,
  { event, endpointId }: { readonly event: V2Event; readonly endpointId: string },
): Promise<void> {
  if (entityAskedFor(event) === null) return;
  const [other] = await tx.query<{ url: string | null }>(OTHER_CREATOR, [...viewOf(by), event, endpointId]);
  if (other !== undefined)
    throw new AppError("WEBHOOK_SUBSCRIPTION_EXISTS", {
      description: "Another address is already subscribed to this event, and only one may be",
      data: { ...(other.url === null ? {} : { url: other.url }), event },
    });
}

async function endpointFor(
  core: Base,
  tx: Queryable,
  { accountId, application, url }: Scope & { application: Application | null; url: string },
): Promise<string> {
  const secret = newWebhookSecret(core, { accountId });
  const owner = [application?.partnerId ?? null, application?.clientId ?? null];
  const values = [accountId, newId(), url, secret, ...owner];
  const [row] = await tx.query<{ id: string }>(ENDPOINT, values);
  if (row === undefined) throw new Error("An endpoint was not stored");
  return row.id;
}

const KINDS = sql(
  "webhook_subscriptions_kinds",
  `update webhook_endpoints e set kinds = w.kinds
   from webhook_endpoints o cross join lateral (select array(
     select s.event from webhook_subscriptions s where s.account_id = o.account_id and s.endpoint_id = o.id order by s.event)
   ) w (kinds)
   where o.account_id = $1 and o.version = 'v2' and o.kinds <> w.kinds
     and e.account_id = any(array[o.account_id]) and e.id = any(array[o.id])`,
);

/** An address keeps its secret for a while after its last subscription, in case it is subscribed again. */
const MAX_SILENT = 200;
const FORGET_SILENT = sql(
  "webhook_subscriptions_forget_silent",
  `delete from webhook_endpoints where account_id = $1 and id = any(array(
     select e.id from webhook_endpoints e
     where e.account_id = $1 and e.version = 'v2' and e.kinds = '{}'
       and (select true from webhook_cursors c where c.endpoint_id = e.id limit 1) is null
       and (select true from webhook_retries p where p.account_id = e.account_id and p.endpoint_id = e.id limit 1) is null
     order by e.id desc offset ${MAX_SILENT}))`,
);

/** Every event is posted once per address. */
const MAX_ADDRESSES = 100;
/** Limit of addresses that have no subscription but waiting events: those of a dead address wait for good. */
const MAX_WAITED_FOR = 100;
const COUNT = sql(
  "webhook_subscriptions_count",
  `select count(*)::integer as subscriptions, count(distinct endpoint_id)::integer as addresses, (
     select count(*)::integer from webhook_endpoints e
     where e.account_id = $1 and e.version = 'v2' and e.kinds = '{}'
       and (select true from webhook_cursors c where c.endpoint_id = e.id limit 1)) as "waitedFor"
   from webhook_subscriptions where account_id = $1`,
);
interface Counted {
  readonly subscriptions: number;
  readonly addresses: number;
  /** Addresses without subscriptions for which events still wait. */
  readonly waitedFor: number;
}

async function countSubscriptions(tx: Queryable, { accountId }: Scope): Promise<Counted> {
  const [counted] = await tx.query<Counted>(COUNT, [accountId]);
  return counted ?? { subscriptions: 0, addresses: 0, waitedFor: 0 };
}

/**
 * A limit is checked only if the number has grown: an account may have more from before the limit existed. The same
 * applies to the quota.
 */
function checkLimits({ settings }: Base, before: Counted, after: Counted): void {
  if (after.addresses > Math.max(MAX_ADDRESSES, before.addresses))
    throw new AppError("WEBHOOK_TOO_MANY_ADDRESSES");
  if (after.waitedFor > Math.max(MAX_WAITED_FOR, before.waitedFor))
    throw new AppError("WEBHOOK_TOO_MANY_ADDRESSES", {
      description: `Events still wait for ${MAX_WAITED_FOR} addresses that are no longer subscribed`,
    });
  if (after.subscriptions > before.subscriptions)
    checkQuota(settings.quotas, "subscriptions", after.subscriptions);
}

/** Adds or changes subscriptions one after the other, all or none. */
async function storeAll<T>(
  core: Base & HasWebhookTurns,
  scope: Scope,
  list: readonly T[],
  store: (tx: Queryable, each: T) => Promise<Subscription>,
): Promise<Subscription[]> {
  return changeInTurn(core, scope, async (tx) => {
    const before = await countSubscriptions(tx, scope);
    const stored: Subscription[] = [];
    for (const each of list) stored.push(await store(tx, each));
    await refreshKinds(tx, scope);
    await removeSilentCursors(tx, scope.accountId);
    checkLimits(core, before, await countSubscriptions(tx, scope));
    return stored;
  });
}

/**
 * Call it after a change of the account's subscriptions, in the same transaction: stores which receiver takes which
 * events from now on.
 */
export async function refreshKinds(tx: Queryable, scope: Scope): Promise<void> {
  await tx.query(KINDS, [scope.accountId]);
  await tx.query(FORGET_SILENT, [scope.accountId]);
  await refreshV3Kinds(tx, scope);
  await beginCursors(tx, scope);
}

export interface SubscriptionChange {
  readonly id: string;
  readonly url?: string;
  readonly event?: V2Event;
}

interface StoredSubscription extends Subscription {
  readonly endpoint_id: string;
  readonly partner_id: number | null;
  readonly client_id: string | null;
  /** No other subscription uses its address, or only such that move together with it. */
  readonly alone: boolean;
}

const FIND = sql(
  "webhook_subscription_find",
  `select s.id, e.url, s.event, s.endpoint_id, e.partner_id, e.client_id, not exists (
     select 1 from webhook_subscriptions o
     where o.account_id = s.account_id and o.endpoint_id = s.endpoint_id and o.id <> s.id
       and o.id <> all($5::uuid[])) as alone
   from webhook_subscriptions s join webhook_endpoints e on e.account_id = s.account_id and e.id = s.endpoint_id
   where s.account_id = $1 and ${VISIBLE} and s.id = $4`,
);

/**
 * Changes addresses and events, all or none. Waiting events follow to a new address, without a pause, if all
 * subscriptions of the old one move there together; otherwise they are delivered to the old one.
 */
export async function changeSubscriptions(
  core: Base & HasWebhookTurns,
  by: Subscriber,
  changes: readonly SubscriptionChange[],
): Promise<Subscription[]> {
  for (const { event } of changes) if (event !== undefined) refuseBeyondScope(by, event);
  for (const { url } of changes) if (url !== undefined) checkUri(core, url);
  const renamed = new Map<string, string>();
  const changed = await storeAll(core, by, changes, (tx, change) =>
    changeOne(core, tx, { by, change, together: movedTo(changes, change.url), renamed }),
  );
  notifyReceivers(core, [by.accountId]);
  return changed;
}

/** Ids of the subscriptions that the changes move to this address. */
function movedTo(changes: readonly SubscriptionChange[], url: string | undefined): string[] {
  return url === undefined ? [] : changes.filter((change) => change.url === url).map(({ id }) => id);
}

const MOVE = sql(
  "webhook_subscriptions_move",
  `update webhook_endpoints set url = $3 where account_id = $1 and id = $2 and not exists (
     select 1 from webhook_endpoints o where o.account_id = $1 and o.version = 'v2' and o.url = $3
       and ${isOfApplication("o", "$4", "$5")}) returning id`,
);
const CHANGE = sql(
  "webhook_subscription_change",
  `update webhook_subscriptions s set endpoint_id = $3, event = $4
   where s.account_id = $1 and s.id = $2 and not exists (
     select 1 from webhook_subscriptions o
     where o.account_id = $1 and o.endpoint_id = $3 and o.event = $4 and o.id <> $2) returning id`,
);

interface Change {
  readonly by: Subscriber;
  readonly change: SubscriptionChange;
  /** Ids of the subscriptions that the same request moves to the same address. */
  readonly together: readonly string[];
  /** Receivers that the same request moved as a whole, with their former addresses. */
  readonly renamed: Map<string, string>;
}

async function changeOne(
  core: Base,
  tx: Queryable,
  { by, change, together, renamed }: Change,
): Promise<Subscription> {
  const { accountId } = by;
  const stored = await find(tx, by, change.id, together);
  const application = applicationOf(stored);
  const { url = stored.url, event = stored.event } = change;
  await refuseWithoutGrant(tx, by, { application, event });
  const { partner_id: partnerId, client_id: clientId } = stored;
  const moved =
    url !== stored.url &&
    stored.alone &&
    (await tx.query(MOVE, [accountId, stored.endpoint_id, url, partnerId, clientId])).length > 0;
  if (moved) {
    renamed.set(stored.endpoint_id, stored.url);
    await deliverNow(tx, { accountId, endpointId: stored.endpoint_id });
  }
  const endpointId =
    moved || url === stored.url
      ? stored.endpoint_id
      : await endpointFor(core, tx, { accountId, application, url });
  await refuseSecondCreator(tx, by, { event, endpointId });
  if ((await tx.query(CHANGE, [accountId, stored.id, endpointId, event])).length === 0)
    throw new AppError("WEBHOOK_SUBSCRIPTION_EXISTS", { data: { url, event } });
  const previous = renamed.get(stored.endpoint_id) ?? stored.url;
  const details = { address: withoutSecrets(url), previousAddress: withoutSecrets(previous), event };
  await audit(tx, { accountId, action: "webhook.change", subject: stored.id, details });
  return { id: stored.id, url, event };
}

/** A subscription keeps its application, whoever changes it. */
function applicationOf({
  partner_id: partnerId,
  client_id: clientId,
}: StoredSubscription): Application | null {
  return partnerId === null ? null : { partnerId, clientId };
}

async function find(
  tx: Queryable,
  by: Subscriber,
  id: string,
  together: readonly string[] = [],
): Promise<StoredSubscription> {
  const [stored] = await tx.query<StoredSubscription>(FIND, [...viewOf(by), id, together]);
  if (stored === undefined) throw new AppError("WEBHOOK_SUBSCRIPTION_NOT_FOUND", { data: { id } });
  return stored;
}

const REMOVE = sql(
  "webhook_subscription_remove",
  "delete from webhook_subscriptions where account_id = $1 and id = $2",
);

/** Ends subscriptions, all or none. The last one of an address takes the waiting events with it. */
export async function removeSubscriptions(
  core: Base & HasWebhookTurns,
  by: Subscriber,
  ids: readonly string[],
): Promise<void> {
  await changeInTurn(core, by, async (tx) => {
    for (const id of new Set(ids)) {
      const stored = await find(tx, by, id);
      await tx.query(REMOVE, [by.accountId, id]);
      const details = { address: withoutSecrets(stored.url), event: stored.event };
      await audit(tx, { accountId: by.accountId, action: "webhook.unsubscribe", subject: id, details });
      if (stored.alone) await dropQueue(tx, { accountId: by.accountId, endpointId: stored.endpoint_id });
      if (entityAskedFor(stored.event) !== null) await forgetAsked(tx, by);
    }
    await refreshKinds(tx, by);
  });
}
