import { type Queryable, sql } from "../../database/database.ts";
import type { Base } from "../base.ts";
import { Cache } from "../cache.ts";
import { publishRequestsAndCommit } from "../crm/publish-requests.ts";
import { announce } from "../event/publish.ts";
import { jsonRows } from "../json-rows.ts";
import type { Fact } from "../payload/facts.ts";
import { retryOnLostConnection } from "../retry.ts";
import { decodeEvent, encodeEvent } from "../transport/event-json.ts";
import type { TransportEvent } from "../transport/events.ts";
import { isWritable } from "../writable-accounts.ts";
import type { KeptChange } from "./early-changes.ts";
import { recordMessageChange } from "./messenger-changes.ts";
import { type ReadPosition, recordReadReports } from "./read-reports.ts";
import { recordStatusReports } from "./status-reports.ts";
import { recordReaction } from "./stored-reaction.ts";

/** A messenger's report about a chat, with our id of the chat. */
interface ChatReport {
  readonly accountId: number;
  readonly channelId: string;
  readonly chat: string;
  readonly event: TransportEvent;
  /** Of a `readUpTo` that is partly recorded. */
  readonly readFrom?: ReadPosition;
}

/** Events that can arrive before the outcome of their message, or of an earlier one of the chat, is stored. */
type EarlyEvent = Extract<TransportEvent, { kind: "receipt" | "failed" | "readUpTo" }>;

/** Beyond this an account's early reports are dropped. Each belongs to a send under way, so there are few. */
const MAX_PER_ACCOUNT = 1_000;
const MAX_AT_ONCE = 1_000;

/** How many jobs of a chat are read: those that may have arrived are the first ones, because a chat is sent in order. */
const FIRST_JOBS = 100;

/**
 * The first jobs of a chat. `of`: a row with `account_id` and `channel_id`. Plain equations, unlike elsewhere: with
 * "any" the index would not give them in order, and all jobs of the chat would be read.
 */
const firstJobsOf = (chat: string, of: string): string => `(
  select j.id, j.kind, j.message_id, j.unsure_since from send_jobs j
  where j.account_id = ${of}.account_id and j.channel_id = ${of}.channel_id and j.chat = ${chat}
  order by j.id limit ${FIRST_JOBS}) f`;

/** Our id of the message of the chat's first send job; null: there is none. */
const firstSendOf = (chat: string, of: string): string =>
  `(select f.message_id from ${firstJobsOf(chat, of)} where f.kind = 'send' order by f.id limit 1)`;

/** Whether a send of the chat may have arrived. */
const mayHaveSent = (of: string): string =>
  `exists (select from ${firstJobsOf(`${of}.chat`, of)} where f.kind = 'send' and f.unsure_since is not null)`;

// A report that names the message by the messenger's id can be early only while a send of its chat may have arrived. A
// report that names it by our id is early while an earlier send of the chat has no outcome, because statuses of a
// chat are published in order.
const KEEP = sql(
  "early_reports_keep",
  `with early as materialized (
     select i.*, coalesce(n.chat, i.chat) as of_chat
     from json_to_recordset($1::json) as i(
       ord int, account_id bigint, channel_id uuid, chat uuid, external_id text, message_id uuid, event text)
     left join messages n on n.account_id = any(array[i.account_id]) and n.id = i.message_id
     where case when i.message_id is null then
         ${mayHaveSent("i")}
         and (
          select 1 from messages m where m.account_id = any(array[i.account_id]) and m.chat = any(array[i.chat])
            and m.external_id = i.external_id limit 1) is null
       else n.status = 'queued' and i.message_id <> ${firstSendOf("n.chat", "i")}
       end
       and (select count(*) from (
         select 1 from early_reports e where e.account_id = any(array[i.account_id]) limit ${MAX_PER_ACCOUNT}) k) < ${MAX_PER_ACCOUNT}
   ), kept as (
     insert into early_reports (account_id, channel_id, chat, external_id, message_id, event)
     select account_id, channel_id, of_chat, external_id, message_id, event from early order by ord
   )
   select ord, of_chat as chat, message_id is not null as is_named from early`,
);

