import { type Queryable, sql } from "../../../database/database.ts";
import { type Attempt, attemptValues, insertAttempt, logAttempt } from "../request/attempts.ts";
import { type Cursor, changeClaimed, claimValues, IS_LAST_CLAIM, OURS } from "./cursors.ts";
import {
  holdRetries,
  promoteFirst,
  retriesIdOf,
  type SetAside,
  scheduleRetries,
  setAside,
} from "./retries.ts";

const acknowledging = (isRepeatable: string, events: string): string => `
   with relaxed as materialized (select set_config('synchronous_commit', 'off', true) where ${isRepeatable}),
   moved as (
     update webhook_cursors set position = greatest(position, $4), batch_limit = $5, batch_to = null, attempts = 0,
       first_failed_at = null
     where ${IS_LAST_CLAIM} returning claim is not null as ours),
   delivered as (
     delete from webhook_retries where account_id = $7 and cursor_id = $1 and state = 'kept' and event_id = any(${events}))`;
const RESULT = "coalesce((select ours from moved), false) as ours, (select count(*) from relaxed) as relaxed";
const ACKNOWLEDGE = sql(
  "webhook_cursor_acknowledge",
  `${acknowledging("$20", "$6::bigint[] || $21::bigint[]")} ${insertAttempt(6)} returning ${RESULT}`,
);
const ACKNOWLEDGE_UNLOGGED = sql(
  "webhook_cursor_acknowledge_unlogged",
  `${acknowledging("$8::boolean", "$6::bigint[]")} select ${RESULT}`,
);

export interface Acknowledgement {
  /** Null: it is not logged, and `others` contains its events too. */
  readonly attempt: Attempt | null;
  /** Events of the other requests of the same round. Their attempts are logged before. */
  readonly others?: readonly number[];
  /** All events of the log up to this one are delivered, set aside, or of other receivers. */
  readonly position: number;
  /** The limit under which a node that claims the cursor after a crash composes the next batch. */
  readonly batchLimit: number;
  /**
   * The commit may be asynchronous: if the server crashes right afterwards, the batch is sent again under the same
   * id. Never set it in a transaction that stores anything else.
   */
  readonly isRepeatable?: boolean;
}

/**
 * Records that the receiver has the batch: moves the position and logs the attempt. False: the claim has ended. If nobody
 * else has claimed the cursor since, because the receiver was paused say, the position is moved all the same.
 */
export async function acknowledge(
  db: Queryable,
  cursor: Cursor,
  { attempt, others = [], position, batchLimit, isRepeatable = false }: Acknowledgement,
): Promise<boolean> {
  const moved = [...claimValues(cursor), position, batchLimit];
  const [row] =
    attempt === null
      ? await db.query<Acknowledged>(ACKNOWLEDGE_UNLOGGED, [...moved, others, cursor.accountId, isRepeatable])
      : await db.query<Acknowledged>(ACKNOWLEDGE, [
          ...moved,
          ...attemptValues(cursor, attempt),
          isRepeatable,
          others,
        ]);
  return row?.ours === true;
}

interface Acknowledged {
  readonly ours: boolean;
}

// The stored end is removed: the batch under way has changed.
const MOVE = sql(
  "webhook_cursor_move",
  `with moved as (
     update webhook_cursors set position = greatest(position, $4), batch_to = null,
       attempts = case when $5 then 0 else attempts end, first_failed_at = case when $5 then null else first_failed_at end
     where ${OURS} returning id),
   delivered as (
     delete from webhook_retries where account_id = $6 and cursor_id = $1 and state = 'kept' and event_id = any($7)
       and exists (select from moved))
   select id from moved`,
);

/** A move of the position past events that were not all delivered. */
export interface Passing {
  /** The last event that is passed. */
  readonly to: number;
  /** Those before it, and it, that are not delivered, by what happens to them. They must wait for the cursor. */
  readonly aside?: readonly SetAside[];
  /** Those that the receiver has, or that it no longer needs. */
  readonly done?: readonly number[];
  /** Chats of which events follow a refused one. */
  readonly chats?: readonly string[];
  /** The series of failures of the cursor ends. */
  readonly endsFailures: boolean;
  /** Requests that led to this. */
  readonly attempts?: readonly (Attempt | null)[];
}

/**
 * Moves the position of a cursor, and stores the passed events that still have to be delivered in `webhook_retries`.
 * Throws `ClaimLost`.
 */
export async function passEvents(
  tx: Queryable,
  cursor: Cursor,
  { to, aside = [], done = [], chats = [], endsFailures, attempts = [] }: Passing,
): Promise<void> {
  const move = () =>
    changeClaimed(tx, MOVE, [...claimValues(cursor), to, endsFailures, cursor.accountId, done]);
  const isDiverting = chats.length > 0 || aside.some(({ state }) => state === "refused");
  const hold = async () => {
    if (isDiverting) await holdRetries(tx, cursor);
  };
  // Cursors are always locked in the order of their ids.
  for (const step of retriesIdOf(cursor) < cursor.id ? [hold, move] : [move, hold]) await step();
  for (const each of aside) await setAside(tx, cursor, each);
  await promoteFirst(tx, cursor, chats);
  if (isDiverting) await scheduleRetries(tx, cursor);
  for (const attempt of attempts) await logAttempt(tx, cursor, attempt);
}
