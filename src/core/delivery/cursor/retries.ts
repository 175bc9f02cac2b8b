import { type Queryable, sql } from "../../../database/database.ts";
import { derivedId } from "../../../platform/ids.ts";
import { type Attempt, logAttempt } from "../request/attempts.ts";
import { type Cursor, claimValues, IS_LAST_CLAIM, OURS } from "./cursors.ts";
import { EVENT_COLUMNS, type QueuedEvent } from "./events.ts";
import { NEW_CLAIM_VERSION } from "./waiting.ts";

/** The cursor that claims the refused events of a receiver. It exists once there were any. */
export function retriesIdOf({ endpointId }: Pick<Cursor, "endpointId">): string {
  return derivedId("webhook-retries", endpointId);
}

// Above all ids, so that it reads no log. Whoever adds refused events schedules them.
const HOLD = sql(
  "webhook_retries_hold",
  `insert into webhook_cursors (id, account_id, endpoint_id, lane, claim_version, position, due)
   values ($1, $2, $3, 'retries', ${NEW_CLAIM_VERSION}, ${Number.MAX_SAFE_INTEGER}, 'infinity')
   on conflict (id) do update set lane = excluded.lane`,
);

/**
 * Locks the retries of a receiver until the transaction ends: whoever adds events to a diverted chat, and whoever ends the
 * first one, sees what the other did.
 */
export async function holdRetries(tx: Queryable, cursor: Cursor): Promise<void> {
  await tx.query(HOLD, [retriesIdOf(cursor), cursor.accountId, cursor.endpointId]);
}

/** Part of a statement: when the next refused event of the receiver of these parameters is due; null: there is none. */
const nextDue = (accountId: string, endpointId: string): string =>
  `(select r.due from webhook_retries r
    where r.account_id = ${accountId} and r.endpoint_id = ${endpointId} and r.state = 'refused'
    order by r.account_id, r.endpoint_id, r.due limit 1)`;

const SCHEDULE = sql(
  "webhook_retries_schedule",
  `update webhook_cursors set due = least(due, ${nextDue("$2", "$3")}) where id = $1`,
);

/**
 * Makes the cursor of refused events due with the first of them: call it after they were added, under the lock of
 * `holdRetries`. A node that has claimed the cursor finds this time when it releases it.
 */
export async function scheduleRetries(tx: Queryable, cursor: Cursor): Promise<void> {
  await tx.query(SCHEDULE, [retriesIdOf(cursor), cursor.accountId, cursor.endpointId]);
}

// Whoever adds an event at the same time changes `due`, which is read again after waiting for the row.
const RELEASE = sql(
  "webhook_retries_release",
  `update webhook_cursors set claim = null, due = least(due, ${nextDue("$4", "$5")}) where ${OURS}`,
);

/** Releases the cursor of refused events until the next of them is due. */
export async function releaseRetries(db: Queryable, cursor: Cursor): Promise<void> {
  await db.query(RELEASE, [...claimValues(cursor), cursor.accountId, cursor.endpointId]);
}

/** Events that a position passes without their delivery. */
export type SetAside = { readonly ids: readonly number[] } & (
  | { readonly state: "kept" | "following" }
  | { readonly state: "refused"; readonly pauseMs: number }
  | { readonly state: "parked"; readonly reason: string }
);

const EVENT = "kind, channel_id, chat, subject, body, created_at";
const SET_ASIDE = sql(
  "webhook_retries_set_aside",
  `insert into webhook_retries (account_id, endpoint_id, cursor_id, event_id, ${EVENT}, state, due, attempts, first_failed_at, reason, parked_at)
   select $1, $2, $3, event_id, ${EVENT}, $5, now() + $6 * interval '1 millisecond',
     case $5 when 'refused' then 1 else 0 end, case $5 when 'refused' then now() end, $7, case $5 when 'parked' then now() end
   from (select distinct on (event_id) * from (
     select event_id, ${EVENT} from webhook_retries where account_id = $1 and endpoint_id = $2 and event_id = any($4)
     union all
     select id, ${EVENT} from events where account_id = $1 and id = any($4) and id between $8 and $9) found order by event_id) e
   on conflict (account_id, endpoint_id, event_id) do update set state = excluded.state, due = excluded.due,
     attempts = excluded.attempts, first_failed_at = excluded.first_failed_at, reason = excluded.reason,
     parked_at = excluded.parked_at`,
);

/** Stores events that wait for the cursor as rows, with their bodies. Repeatable. */
export async function setAside(tx: Queryable, cursor: Cursor, aside: SetAside): Promise<void> {
  const { ids, state } = aside;
  if (ids.length === 0) return;
  const { id, accountId, endpointId } = cursor;
  const pauseMs = state === "refused" ? aside.pauseMs : null;
  const reason = state === "parked" ? aside.reason : null;
  const range = [ids.reduce((a, b) => Math.min(a, b)), ids.reduce((a, b) => Math.max(a, b))];
  await tx.query(SET_ASIDE, [accountId, endpointId, id, ids, state, pauseMs, reason, ...range]);
}

