import { type Queryable, sql, type Transaction } from "../../database/database.ts";
import { EVENT_LOG_LOCK } from "../../database/locks.ts";
import type { Base } from "../base.ts";
import { jsonRows } from "../json-rows.ts";
import { aboutOf, LIVE } from "../live/about.ts";

/** Something a receiver is to be told. `kind` is the key in the v3 body, or the name of a v2 event. */
export interface Event {
  readonly accountId: number;
  readonly kind: string;
  readonly channelId: string | null;
  /** What keeps its order at each receiver: the chat, or the channel for what concerns the channel itself. */
  readonly chat: string;
  /** What it is about (message id, channel id), for the delivery log. */
  readonly subject: string;
  /** The item as the receiver gets it. */
  readonly body: object;
}

// Keys in order: else two that publish for the same accounts wait for each other.
const LOCK = sql(
  "events_lock",
  `select pg_advisory_xact_lock(${EVENT_LOG_LOCK}, id) from unnest($1::integer[]) as id`,
);

const INSERT = sql(
  "events_insert",
  `with input as (
     select row_number() over () as ord, r.* from json_to_recordset($1::json) as r(
       account_id bigint, kind text, channel_id uuid, chat uuid, subject text, body json, about text)
   ), added as (
     insert into events (account_id, kind, channel_id, chat, subject, body)
     select account_id, kind, channel_id, chat, subject, body::text from input i
     where exists (select 1 from webhook_endpoints e where e.account_id = any(array[i.account_id]) and i.kind = any(e.kinds))
     order by ord
     returning account_id, kind
   ), followed as (
     insert into events (account_id, kind, channel_id, chat, subject, body)
     select account_id, '${LIVE}', channel_id, chat, subject, about from (
       select distinct on (account_id, about, subject) * from input where about is not null
       order by account_id, about, subject, ord) i
     where exists (select 1 from live_accounts l where l.account_id = any(array[i.account_id]) and l.until > now())
     order by ord
     returning account_id, kind
   )
   select account_id, kind from added union select account_id, kind from followed`,
);

/**
 * Waits until whoever publishes for these accounts has committed, and keeps the others waiting until the transaction
 * ends. The statements that follow see all that was published.
 */
export async function lockLogs(tx: Queryable, accountIds: readonly number[]): Promise<void> {
  await tx.query(LOCK, [[...new Set(accountIds)].toSorted((a, b) => a - b)]);
}

/**
 * Appends events to the log of their accounts, in the caller's transaction, as far as a receiver takes them or a page
 * follows the account. The lock
 * is held until commit and numbers are drawn under it: ids of an account grow in the order of the commits, so that who
 * has read up to an event has missed none before it. Call it last in a transaction. Returns what somebody has to read:
 * pass it to `announce` after the commit.
 */
export async function publish(tx: Queryable, events: readonly Event[]): Promise<readonly Published[]> {
  if (events.length === 0) return [];
  const [, rows] = await Promise.all([
    lockLogs(
      tx,
      events.map(({ accountId }) => accountId),
    ),
    tx.query<{ account_id: number; kind: string }>(INSERT, [jsonRows(events.map(eventRow))]),
  ]);
  return rows.map(({ account_id: accountId, kind }) => ({ accountId, kind }));
}

/** Events of this kind were appended to the account's log. */
export interface Published {
  readonly accountId: number;
  readonly kind: string;
}

/** The same, and commits at once: the lock is held no longer than the server needs. */
export function publishAndCommit(tx: Transaction, events: readonly Event[]): Promise<readonly Published[]> {
  const published = publish(tx, events);
  tx.commitNow();
  return published;
}

/** Call it after the commit, with what `publish` answered: tells the readers of the logs. */
export function announce({ wakes }: Pick<Base, "wakes">, published: readonly Published[]): void {
  for (const [accountId, own] of Map.groupBy(published, (each) => each.accountId))
    wakes.wake("webhooks", [accountId, ...own.map(({ kind }) => kind)].join(" "));
}

/** Call it when something may wait for any receiver of these accounts. */
export function signalReceivers({ wakes }: Pick<Base, "wakes">, accountIds: readonly number[]): void {
  for (const id of accountIds) wakes.wake("webhooks", String(id));
}

function eventRow(event: Event): object {
  return {
    account_id: event.accountId,
    kind: event.kind,
    channel_id: event.channelId,
    chat: event.chat,
    subject: event.subject,
    body: event.body,
    about: aboutOf(event),
  };
}
