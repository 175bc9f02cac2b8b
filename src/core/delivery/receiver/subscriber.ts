import { type Queryable, sql } from "../../../database/database.ts";
import type { Application } from "../../account/application.ts";
import { includesScope, type OauthScope } from "../../account/oauth-scope.ts";
import { AppError } from "../../errors.ts";
import type { Scope } from "../../scope.ts";
import type { V2Event } from "./kinds.ts";

/**
 * Who subscribes: an application within its scope, or, without an application, a client that acts for the whole
 * account.
 */
export interface Subscriber extends Scope {
  readonly application: Application | null;
  /** Null: unlimited. */
  readonly scope: readonly OauthScope[] | null;
}

/** The scope that an application needs to receive the event. Pure. */
function scopeOfEvent(event: string): OauthScope {
  return event.startsWith("crm_entities.") ? "crm" : "transport";
}

/** `scopeOfEvent` in SQL. */
export const scopeOfEventSql = (event: string): string =>
  `case when ${event} like 'crm_entities.%' then 'crm' else 'transport' end`;

/** Throws FORBIDDEN if the token does not have the event's scope. */
export function refuseBeyondScope({ scope }: Subscriber, event: V2Event): void {
  if (!includesScope(scope, scopeOfEvent(event))) throw forbidden(event);
}

function forbidden(event: V2Event): AppError {
  return new AppError("FORBIDDEN", {
    description: `The token was not given the scope "${scopeOfEvent(event)}"`,
    data: { event },
  });
}

/** Condition in SQL: a live grant of the row's application covers the scope. */
export const coveredBy = (row: string, scope: string): string => `exists (
  select 1 from oauth_grants g
  where g.account_id = ${row}.account_id and g.revoked_at is null and g.expires_at > now()
    and g.partner_id = ${row}.partner_id and g.client_id is not distinct from ${row}.client_id
    and ${scope} = any(g.scope))`;

const COVERED = sql(
  "webhook_subscriber_covered",
  `select 1 from (select $1::bigint as account_id, $2::bigint as partner_id, $3::uuid as client_id) a
   where ${coveredBy("a", "$4")}`,
);

/**
 * Throws FORBIDDEN if no live grant of the application covers the event. Call it with the account's settings locked:
 * ending a grant takes that lock afterwards, and then finds the new subscription.
 */
export async function refuseWithoutGrant(
  tx: Queryable,
  { accountId }: Scope,
  { application, event }: { readonly application: Application | null; readonly event: V2Event },
): Promise<void> {
  if (application === null) return;
  const { partnerId, clientId } = application;
  const covered = await tx.query(COVERED, [accountId, partnerId, clientId, scopeOfEvent(event)]);
  if (covered.length === 0) throw forbidden(event);
}
