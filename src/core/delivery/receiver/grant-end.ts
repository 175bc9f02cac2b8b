import { type Database, type Queryable, sql } from "../../../database/database.ts";
import { audit } from "../../audit/audit.ts";
import { entityAskedFor } from "../../payload/creation-kinds.ts";
import type { Scope } from "../../scope.ts";
import { isWritable } from "../../writable-accounts.ts";
import { dropQueue } from "../cursor/queues.ts";
import { forgetAsked, lockSettings } from "./settings.ts";
import { coveredBy, scopeOfEventSql } from "./subscriber.ts";
import { refreshKinds } from "./subscriptions.ts";

const REMOVE = sql(
  "webhook_subscriptions_end",
  `delete from webhook_subscriptions s using webhook_endpoints e
   where s.account_id = $1 and e.account_id = $1 and e.id = s.endpoint_id and e.partner_id is not null
     and not ${coveredBy("e", scopeOfEventSql("s.event"))}
   returning s.id, s.event, s.endpoint_id as "endpointId"`,
);
// Addresses of applications without a live grant, also former ones, which may still have waiting events.
const HAS_ENDED = `e.partner_id is not null and e.url <> ''
     and not exists (select 1 from oauth_grants g
       where g.account_id = e.account_id and g.revoked_at is null and g.expires_at > now()
         and g.partner_id = e.partner_id and g.client_id is not distinct from e.client_id)`;
// Without an address nothing can be replayed to the receiver; its log stays readable.
const REMOVE_ADDRESSES = sql(
  "webhook_addresses_end",
  `update webhook_endpoints e set url = '', kinds = '{}'
   where e.account_id = $1 and ${HAS_ENDED} returning e.id as "endpointId"`,
);
const UNSUBSCRIBED = sql(
  "webhook_endpoints_unsubscribed",
  `select id as "endpointId" from webhook_endpoints e where account_id = $1 and id = any($2)
     and not exists (select 1 from webhook_subscriptions s where s.account_id = e.account_id and s.endpoint_id = e.id)`,
);

/**
 * Removes subscriptions of applications that none of their live grants in the account covers any longer, and the
 * addresses of those without any, with the events waiting for them. Call it in the transaction that ends a grant, after
 * the change.
 */
export async function endSubscriptions(tx: Queryable, scope: Scope): Promise<void> {
  const { accountId } = scope;
  await lockSettings(tx, scope);
  const removed = await tx.query<{ id: string; event: string; endpointId: string }>(REMOVE, [accountId]);
  for (const { id: subject, event } of removed)
    await audit(tx, { accountId, action: "webhook.unsubscribe", subject, details: { event } });
  const ended = await tx.query<{ endpointId: string }>(REMOVE_ADDRESSES, [accountId]);
  const changed = new Set([...removed, ...ended].map(({ endpointId }) => endpointId));
  if (changed.size === 0) return;
  const unsubscribed = await tx.query<{ endpointId: string }>(UNSUBSCRIBED, [accountId, [...changed]]);
  for (const { endpointId } of unsubscribed) await dropQueue(tx, { accountId, endpointId });
  if (removed.some(({ event }) => entityAskedFor(event) !== null)) await forgetAsked(tx, scope);
  await refreshKinds(tx, scope);
}

const UNCOVERED = sql(
  "webhook_accounts_uncovered",
  `select distinct e.account_id as "accountId" from webhook_endpoints e
   where e.partner_id is not null and ${isWritable("e.account_id")} and (exists (
     select 1 from webhook_subscriptions s where s.account_id = e.account_id and s.endpoint_id = e.id
       and not ${coveredBy("e", scopeOfEventSql("s.event"))}) or ${HAS_ENDED}) limit 100`,
);

/** Does the same for expired grants of all accounts; called once a minute. */
export async function endExpiredSubscriptions(db: Database): Promise<void> {
  for (const scope of await db.query<Scope>(UNCOVERED, [])) await db.tx((tx) => endSubscriptions(tx, scope));
}
