import { type Queryable, sql } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Base } from "../base.ts";
import { ATTENTION_LIMIT, type Attention, listAttention } from "../console/attention.ts";
import { INSTALLATION } from "../statistics/statistics.ts";
import { type Alert, alertText, alertUrl } from "./alert-text.ts";
import { type AlertTarget, targetsOf } from "./targets.ts";

/** An open problem is told again after this long. */
const REMINDER = "24 hours";

// Raw statements where all rows are read: there are only as many as problems, and it is done once a minute.
// A problem without a time counts from when it was first seen. `full`: kinds of which more problems exist than were read: none of them has certainly ended.
const RECORD = `with seen as materialized (
     select * from json_to_recordset($1::json) as r(
       kind text, account_id bigint, subject text, facts json, since timestamptz)
   ), ended as (
     update alerts a set ended_at = now(), told_at = now()
     where a.ended_at is null and a.kind <> all($2::text[])
       and not exists (
         select 1 from seen s where (s.account_id, s.kind, s.subject) = (a.account_id, a.kind, a.subject))
   ), over as (
     delete from alerts where ended_at is not null
       and not exists (select 1 from unnest(told) t where t = any($3::text[]) and t <> all(told_end)))
   insert into alerts as a (kind, account_id, subject, facts, since)
   select kind, account_id, subject, facts, coalesce(since, (
       select b.since from alerts b where (b.account_id, b.kind, b.subject) = (s.account_id, s.kind, s.subject)
         and b.ended_at is null), now())
   from seen s order by 2, 1, 3
   on conflict (account_id, kind, subject) do update set
     facts = excluded.facts, since = excluded.since, ended_at = null, told_end = '{}',
     told = case when a.ended_at is not null or a.told_at < now() - interval '${REMINDER}' then '{}' else a.told end`;
const PENDING = `select kind, account_id as "accountId", subject, facts, since, ended_at as "endedAt" from alerts
   where case when ended_at is null then not told @> array[$1::text] and since <= $2
     else told @> array[$1::text] and not told_end @> array[$1::text] end
   order by ended_at is not null, since, kind, account_id, subject limit 200`;
const TOLD = `update alerts a set
     told = case when s.is_end then a.told else a.told || $1::text end,
     told_end = case when s.is_end then a.told_end || $1::text else a.told_end end,
     told_at = now()
   from json_to_recordset($2::json) as s(kind text, account_id bigint, subject text, is_end boolean)
   where a.account_id = s.account_id and a.kind = s.kind and a.subject = s.subject and (a.ended_at is not null) = s.is_end`;
const TRIED = sql(
  "alert_targets_tried",
  `insert into alert_targets as t (target, sent_at, tried_at, failure)
   values ($1, case when $2::text is null then now() end, now(), $2)
   on conflict (target) do update set
     sent_at = coalesce(excluded.sent_at, t.sent_at), tried_at = excluded.tried_at, failure = excluded.failure`,
);
const FORGET_TARGETS = "delete from alert_targets where target <> all($1::text[])";
const TARGETS = `select target, sent_at as "sentAt", tried_at as "triedAt", failure,
     sent_at > now() - $1::float8 * interval '1 millisecond' as "isRecent" from alert_targets`;

export interface TargetState {
  readonly target: string;
  /** The last notification that was accepted. */
  readonly sentAt: Date | null;
  readonly triedAt: Date;
  /** Of the last attempt. */
  readonly failure: string | null;
  readonly isRecent: boolean;
}

/** The last notification to each target. */
export function listTargetStates({ db, settings }: Pick<Base, "db" | "settings">): Promise<TargetState[]> {
  return db.query<TargetState>(TARGETS, [settings.alerts.everyMs]);
}

interface PendingRow {
  readonly kind: Attention["kind"];
  readonly accountId: number;
  readonly subject: string;
  /** `subject`: of the problem; that of the row tells apart what the kind does not. */
  readonly facts: Pick<Attention, "level" | "name" | "transport" | "reason" | "count" | "subject">;
  readonly since: Date;
  readonly endedAt: Date | null;
}