const PROMOTE = sql(
  "webhook_retries_promote",
  `update webhook_retries set state = 'refused', due = now()
   where account_id = $1 and endpoint_id = $2 and state = 'following' and event_id = any(array(
     select f.event_id from unnest($3::uuid[]) c (chat) cross join lateral (
       select r.event_id from webhook_retries r
       where r.account_id = $1 and r.endpoint_id = $2 and r.chat = c.chat and r.state in ('refused', 'following')
       order by r.account_id, r.endpoint_id, r.chat, r.event_id limit 1) f))`,
);

/** The first event of each of these chats is delivered next, if it only follows one that has ended. */
export async function promoteFirst(
  tx: Queryable,
  { accountId, endpointId }: Cursor,
  chats: readonly string[],
): Promise<void> {
  if (chats.length > 0) await tx.query(PROMOTE, [accountId, endpointId, chats]);
}

/** A refused event whose next attempt is due. */
export interface Retry {
  readonly event: QueuedEvent;
  /** Failed attempts so far, and the time since the first of them. */
  readonly attempts: number;
  readonly failingMs: number;
}

const DUE = sql(
  "webhook_retries_due",
  `select event_id as id, ${EVENT_COLUMNS}, attempts,
     coalesce(extract(epoch from now() - first_failed_at) * 1000, 0)::float8 as "failingMs"
   from webhook_retries e
   where account_id = $1 and endpoint_id = $2 and state = 'refused' and due <= now() and event_id <> all($3::bigint[])
   order by account_id, endpoint_id, due limit $4`,
);

/** Up to `limit` refused events that are due, each of another chat, without those under way. */
export async function dueRetries(
  db: Queryable,
  { accountId, endpointId }: Cursor,
  { limit, underWay }: { readonly limit: number; readonly underWay: readonly number[] },
): Promise<Retry[]> {
  const values = [accountId, endpointId, underWay, limit];
  const rows = await db.query<QueuedEvent & Omit<Retry, "event">>(DUE, values);
  return rows.map(({ attempts, failingMs, ...event }) => ({ event, attempts, failingMs }));
}

/** How an attempt of a refused event ended. */
export type RetryOutcome =
  | { readonly kind: "delivered" }
  /** The CRM no longer needs it. */
  | { readonly kind: "skipped" }
  | { readonly kind: "refused"; readonly pauseMs: number }
  | { readonly kind: "parked"; readonly reason: string };

const LOCK = sql(
  "webhook_retries_lock",
  `select claim is not null as ours from webhook_cursors where ${IS_LAST_CLAIM} for no key update`,
);
const REMOVE = sql(
  "webhook_retry_remove",
  "delete from webhook_retries where account_id = $1 and endpoint_id = $2 and event_id = $3",
);
// A change of the address locks the receiver before its retries: this waits for it, and then sees the new address.
const RECEIVER = sql(
  "webhook_retry_receiver",
  "select url from webhook_endpoints where account_id = $1 and id = $2 for share",
);
const POSTPONE = sql(
  "webhook_retry_postpone",
  `update webhook_retries set attempts = attempts + 1, first_failed_at = coalesce(first_failed_at, now()),
     due = now() + $4 * interval '1 millisecond'
   where account_id = $1 and endpoint_id = $2 and event_id = $3`,
);
const PARK = sql(
  "webhook_retry_park",
  `update webhook_retries set state = 'parked', due = null, parked_at = now(), reason = $4
   where account_id = $1 and endpoint_id = $2 and event_id = $3`,
);

/**
 * Stores the outcome of an attempt; when the event has ended, the next one of its chat is due. If the receiver's address was
 * changed during the request, a refused event does not rest. A claim that was revoked, because the receiver was paused say,
 * still stores the outcome (`late`), unless somebody has claimed the retries since (`lost`).
 */
export async function settleRetry(
  tx: Queryable,
  cursor: Cursor,
  { event, outcome, attempt }: { event: QueuedEvent; outcome: RetryOutcome; attempt: Attempt | null },
): Promise<"ours" | "late" | "lost"> {
  const { accountId, endpointId } = cursor;
  const key = [accountId, endpointId, event.id];
  const [receiver] = await tx.query<{ url: string }>(RECEIVER, [accountId, endpointId]);
  const [claim] = await tx.query<{ ours: boolean }>(LOCK, claimValues(cursor));
  if (claim === undefined) return "lost";
  const result = claim.ours ? "ours" : "late";
  if (attempt !== null) await logAttempt(tx, cursor, attempt);
  if (outcome.kind === "refused") {
    await tx.query(POSTPONE, [...key, receiver?.url === cursor.url ? outcome.pauseMs : 0]);
    return result;
  }
  if (outcome.kind === "parked") await tx.query(PARK, [...key, outcome.reason]);
  else await tx.query(REMOVE, key);
  await promoteFirst(tx, cursor, event.chat === null ? [] : [event.chat]);
  return result;
}
