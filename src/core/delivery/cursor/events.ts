import { type Queryable, sql } from "../../../database/database.ts";
import type { Scope } from "../../scope.ts";

/** One event on its way to a receiver. `body` is JSON text. */
export interface QueuedEvent {
  readonly id: number;
  readonly kind: string;
  readonly channelId: string | null;
  readonly chat: string | null;
  readonly body: string;
  /** When it happened, in seconds of Unix time. */
  readonly seconds: number;
}

/** v2 events are named `subject.verb`; v3 kinds are single words. */
export function isV2(kind: string): boolean {
  return kind.includes(".");
}

/** Occurs in no id, kind or JSON text. */
const SEPARATOR = "\u001f";

const joined = (text: string): string => `string_agg(coalesce(${text}, ''), chr(${SEPARATOR.charCodeAt(0)}))`;

/**
 * Columns that pack many events `e` into one row, each column a list: reading a full batch row by row costs the node
 * several times as much. The rows must be in order.
 */
export const PACKED_EVENTS = `array_agg(e.id) as ids, ${joined("e.kind")} as kinds,
  ${joined("e.channel_id::text")} as channels, ${joined("e.chat::text")} as chats, ${joined("e.body")} as bodies,
  ${joined("floor(extract(epoch from e.created_at))::text")} as seconds`;

/** A row with `PACKED_EVENTS`; all null if there are no events. */
export interface PackedEvents {
  readonly ids: readonly number[] | null;
  readonly kinds: string | null;
  readonly channels: string | null;
  readonly chats: string | null;
  readonly bodies: string | null;
  readonly seconds: string | null;
}

export function unpackEvents({ ids, kinds, channels, chats, bodies, seconds }: PackedEvents): QueuedEvent[] {
  const columns = [kinds, channels, chats, bodies, seconds].map((text) => text?.split(SEPARATOR) ?? []);
  const [kindOf = [], channelOf = [], chatOf = [], bodyOf = [], secondsOf = []] = columns;
  return (ids ?? []).map((id, place) => ({
    id,
    kind: kindOf[place] ?? "",
    channelId: channelOf[place] || null,
    chat: chatOf[place] || null,
    body: bodyOf[place] ?? "",
    seconds: Number(secondsOf[place]),
  }));
}

/** Columns of one event `e`, besides its id. */
export const EVENT_COLUMNS = `kind, channel_id as "channelId", chat, body,
  floor(extract(epoch from e.created_at))::float8 as seconds`;

const COLUMNS = "kind, channel_id, chat, body, created_at";
// A parked event outlives the log.
const BY_IDS = sql(
  "webhook_events_by_ids",
  `select ${PACKED_EVENTS}
   from (select distinct on (id) * from (
     select id, ${COLUMNS} from events
     where account_id = $1 and id = any($2) and id >= $3 and id <= $4
     union all
     select event_id, ${COLUMNS} from webhook_retries
     where account_id = $1 and state = 'parked' and event_id = any($2)) found order by id) e`,
);

/** Events as they were sent, in order; deleted ones are missing. */
export async function readByIds(
  db: Queryable,
  { accountId }: Scope,
  ids: readonly number[],
): Promise<QueuedEvent[]> {
  if (ids.length === 0) return [];
  const values = [accountId, ids, Math.min(...ids), Math.max(...ids)];
  const [row] = await db.query<PackedEvents>(BY_IDS, values);
  return row === undefined ? [] : unpackEvents(row);
}