/** The result of `storeEarlyReports`. */
export interface EarlyReports<R> {
  /** Chats with stored reports: call `applyKept` with these after the commit. */
  readonly chats: readonly string[];
  /** The reports to record now. */
  readonly rest: readonly R[];
}

/**
 * Stores the reports that come before the outcome they follow. Must be the first statement of the transaction that
 * records the rest. An outcome that commits meanwhile is then seen either by a later statement of the transaction or by
 * `applyKept`, so no report is missed.
 */
export async function storeEarlyReports<R extends ChatReport>(
  tx: Queryable,
  reports: readonly R[],
): Promise<EarlyReports<R>> {
  const rows = reports.flatMap(rowOf);
  if (rows.length === 0) return { chats: [], rest: reports };
  const kept = await tx.query<{ ord: number; chat: string; is_named: boolean }>(KEEP, [jsonRows(rows)]);
  const held = new Set(kept.filter((row) => row.is_named).map(({ ord }) => ord));
  return {
    chats: [...new Set(kept.map(({ chat }) => chat))],
    rest: held.size === 0 ? reports : reports.filter((_, ord) => !held.has(ord)),
  };
}

function rowOf({ accountId, channelId, chat, event, readFrom }: ChatReport, ord: number): object[] {
  const externalId = readFrom === undefined ? externalIdOf(event) : null;
  if (externalId === null) return [];
  const row = { ord, account_id: accountId, channel_id: channelId, chat, external_id: externalId };
  const messageId = event.kind === "receipt" || event.kind === "failed" ? event.ref.messageId : undefined;
  return [{ ...row, message_id: messageId, event: encodeEvent(event) }];
}

/** Null for events that cannot be early. */
function externalIdOf(event: TransportEvent): string | null {
  switch (event.kind) {
    case "receipt":
    case "failed":
      return event.ref.externalId;
    case "readUpTo":
      return "externalId" in event.upTo ? event.upTo.externalId : "";
    default:
      return null;
  }
}

const FIND = sql("early_reports_find", "select distinct chat from early_reports where chat = any($1)");

/** Due: the message is known by now, no earlier send of the chat waits, or none of the chat is under way. */
const TAKE = sql(
  "early_reports_take",
  `with due as (
     delete from early_reports e where e.chat = any($1) and case when e.message_id is not null then
       coalesce(e.message_id = ${firstSendOf("e.chat", "e")}, true) or not exists (select 1 from messages m
         where m.account_id = any(array[e.account_id]) and m.id = e.message_id and m.status = 'queued')
     when e.external_id = '' then
       not ${mayHaveSent("e")}
     else
       exists (select 1 from messages m
         where m.account_id = any(array[e.account_id]) and m.chat = any(array[e.chat]) and m.external_id = e.external_id)
     end
     returning e.*)
   select * from due order by id`,
);

interface Row {
  readonly id: number;
  readonly account_id: number;
  readonly channel_id: string;
  readonly chat: string;
  readonly external_id: string;
  readonly message_id: string | null;
  readonly event: string;
  readonly read_from: ReadPosition | null;
  readonly kept_at: Date;
  /** An edit, deletion or reaction. */
  readonly is_change: boolean;
}

const PUT_BACK = sql(
  "early_reports_put_back",
  `insert into early_reports overriding system value
   select * from json_populate_recordset(null::early_reports, $1::json)`,
);
/** A transaction that has published this many changes takes no further reports. */
const MANY_FACTS = 500;

/**
 * Records the stored reports about messages of these chats that are known by now. Idempotent; several nodes may call
 * it concurrently. `applyMissedReports` finds what a crash leaves behind.
 */
async function applyEarlyReports(core: Base, chats: readonly string[]): Promise<void> {
  if (chats.length === 0) return;
  const waiting = await core.db.query<{ chat: string }>(FIND, [chats]);
  for (let found = waiting.map(({ chat }) => chat); found.length > 0; )
    found = await applyPortion(core, found);
}

