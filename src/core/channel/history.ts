import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { AppError } from "../errors.ts";
import type { HistoryFact } from "../payload/facts.ts";
import type { Scope } from "../scope.ts";
import type { HistoryWish } from "../transport/connector.ts";
import type { TransportDefinition } from "../transport/definition.ts";

/** What is asked for when a channel is linked: messages of the last `days` days; 0: none, whatever was asked before. */
export interface HistoryRequest {
  readonly days: number;
}

export const MAX_HISTORY_DAYS = 3_650;

/** Throws VALIDATION_ERROR if the transport imports no history. */
export function checkHistory(definition: TransportDefinition, history: HistoryRequest | undefined): void {
  if (history === undefined || definition.capabilities.history === true) return;
  const message = `${definition.id} does not give earlier messages`;
  throw new AppError("VALIDATION_ERROR", { data: { fields: [{ field: "history", message }] } });
}

const REQUEST = sql(
  "history_request",
  `insert into channel_history (account_id, channel_id, days, status) values ($1, $2, $3, 'waiting')
   on conflict (account_id, channel_id) do update set days = excluded.days, status = 'waiting', is_cut = false,
     since_at = null, until_at = null, progress = null, messages = 0, batches = 0, told_at = null, told_progress = null, told_messages = 0,
     started_at = null, updated_at = now(), finished_at = null`,
);

const FORGET = sql(
  "history_forget",
  "delete from channel_history where account_id = $1 and channel_id = $2 and status = 'waiting'",
);

/** The channel's next session imports this; an earlier import of the channel begins anew. */
export async function requestHistory(
  tx: Queryable,
  { accountId }: Scope,
  channelId: string,
  { days }: HistoryRequest,
): Promise<void> {
  if (days === 0) await tx.query(FORGET, [accountId, channelId]);
  else await tx.query(REQUEST, [accountId, channelId, days]);
}

/** `now() - days`, but nothing that the retention of messages ($3; 0: for ever) would delete. */
const SINCE = "now() - least(h.days, coalesce(nullif($3::int, 0), h.days)) * interval '1 day'";
const WISH = sql(
  "history_wish",
  `select coalesce(h.since_at, ${SINCE}) as since from channel_history h
   join channels c on c.account_id = h.account_id and c.id = h.channel_id
   where h.account_id = $1 and h.channel_id = $2 and h.status <> 'done' and c.deleted_at is null`,
);

/** What is still to be imported for the channel; null: nothing. */
export async function historyWish(
  { db, settings }: Pick<Base, "db" | "settings">,
  { accountId, channelId }: Scope & { readonly channelId: string },
): Promise<HistoryWish | null> {
  const [row] = await db.query<{ since: Date }>(WISH, [accountId, channelId, settings.messageRetentionDays]);
  return row === undefined ? null : { since: row.since };
}

/** The import of a channel as owners and operators see it. */
export interface HistoryView {
  readonly days: number;
  readonly status: "waiting" | "running" | "done";
  /** Percent; null: unknown. */
  readonly progress: number | null;
  readonly messages: number;
  readonly isCut: boolean;
}

const VIEW = sql(
  "history_view",
  `select days, status, progress, messages, is_cut as "isCut" from channel_history
   where account_id = $1 and channel_id = $2`,
);

/** Null: no import was asked for. */
export async function historyView(
  db: Queryable,
  { accountId }: Scope,
  channelId: string,
): Promise<HistoryView | null> {
  return (await db.query<HistoryView>(VIEW, [accountId, channelId]))[0] ?? null;
}

/** An import that goes on: only messages of its time are stored. */
export interface RunningImport {
  readonly since: Date;
  readonly until: Date;
  /** How many batches were begun, with this one. */
  readonly batches: number;
  /** How many more messages the account's quota allows; null: any number. */
  readonly room: number | null;
}

// The channel became active when it was linked. `$4`: the quota. The commit does not wait for the disk: that of the batch
// follows it, and without the batch it is not needed.
const BEGIN = sql(
  "history_begin",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   update channel_history h set status = 'running', batches = h.batches + 1, started_at = coalesce(h.started_at, now()),
     since_at = coalesce(h.since_at, ${SINCE}),
     until_at = coalesce(h.until_at, case when c.status = 'active' then c.status_at else now() end)
   from channels c
   where h.account_id = $1 and h.channel_id = $2 and h.status <> 'done'
     and c.account_id = h.account_id and c.id = h.channel_id and c.deleted_at is null
   returning h.since_at as since, h.until_at as until, h.batches, (select count(*) from relaxed) as relaxed,
     case when $4::bigint = 0 then null else greatest(0, $4::bigint - (
       select coalesce(sum(o.messages), 0) from channel_history o where o.account_id = $1))::bigint end as room`,
);

/** Begins or continues the channel's import; null: there is none, it has ended, or the channel was deleted. */
export async function beginImport(
  { db, settings }: Pick<Base, "db" | "settings">,
  { accountId, channelId }: Scope & { readonly channelId: string },
): Promise<RunningImport | null> {
  const { messageRetentionDays, quotas } = settings;
  const values = [accountId, channelId, messageRetentionDays, quotas.historyMessages];
  return (await db.query<RunningImport>(BEGIN, values))[0] ?? null;
}

// Receivers are told of the begin, of every ten percent or, if those are unknown, every 10,000 messages, and of the end.
const PROGRESS = "case when $5 then 100 else greatest(h.progress, $4::smallint) end";
const IS_NEWS = `($5 or h.told_at is null or coalesce(${PROGRESS}, 0) >= coalesce(h.told_progress, 0) + 10
  or h.messages + $3 >= h.told_messages + 10000)`;
const ADVANCE = sql(
  "history_advance",
  `update channel_history h set messages = h.messages + $3, updated_at = now(), progress = ${PROGRESS},
     is_cut = h.is_cut or $6, status = case when $5 then 'done' else h.status end,
     finished_at = case when $5 then now() end,
     told_at = case when ${IS_NEWS} then now() else h.told_at end,
     told_progress = case when ${IS_NEWS} then ${PROGRESS} else h.told_progress end,
     told_messages = case when ${IS_NEWS} then h.messages + $3 else h.told_messages end
   from channels c
   where h.account_id = $1 and h.channel_id = $2 and h.status = 'running'
     and c.account_id = h.account_id and c.id = h.channel_id
   returning h.status, h.progress, h.messages, h.is_cut as "isCut", h.since_at as since, h.until_at as until,
     c.transport, h.updated_at as at, h.told_at = h.updated_at as "isNews"`,
);

/** How an import got on. */
export interface Advance {
  /** Newly stored messages. */
  readonly messages: number;
  /** Percent; null: unknown. */
  readonly progress: number | null;
  readonly isDone: boolean;
  /** The quota is used up. */
  readonly isCut: boolean;
}

/** Records it in the transaction that stores the messages; returns what receivers are to be told, if anything. */
export async function advanceImport(
  tx: Queryable,
  { accountId, channelId }: Scope & { readonly channelId: string },
  { messages, progress, isDone, isCut }: Advance,
): Promise<HistoryFact | null> {
  const percent = progress === null ? null : Math.max(0, Math.min(100, Math.round(progress)));
  const values = [accountId, channelId, messages, percent, isDone, isCut];
  const [row] = await tx.query<Omit<HistoryFact, "accountId" | "channelId"> & { isNews: boolean }>(
    ADVANCE,
    values,
  );
  if (row === undefined || !row.isNews) return null;
  const { isNews: _, ...fact } = row;
  return { accountId, channelId, ...fact };
}
