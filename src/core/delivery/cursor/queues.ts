import { type Queryable, sql } from "../../../database/database.ts";
import { lockLogs } from "../../event/log.ts";
import type { Scope } from "../../scope.ts";
import { each, IS_LOCKED, locking } from "./cursors.ts";
import { hasOwnWaiting, isUnpaused } from "./waiting.ts";

/** A receiver. Several cursors of it are always locked in the order of their ids. */
interface ReceiverKey extends Scope {
  readonly endpointId: string;
}

const REST = sql("webhook_cursors_rest", each("c.endpoint_id = $1", "claim = null, due = 'infinity'"));

/**
 * Revokes the receiver's cursors: a node that delivers to it sends nothing after the request under way, and a node
 * that is about to claim one finds it not due.
 */
export async function revokeCursors(tx: Queryable, { endpointId }: ReceiverKey): Promise<void> {
  await tx.query(REST, [endpointId]);
}

const ofRetries = (state: string): string => `account_id = $1 and endpoint_id = $2 and state ${state}`;

const GO_ON = sql(
  "webhook_cursors_go_on",
  each("c.endpoint_id = $1 and c.claim is null", "due = now(), attempts = 0, first_failed_at = null"),
);
const RESTART_RETRIES = sql(
  "webhook_retries_restart",
  `update webhook_retries set due = now(), attempts = 0, first_failed_at = null where ${ofRetries("= 'refused'")}`,
);

/** Restarts the schedule of the receiver and of its refused events, at once. */
export async function restartSchedule(tx: Queryable, { accountId, endpointId }: ReceiverKey): Promise<void> {
  await tx.query(GO_ON, [endpointId]);
  await tx.query(RESTART_RETRIES, [accountId, endpointId]);
}

const NOW = sql(
  "webhook_cursors_now",
  each(`c.endpoint_id = $1 and c.due > now() and ${isUnpaused("c")}`, "due = now()"),
);
const RETRY_NOW = sql(
  "webhook_retries_now",
  `update webhook_retries set due = now() where ${ofRetries("= 'refused'")} and due > now()`,
);

/** Delivers at once: an owner who has repaired or moved a receiver need not wait for the next repetition. */
export async function deliverNow(tx: Queryable, { accountId, endpointId }: ReceiverKey): Promise<void> {
  await tx.query(NOW, [endpointId]);
  await tx.query(RETRY_NOW, [accountId, endpointId]);
}

const FORGET_FAILURES = sql(
  "webhook_endpoint_forget_failures",
  "update webhook_endpoints set failing_since = null, failures = 0, noticed = 0 where account_id = $1 and id = $2",
);

/** Failures of an address say nothing about the next one. */
export async function forgetFailures(tx: Queryable, { accountId, endpointId }: ReceiverKey): Promise<void> {
  await tx.query(FORGET_FAILURES, [accountId, endpointId]);
}

const DROP = sql(
  "webhook_cursors_drop",
  `with ${locking("c.endpoint_id = $1")} delete from webhook_cursors c where ${IS_LOCKED}`,
);
const DROP_RETRIES = sql(
  "webhook_retries_drop",
  `delete from webhook_retries where ${ofRetries("<> 'parked'")}`,
);

/**
 * Drops the queue of a receiver without address or subscription, and what is known of its failures; the events stay
 * available for a replay, and parked.
 */
export async function dropQueue(tx: Queryable, key: ReceiverKey): Promise<void> {
  // It also locks the receiver before its cursors, in the order of `POSTPONE`.
  await forgetFailures(tx, key);
  await tx.query(DROP, [key.endpointId]);
  // The first one may have waited for the first diversion of a chat, whose new cursor only a later statement sees.
  await tx.query(DROP, [key.endpointId]);
  await tx.query(DROP_RETRIES, [key.accountId, key.endpointId]);
}

const REMOVE_SILENT = sql(
  "webhook_cursors_remove_silent",
  `delete from webhook_cursors c where c.id = any($1) and ${hasOwnWaiting("c")} is not true`,
);

interface LockedCursor {
  readonly id: string;
  readonly account_id: number;
}

/**
 * Selects and locks the cursors of v2 addresses without subscriptions that have all their events. Locks the addresses
 * too: a new subscription, which would need the cursor, waits for that. Skips rows that others have locked, and takes few
 * at a time, because publishers of their accounts wait meanwhile.
 */
const lockSilent = (addresses: string): string => `
  select c.id, c.account_id from webhook_endpoints e
  join webhook_cursors c on c.endpoint_id = any(array[e.id])
  where ${addresses} and e.version = 'v2' and e.kinds = '{}' and ${hasOwnWaiting("c")} is not true
  order by c.id limit 500 for update of c skip locked for no key update of e skip locked`;
const LOCK_SILENT = sql("webhook_cursors_lock_silent", lockSilent("e.account_id = $1"));
const LOCK_ALL_SILENT = lockSilent("true");

/**
 * Removes the cursors of the account's addresses that have no subscription any more, once they have all their events.
 * `accountId` null: of all accounts. Call it last in a transaction: it locks the logs of the cursors that it found.
 */
export async function removeSilentCursors(tx: Queryable, accountId: number | null): Promise<void> {
  const silent =
    accountId === null
      ? await tx.query<LockedCursor>(LOCK_ALL_SILENT)
      : await tx.query<LockedCursor>(LOCK_SILENT, [accountId]);
  if (silent.length === 0) return;
  // A publisher that saw the last subscription may not have committed its event yet. Later ones see that there is none.
  await lockLogs(
    tx,
    silent.map(({ account_id: id }) => id),
  );
  // Events are added under the lock of their cursor, or of the log.
  await tx.query(REMOVE_SILENT, [silent.map(({ id }) => id)]);
}