/**
 * Tells each target of the problems that have lasted long enough, and of the end of those it knows. At most one
 * notification per target and interval, with all that has changed. Called by one node. A notification whose
 * confirmation is lost is sent again. Throws if a target cannot be reached; the next call tries again.
 */
export async function reportAlerts(
  core: Pick<Base, "db" | "settings" | "clock">,
  targets: readonly AlertTarget[] = targetsOf(core.settings.alerts),
): Promise<number> {
  const { db, settings, clock } = core;
  const names = targets.map(({ name }) => name);
  await db.query(FORGET_TARGETS, [names]);
  if (targets.length === 0) {
    await db.query("delete from alerts");
    return 0;
  }
  const before = new Date(clock.now().getTime() - settings.alerts.afterMs);
  await recordProblems(db, await listAttention(db, null), { before, names });
  const states = new Map((await listTargetStates(core)).map((state) => [state.target, state]));
  let sent = 0;
  const failures: string[] = [];
  for (const target of targets) {
    if (states.get(target.name)?.isRecent === true) continue;
    const pending = await db.query<PendingRow>(PENDING, [target.name, before]);
    if (pending.length === 0) continue;
    const failure = await notify(core, target, pending);
    await db.query(TRIED, [target.name, failure]);
    if (failure === null) sent += pending.length;
    else failures.push(`${target.name}: ${failure}`);
  }
  if (failures.length > 0) throw new Error(`alerts could not be sent: ${failures.join("; ")}`);
  return sent;
}

async function recordProblems(
  db: Queryable,
  attention: readonly Attention[],
  { before, names }: { readonly before: Date; readonly names: readonly string[] },
): Promise<void> {
  const counts = Map.groupBy(attention, ({ kind }) => kind);
  const full = [...counts].filter(([, all]) => all.length >= ATTENTION_LIMIT).map(([kind]) => kind);
  const unique = new Map(attention.map((each) => [`${each.kind} ${each.accountId} ${keyOf(each)}`, each]));
  const rows = [...unique.values()]
    .filter(({ since }) => since === null || since <= before)
    .map((each) => ({
      kind: each.kind,
      account_id: each.accountId ?? INSTALLATION,
      subject: keyOf(each),
      facts: {
        level: each.level,
        name: each.name,
        transport: each.transport,
        reason: each.reason,
        count: each.count,
        subject: each.subject,
      },
      since: each.since?.toISOString() ?? null,
    }));
  await db.query(RECORD, [JSON.stringify(rows), full, names]);
}

/** Roles and restrictions are told apart by their reason. */
function keyOf({ kind, subject, reason }: Attention): string {
  return kind === "no_node" || kind === "channel_restricted" ? `${subject} ${reason}`.trim() : subject;
}

async function notify(
  { db, settings, clock }: Pick<Base, "db" | "settings" | "clock">,
  target: AlertTarget,
  pending: readonly PendingRow[],
): Promise<string | null> {
  const alerts = pending.map((row) => alertOf(row, settings.publicUrl));
  const notification = {
    id: newId(),
    at: clock.now(),
    isTest: false,
    installation: settings.publicUrl,
    alerts,
  };
  try {
    await target.send(notification);
  } catch (error) {
    return messageOf(error).slice(0, 500);
  }
  const told = pending.map(({ kind, accountId, subject, endedAt }) => ({
    ...{ kind, account_id: accountId, subject },
    is_end: endedAt !== null,
  }));
  await db.query(TOLD, [target.name, JSON.stringify(told)]);
  return null;
}

function alertOf(row: PendingRow, publicUrl: string): Alert {
  const told = {
    ...row.facts,
    kind: row.kind,
    accountId: row.accountId === INSTALLATION ? null : row.accountId,
  };
  return {
    ...told,
    state: row.endedAt === null ? "open" : "ended",
    since: row.since.toISOString(),
    text: alertText(told),
    url: alertUrl(publicUrl, told),
  };
}