/** Returns the chats with reports that are left for a further transaction. */
async function applyPortion(core: Base, chats: readonly string[]): Promise<string[]> {
  const { published, left } = await retryOnLostConnection(() =>
    core.db.tx(async (tx) => {
      const facts: Fact[] = [];
      const left: Row[] = [];
      for (const row of await tx.query<Row>(TAKE, [chats])) {
        const recorded =
          facts.length < MANY_FACTS ? await recordRow(core, tx, row) : { facts: [], left: row };
        facts.push(...recorded.facts);
        if (recorded.left !== null) left.push(recorded.left);
      }
      if (left.length > 0) await tx.query(PUT_BACK, [jsonRows(left)]);
      return { published: await publishRequestsAndCommit(tx, facts), left };
    }),
  );
  announce(core, published);
  return [...new Set(left.map(({ chat }) => chat))];
}

const START = "00000000-0000-0000-0000-000000000000";
const MAX_REMEMBERED = 10_000;
/** A send under way ends, or passes to another node, within this time. */
const REMEMBERED_MS = 600_000;

/** What this node remembers of early reports. */
export interface EarlyMemory {
  /** Chats with reports that it stored. */
  readonly kept: Cache<string, true>;
  /** The last chat that the previous run of `applyMissedReports` looked at. */
  lookedAt: string;
}

export interface HasEarlyReports {
  readonly earlyReports: EarlyMemory;
}

export function createEarlyReports(): EarlyMemory {
  return { kept: new Cache({ maxEntries: MAX_REMEMBERED, ttlMs: REMEMBERED_MS }), lookedAt: START };
}

/** Call after storing early reports of these chats: the outcomes of their sends may be stored by now. */
export function applyKept(core: Base & HasEarlyReports, chats: readonly string[]): void {
  for (const chat of chats) core.earlyReports.kept.set(chat, true);
  scheduleEarlyReports(core, chats);
}

/**
 * Call after storing outcomes of sends in these chats. A node without others knows which chats have early reports and
 * skips the rest. Reports that another node stored shortly before it was noticed are found by the upkeep.
 */
export function applyToSent(core: Base & HasEarlyReports, chats: readonly string[]): void {
  const known = core.earlyReports.kept;
  scheduleEarlyReports(
    core,
    core.signals.hasOthers() ? chats : chats.filter((chat) => known.get(chat) === true),
  );
}

/** Does not wait: the upkeep repeats what fails. */
function scheduleEarlyReports(core: Base, chats: readonly string[]): void {
  applyEarlyReports(core, chats).catch((error: unknown) =>
    core.log.debug({ err: error }, "early reports were not applied yet"),
  );
}

/** A raw statement, because a plan that reads the whole table is good as well. */
const NEXT = `select distinct e.chat from early_reports e
  where e.chat > $1 and ${isWritable("e.account_id")} order by e.chat limit ${MAX_AT_ONCE}`;

/**
 * Applies due reports that a process stored and could not apply before it died. Each run continues with the chats after
 * those of the previous run and starts again after the last, so that reports that never become due do not hide others.
 */
export async function applyMissedReports(core: Base & HasEarlyReports): Promise<void> {
  const rows = await core.db.query<{ chat: string }>(NEXT, [core.earlyReports.lookedAt]);
  const chats = rows.map(({ chat }) => chat);
  // Before they are applied, so that a failure does not hide others either.
  core.earlyReports.lookedAt = chats.length < MAX_AT_ONCE ? START : (chats.at(-1) ?? START);
  await applyEarlyReports(core, chats);
}

async function recordRow(
  core: Base,
  tx: Queryable,
  row: Row,
): Promise<{ readonly facts: readonly Fact[]; readonly left: Row | null }> {
  // Written by `storeEarlyReports` or `keepChange`.
  const event = decodeEvent(row.event) as EarlyEvent | KeptChange;
  const report = { accountId: row.account_id, channelId: row.channel_id, chat: row.chat };
  if (event.kind === "edited" || event.kind === "deleted")
    return { facts: (await recordMessageChange(core, tx, { ...report, event })) ?? [], left: null };
  if (event.kind === "reaction")
    return { facts: (await recordReaction(tx, report, event)) ?? [], left: null };
  if (event.kind !== "readUpTo")
    return { facts: await recordStatusReports(core, tx, [{ ...report, event }]), left: null };
  const readFrom = row.read_from === null ? {} : { readFrom: row.read_from };
  const { facts, left } = await recordReadReports(core, tx, [{ ...report, event, ...readFrom }]);
  const [next] = left.values();
  return { facts, left: next === undefined ? null : { ...row, read_from: next } };
}
