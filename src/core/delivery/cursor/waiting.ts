import { type Queryable, sql } from "../../../database/database.ts";
import { ALL_CREATION_KINDS } from "../../payload/creation-kinds.ts";
import type { Scope } from "../../scope.ts";

/**
 * Limit of counting: larger numbers have no additional use, and counting must not slow down with the length of the
 * queues.
 */
export const MAX_COUNTED = 1_000_000;

/**
 * How many events of the account a search for waiting ones looks at. A cursor with as many behind its position is claimed
 * in any case, and passes those of other receivers.
 */
const MAX_SEARCHED = 500;

const CREATIONS = `array[${ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;

/** A position that no event of the receiver has yet: whoever publishes for it draws later ids. */
const BEGIN = sql(
  "webhook_cursors_begin",
  `insert into webhook_cursors (id, account_id, endpoint_id, position)
   select c.id, e.account_id, e.id, (select last_value from log_ids)
   from webhook_endpoints e cross join lateral (values (e.id, false), (e.creation_lane, true)) c (id, creations)
   where e.account_id = $1 and exists (select from unnest(e.kinds) k where (k = any(${CREATIONS})) = c.creations)
   on conflict (id) do nothing`,
);

/**
 * Gives the account's receivers the cursors that they need for `webhook_endpoints.kinds`. Events that the CRM responds to
 * with an entity have a separate cursor, so that no other event waits for the CRM. Call it in the transaction that changed
 * the kinds.
 */
export async function beginCursors(tx: Queryable, { accountId }: Scope): Promise<void> {
  await tx.query(BEGIN, [accountId]);
}

/**
 * Condition: the event `e` is not among those that the cursor `c` took out of order. They are sorted, and may be
 * many.
 */
const isOpen = (c: string, e: string): string =>
  `${c}.taken[width_bucket(${e}.id, ${c}.taken)] is distinct from ${e}.id`;

/** Condition: the event `e`, which the log has after the cursor's position, waits for the cursor `c`. */
export const isFor = (c: string, e: string): string => `${c}.id = any(${e}.receivers) and ${isOpen(c, e)}`;

/**
 * Part of a statement: the first `limit` events of the log after the position of `c`, of whatever receivers. The cursors of
 * diverted chats do not read the log.
 */
const following = (c: string, columns: string, limit: string, bounds = ""): string =>
  `(select ${columns} from events e where ${c}.chat is null and e.account_id = ${c}.account_id and e.id > ${c}.position ${bounds}
    order by e.account_id, e.id limit ${limit})`;

/**
 * Part of a statement: selects `picked` of the events `e` of the log that wait for the cursor `c`, in order. `bounds` may
 * limit their ids, and `limit` how many events of the account are looked at.
 */
export const waitingFor = (
  c: string,
  { picked, bounds = "", limit = "all" }: { picked: string; bounds?: string; limit?: string },
): string => `lateral (select ${picked} from ${following(c, "e.*", limit, bounds)} e where ${isFor(c, "e")})`;

/** Condition: the receiver of the cursor `c` is not paused. */
export const isUnpaused = (c: string): string =>
  `(select e.paused_at is null from webhook_endpoints e where e.account_id = ${c}.account_id and e.id = ${c}.endpoint_id)`;

const hasKept = (c: string): string =>
  `(select true from webhook_kept where cursor_id = any(array[${c}.id]) limit 1)`;

/** Condition: events wait for the cursor `c`. It reads what is behind the position, also what others take. */
export const hasOwnWaiting = (c: string): string =>
  `(${hasKept(c)} or exists (select 1 from ${waitingFor(c, { picked: "1" })} e))`;

/**
 * Condition: events wait for the cursor `c`, or many of other receivers are to be passed; of the log, only events after
 * `after`.
 */
export const hasWaiting = (c: string, after = "0"): string => `(
  ${hasKept(c)}
  or exists (select 1 from ${following(c, "e.id, e.receivers", `${MAX_SEARCHED}`, `and e.id > ${after}`)} e where ${isFor(c, "e")})
  or exists (select 1 from ${following(c, "e.id", `1 offset ${MAX_SEARCHED}`, `and e.id > ${after}`)} e))`;

/** Number of events that wait for the cursor `c`, kept ones and those of the log; each counted up to a million. */
export const countWaiting = (c: string): string => `(
  (select count(*) from (select 1 from webhook_kept where cursor_id = ${c}.id limit ${MAX_COUNTED}) q)
  + (select count(*) from ${waitingFor(c, { picked: "1", limit: `${MAX_COUNTED}` })} q))`;

/** Condition: the event `e` of the log waits for the cursor `c` of its account. */
export const isWaiting = (c: string, e: string): string => `(
  exists (select 1 from webhook_kept where cursor_id = ${c}.id and event_id = ${e}.id)
  or ${e}.id > ${c}.position and ${isFor(c, e)})`;
