import { ALL_CREATION_KINDS, CREATION_KINDS } from "../payload/creation-kinds.ts";

type Entity = keyof typeof CREATION_KINDS;

/** Part of a statement: whether any receiver is subscribed to requests for the entity, on v3 or as a v2 event. */
export function isAskedFor(entity: Entity, account: string): string {
  return takesAnyOf(Object.values(CREATION_KINDS[entity]), account);
}

/** The same for any of the entities. */
export function isAnyAskedFor(account: string): string {
  return takesAnyOf(ALL_CREATION_KINDS, account);
}

function takesAnyOf(kinds: readonly string[], account: string): string {
  return `exists (select 1 from webhook_endpoints e
                   where e.account_id = any(array[${account}]) and e.kinds && '{${kinds.join(",")}}')`;
}

/** Part of a statement: whether the v2 event replaces the v3 request, so that the CRM gets one request. */
export function askedOnV2(entity: Entity, account: string): string {
  return `exists (select 1 from webhook_endpoints e
                   where e.account_id = any(array[${account}]) and '${CREATION_KINDS[entity].v2}' = any(e.kinds))`;
}
