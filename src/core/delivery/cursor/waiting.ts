import { type Queryable, sql } from "../../../database/database.ts";
import { ALL_CREATION_KINDS } from "../../payload/creation-kinds.ts";
import type { Scope } from "../../scope.ts";

/**
 * Limit of counting: larger numbers have no additional use, and counting must not slow down with the length of the
 * queues.
 */
export const MAX_COUNTED = 1_000_000;
/**
 * The same for one cursor, in lists of receivers: it looks at the events of all receivers of the account, and an account may
 * have a hundred of them.
 */
const MAX_COUNTED_OF_CURSOR = 1_000;

/**
 * How many events of the account a search for waiting ones looks at. A cursor with as many behind its position is claimed
 * in any case, and passes those of other receivers.
 */
const MAX_SEARCHED = 500;

/** Expression: a claim version of a new cursor. Each claim adds one, and takes longer than a millisecond. */
export const NEW_CLAIM_VERSION = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

const CREATIONS = `array[${ALL_CREATION_KINDS.map((kind) => `'${kind}'`).join(", ")}]`;

/**
 * A position that no event of the receiver has yet: whoever publishes for it draws later ids. An earlier cursor may have had
 * the id, and a claim of it that does not know that it was dropped must not count as one of this cursor: versions of claims
 * begin behind all that were given before.
 */
const BEGIN = sql(
  "webhook_cursors_begin",
  `insert into webhook_cursors (id, account_id, endpoint_id, lane, claim_version, position)
   select c.id, e.account_id, e.id, c.lane, ${NEW_CLAIM_VERSION}, (select last_value from log_ids)
   from webhook_endpoints e cross join lateral (values (e.id, 'events'), (e.creation_lane, 'creations')) c (id, lane)
   where e.account_id = $1
     and exists (select from unnest(e.kinds) k where (k = any(${CREATIONS})) = (c.lane = 'creations'))
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

/** Condition: the cursor `c` takes the event `e` of the log. */
const isFor = (c: string, e: string): string => `${c}.id = any(${e}.receivers)`;

/** Part of a statement: the first `limit` events of the log after the position of `c`, of whatever receivers. */
const following = (c: string, columns: string, limit: string, bounds = ""): string =>
  `(select ${columns} from events e where e.account_id = ${c}.account_id and e.id > ${c}.position ${bounds}
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

/** Condition of a row `r` of `webhook_retries`: the cursor `c` reads it before the log. */
const isKeptFor = (c: string, r: string): string =>
  `${r}.account_id = ${c}.account_id and ${r}.cursor_id = ${c}.id and ${r}.state = 'kept'`;

/** Condition of a row `r` of `webhook_retries`: the cursor `c` retries it, now or later. */
const isRetriedBy = (c: string, r: string): string =>
  `${c}.lane = 'retries' and ${r}.account_id = ${c}.account_id and ${r}.endpoint_id = ${c}.endpoint_id
    and ${r}.state in ('refused', 'following')`;

const anyRetry = (condition: string): string =>
  `(select true from webhook_retries r where ${condition} limit 1)`;
const hasKept = (c: string): string => anyRetry(isKeptFor(c, "r"));

/** Condition: events wait for the cursor `c`. It reads what is behind the position, also what others take. */
export const hasOwnWaiting = (c: string): string =>
  `(${hasKept(c)} or ${anyRetry(isRetriedBy(c, "r"))} or exists (select 1 from ${waitingFor(c, { picked: "1" })} e))`;

/**
 * Condition: the cursor `c`, which is due, has something to deliver, or many events of other receivers are to be passed; of
 * the log, only events after `after`. A cursor of refused events is due with the first of them, so they need no look.
 */
export const hasWaiting = (c: string, after = "0"): string => `(
  ${c}.lane = 'retries' or ${hasKept(c)}
  or exists (select 1 from ${following(c, "e.id, e.receivers", `${MAX_SEARCHED}`, `and e.id > ${after}`)} e where ${isFor(c, "e")})
  or exists (select 1 from ${following(c, "e.id", `1 offset ${MAX_SEARCHED}`, `and e.id > ${after}`)} e))`;

/** Part of a statement: one row for each event that waits for the cursor `c`, among the first `limit` of each source. */
export const eachWaiting = (c: string, limit: number): string => `lateral (
  (select 1 from webhook_retries r where ${isKeptFor(c, "r")} limit ${limit})
  union all (select 1 from webhook_retries r where ${isRetriedBy(c, "r")} limit ${limit})
  union all (select 1 from ${waitingFor(c, { picked: "1", limit: `${limit}` })} e))`;

/** Part of a statement: the times of the first events that wait for the cursor `c`, one of each source. */
export const firstWaiting = (c: string): string => `lateral (
  (select r.created_at from webhook_retries r where ${isKeptFor(c, "r")} order by r.account_id, r.cursor_id, r.event_id limit 1)
  union all (select r.created_at from webhook_retries r where ${isRetriedBy(c, "r")} order by r.account_id, r.endpoint_id, r.event_id limit 1)
  union all (select e.created_at from ${waitingFor(c, { picked: "e.created_at", limit: `${MAX_COUNTED}` })} e limit 1))`;

/** Number of events that wait for the cursor `c`, of the first thousand events of the account behind its position. */
export const countWaiting = (c: string): string =>
  `(select count(*) from ${eachWaiting(c, MAX_COUNTED_OF_CURSOR)} w)`;

/** Condition: the event `e` of the log waits for the cursor `c` of its account. */
export const isWaiting = (c: string, e: string): string => `(
  exists (select 1 from webhook_retries r where ${isKeptFor(c, "r")} and r.event_id = ${e}.id)
  or ${e}.id > ${c}.position and ${isFor(c, e)})`;
