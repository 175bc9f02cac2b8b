import { type Queryable, sql } from "../../database/database.ts";
import type { StoredRestriction } from "../channel-restrictions.ts";

/** A channel as the console lists it. */
export interface ChannelLine {
  readonly id: string;
  readonly accountId: number;
  readonly accountName: string;
  readonly transport: string;
  readonly name: string;
  readonly phone: string;
  readonly username: string;
  readonly status: "active" | "init" | "disabled";
  readonly reason: string | null;
  readonly statusAt: Date;
  readonly unpaid: boolean;
  readonly restrictions: readonly StoredRestriction[];
  /** Set while sending is stopped on the console. */
  readonly stoppedAt: Date | null;
  /** Name of the node that owns it. */
  readonly node: string | null;
  readonly createdAt: Date;
}

const COLUMNS = `c.id, c.account_id as "accountId", a.name as "accountName", c.transport, c.name, c.phone, c.username,
  c.status, c.reason, c.status_at as "statusAt", c.unpaid, c.restrictions, p.stopped_at as "stoppedAt", n.name as node,
  c.created_at as "createdAt"`;
const FROM = `channels c join accounts a on a.id = c.account_id
  left join channel_pacing p on p.account_id = c.account_id and p.channel_id = c.id
  left join nodes n on n.id = c.owner and n.lease_until > now()`;
const LIST = sql(
  "console_channels",
  `select ${COLUMNS} from ${FROM}
   where c.deleted_at is null and ($1::bigint is null or c.account_id = $1)
     and ($2::text = '' or c.id::text = $2 or strpos(lower(concat_ws(' ', c.name, c.phone, c.username, c.transport, a.name, a.id)), $2) > 0)
   order by array_position(array['disabled', 'init', 'active'], c.status), c.status_at desc, c.id limit $3`,
);

/** Channels that do not work come first. `search`: an id, or part of a name, phone, username, transport, or of the account's name or id. */
export function listChannelLines(
  db: Queryable,
  { accountId, search, limit }: { accountId: number | null; search: string; limit: number },
): Promise<ChannelLine[]> {
  return db.query<ChannelLine>(LIST, [accountId, search.trim().toLowerCase(), limit]);
}

const FIND = sql(
  "console_channel",
  `select ${COLUMNS} from ${FROM} where c.deleted_at is null and c.account_id = $1 and c.id = $2`,
);

export async function findChannelLine(
  db: Queryable,
  accountId: number,
  id: string,
): Promise<ChannelLine | null> {
  return (await db.query<ChannelLine>(FIND, [accountId, id]))[0] ?? null;
}

const RECENT = 2_000;
const TRAFFIC = sql(
  "console_traffic",
  `select m.channel_id as id, max(m.created_at) as at
   from unnest($1::bigint[]) as a (id) cross join lateral (
     select channel_id, created_at from messages where account_id = a.id order by account_id desc, id desc limit ${RECENT}) m
   group by m.channel_id`,
);

/** The time of each channel's last message, by channel id. Only the newest messages of the account are searched. */
export async function lastTraffic(
  db: Queryable,
  accountIds: readonly number[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.query<{ id: string; at: Date }>(TRAFFIC, [[...new Set(accountIds)]]);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** The status of a channel from a time on. */
export interface ChannelState {
  readonly at: Date;
  readonly status: string;
  readonly reason: string | null;
  /** What the messenger said, if it ended or lost the connection. */
  readonly detail: string | null;
}

const STATES = sql(
  "console_channel_states",
  `select at, status, reason, detail from channel_states where account_id = $1 and channel_id = $2
   order by account_id desc, channel_id desc, id desc limit $3`,
);

/** The last 30 days, latest first. */
export function listChannelStates(
  db: Queryable,
  channel: { readonly accountId: number; readonly channelId: string },
  limit: number,
): Promise<ChannelState[]> {
  return db.query<ChannelState>(STATES, [channel.accountId, channel.channelId, limit]);
}

/** A line of a channel's log. Secrets were removed before it was stored. */
export interface LogLine {
  readonly id: number;
  readonly at: Date;
  readonly level: string;
  readonly message: string;
  readonly details: unknown;
  /** The message that it is about. */
  readonly messageId: string | null;
}

export interface LogSearch {
  readonly level: string | null;
  /** Part of the line or of its details. */
  readonly text: string;
  /** Only lines after this id: to follow the log. */
  readonly after: number;
  /** Only lines before this id: to page back. */
  readonly before: number;
  readonly limit: number;
}

const LOG_COLUMNS = `id, at, level, message, details, message_id as "messageId"`;
const LOG = sql(
  "console_channel_log",
  `select ${LOG_COLUMNS} from channel_log
   where account_id = $1 and channel_id = $2 and id > $3 and id < $4 and ($5::text is null or level = $5)
     and ($6::text = '' or strpos(lower(message || ' ' || coalesce(details::text, '')), $6) > 0)
   order by account_id desc, channel_id desc, id desc limit $7`,
);

/** The last week, latest first. */
export function readChannelLog(
  db: Queryable,
  channel: { readonly accountId: number; readonly channelId: string },
  { level, text, after, before, limit }: LogSearch,
): Promise<LogLine[]> {
  const values = [channel.accountId, channel.channelId, after, before, level, text.toLowerCase(), limit];
  return db.query<LogLine>(LOG, values);
}

const OF_MESSAGE = sql(
  "console_message_log",
  `select ${LOG_COLUMNS} from channel_log where account_id = $1 and message_id = $2
   order by account_id, message_id, id limit 200`,
);

/** What channels' logs of the last week contain about a message, oldest first. */
export function readMessageLog(db: Queryable, accountId: number, messageId: string): Promise<LogLine[]> {
  return db.query<LogLine>(OF_MESSAGE, [accountId, messageId]);
}
