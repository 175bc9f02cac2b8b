import { type Queryable, sql } from "../../../database/database.ts";
import { UUID_PATTERN } from "../../../platform/ids.ts";
import { audit } from "../../audit/audit.ts";
import type { Base } from "../../base.ts";
import { type Page, readCursor, writeCursor } from "../../page.ts";
import type { Scope } from "../../scope.ts";
import type { PageRequest } from "../request/delivery-log.ts";

/** An event that a receiver refused until its schedule ended. */
export interface ParkedEvent {
  readonly eventId: number;
  readonly receiverId: string;
  readonly kind: string;
  readonly channelId: string | null;
  readonly subject: string;
  readonly happenedAt: Date;
  readonly parkedAt: Date;
  /** The last response, or why there was none. */
  readonly reason: string;
  /** The item as it would be sent. */
  readonly item: unknown;
}

/** A page ends before the event with which its items exceed this many bytes; the first event is in any case there. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** Condition: the row `p` of `webhook_retries` is of the sink. */
export const IS_OF_SINK =
  "coalesce((select e.version = 'sink' from webhook_endpoints e where e.account_id = p.account_id and e.id = p.endpoint_id), false)";
// The length of an item is known without its text.
const LIST = sql(
  "webhook_parked_list",
  `with p as materialized (
     select o.account_id, o.event_id, o.endpoint_id, row_number() over w as place, sum(octet_length(o.body)) over w as bytes
     from (select * from webhook_retries p
           where p.account_id = $1 and p.state = 'parked'
             and ($2::uuid is null and not ${IS_OF_SINK} or p.endpoint_id = $2)
             and ($3::bigint is null or (p.event_id, p.endpoint_id) < ($3, $4::uuid))
           order by p.account_id desc, p.event_id desc, p.endpoint_id desc limit $5) o
     window w as (order by o.event_id desc, o.endpoint_id desc))
   select e.event_id as "eventId", e.endpoint_id as "receiverId", e.kind, e.channel_id as "channelId", e.subject,
          e.created_at as "happenedAt", e.parked_at as "parkedAt", e.reason, e.body::json as item,
          (select count(*) from p)::int as found
   from p join webhook_retries e on e.account_id = any(array[p.account_id]) and e.endpoint_id = any(array[p.endpoint_id])
     and e.event_id = any(array[p.event_id])
   where p.place = 1 or p.bytes <= ${MAX_PAGE_BYTES}
   order by p.place`,
);

const CURSOR = new RegExp(`^(\\d{1,16}) (${UUID_PATTERN})$`);

/** Newest first. Without a receiver: those of all but the sink. */
export async function listParked(
  db: Queryable,
  { accountId }: Scope,
  { receiverId, limit, cursor }: PageRequest & { readonly receiverId?: string },
): Promise<Page<ParkedEvent>> {
  const [eventId, endpointId] = cursor === undefined ? [null, null] : readCursor(cursor, CURSOR);
  const values = [accountId, receiverId ?? null, eventId, endpointId, limit + 1];
  const rows = await db.query<ParkedEvent & { found: number }>(LIST, values);
  const data = rows.slice(0, limit).map(({ found: _found, ...row }) => row);
  const last = data.at(-1);
  const hasMore = (rows[0]?.found ?? 0) > data.length;
  return { data, next: hasMore && last !== undefined ? writeCursor(last.eventId, last.receiverId) : null };
}

/** The parked events of one receiver. */
export interface ParkedOf {
  readonly receiverId: string;
  readonly eventIds: readonly number[];
}

const REMOVE = sql(
  "webhook_parked_remove",
  "delete from webhook_retries where account_id = $1 and endpoint_id = $2 and state = 'parked' and event_id = any($3) returning event_id",
);

/** Removes parked events that the receiver has by now. Returns their number. */
export async function removeParked(
  db: Queryable,
  { accountId }: Scope,
  { receiverId, eventIds }: ParkedOf,
): Promise<number> {
  return (await db.query(REMOVE, [accountId, receiverId, eventIds])).length;
}

/** Discards parked events; a replay that was requested before may still send them. Returns their number. Idempotent. */
export async function discardParked(db: Base["db"], scope: Scope, parked: ParkedOf): Promise<number> {
  return db.tx(async (tx) => {
    const discarded = await removeParked(tx, scope, parked);
    const entry = {
      accountId: scope.accountId,
      action: "webhook.discard",
      subject: parked.receiverId,
    } as const;
    if (discarded > 0) await audit(tx, { ...entry, details: { events: discarded } });
    return discarded;
  });
}
