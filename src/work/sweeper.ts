import { forgetSomeHistory } from "../core/channel/forgotten.ts";
import type { Core } from "../core/core.ts";
import { publish } from "../core/event/publish.ts";
import { removeExpired } from "../core/export/exports.ts";
import { removeOldFiles } from "../core/file/files.ts";
import { recordChangeOutcome } from "../core/message/change.ts";
import { recordOutcomes, type SendOutcome } from "../core/message/outcome.ts";
import type { SendJob } from "../core/message/send-lanes.ts";
import { reclaimWebhookLanes, wakeForgottenLanes } from "../core/webhook/lanes.ts";
import { type Database, sql } from "../database/database.ts";

const QUICK_MS = 1_000;
/** Every so many quick rounds comes a slow one. */
const SLOW_EVERY = 60;
const CANCEL_BATCH = 500;
const FILES_AT_A_TIME = 100;

export interface SweeperOptions {
  readonly core: Core;
  readonly eventRetentionDays: number;
  readonly fileRetentionDays: number;
  onDepths?(depths: readonly QueueDepth[]): void;
  onChannels?(counts: readonly ChannelCount[]): void;
}

export interface ChannelCount {
  readonly transport: string;
  readonly status: string;
  readonly channels: number;
}

export interface QueueDepth {
  readonly queue: "send" | "webhook" | "parked" | "files" | "exports";
  readonly jobs: number;
  /** Seconds since the oldest due job was added. */
  readonly delay: number;
}

/** Clears up after nodes that died and channels that ended, and forgets what is past its time. Any node may do it. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #core: Core;
  #round: Promise<void> | null = null;
  #rounds = 0;
  /** What is left of what was to be forgotten in this slow round. */
  #unfinished: readonly Forgetting[] = [];
  readonly #forgetting: readonly Forgetting[];
  /** Goes on beside the rounds: a store of files that is slow or away holds up nothing else. */
  #removal: Promise<void> | null = null;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#core = options.core;
    const { db } = options.core;
    const days = options.eventRetentionDays;
    this.#forgetting = [
      ...FORGET.map((statement) => () => forget(db, statement, [])),
      ...FORGET_BY_AGE.map((statement) => () => forget(db, statement, [days])),
      forgettingEvents(db, days),
      () => forgetSomeHistory(db),
    ];
  }

  start(): void {
    this.#timer = setInterval(() => this.#run(), QUICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#round;
    await this.#removal;
  }

  #run(): void {
    this.#round ??= this.#sweep()
      .catch((error: unknown) => this.#core.log.debug({ err: error }, "a sweep did not end"))
      .finally(() => {
        this.#round = null;
      });
  }

  async #sweep(): Promise<void> {
    await this.#quick();
    if (this.#rounds++ % SLOW_EVERY === 0) await this.#slow();
  }

  async #quick(): Promise<void> {
    if ((await reclaimWebhookLanes(this.#core.db)) > 0) this.#core.wakes.wake("webhooks");
    while ((await cancelStranded(this.#core)) === CANCEL_BATCH);
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    await this.#forget(unfinished);
  }

  /** What has more to forget goes on in the next round: more may grow old in a minute than one statement removes. */
  async #forget(these: readonly Forgetting[]): Promise<void> {
    const unfinished: Forgetting[] = [];
    for (const forgetSome of these) if (await forgetSome()) unfinished.push(forgetSome);
    this.#unfinished = unfinished;
  }

  async #slow(): Promise<void> {
    await this.#forget(this.#forgetting);
    for (const statement of REMOVE_LANES) await this.#core.db.query(statement, []);
    this.#removal ??= this.#removeFiles()
      .catch((error: unknown) =>
        this.#core.log.warn({ err: error }, "old files could not be removed; it is tried again in a minute"),
      )
      .finally(() => {
        this.#removal = null;
      });
    await this.#wakeForgotten();
    this.#options.onDepths?.(await this.#core.db.query<QueueDepth>(DEPTHS, []));
    this.#options.onChannels?.(await this.#core.db.query<ChannelCount>(CHANNELS, []));
  }

  async #removeFiles(): Promise<void> {
    const [days, limit] = [this.#options.fileRetentionDays, FILES_AT_A_TIME];
    while (!this.#isStopping && (await removeOldFiles(this.#core, { days, limit })) === limit);
    while (!this.#isStopping && (await removeExpired(this.#core, limit)) === limit);
  }

  async #wakeForgotten(): Promise<void> {
    const lanes = await wakeForgottenLanes(this.#core.db);
    if (lanes.length === 0) return;
    this.#core.log.warn({ lanes }, "webhooks were waiting without being due");
    this.#core.wakes.wake("webhooks");
  }
}

const STRANDED = sql(
  "send_jobs_stranded",
  `select j.id, j.account_id, j.channel_id, j.chat, j.message_id, j.kind, j.change, j.started_epoch, c.reason
   from channels c
   cross join lateral (
     select chat from send_lanes s where s.channel_id = c.id and s.due < 'infinity' limit 50) l
   cross join lateral (
     select * from send_jobs s where s.chat = l.chat order by s.id limit 50 for update skip locked) j
   where (c.deleted_at is not null or c.status = 'disabled')
     -- A node keeps a deleted channel while the messenger does not answer; what was being sent has ended by then.
     and (c.owner is null or c.deleted_at < now() - interval '15 seconds')
   limit ${CANCEL_BATCH}`,
);
const EMPTY_LANES = sql(
  "send_lanes_rest",
  `update send_lanes s set due = 'infinity', held_by = null, held_until = null where s.chat = any($1)
     and not exists (select 1 from send_jobs j where j.chat = any(array[s.chat]))`,
);

interface StrandedRow {
  readonly id: number;
  readonly account_id: number;
  readonly channel_id: string;
  readonly chat: string;
  readonly message_id: string;
  readonly kind: SendJob["kind"];
  readonly change: SendJob["change"];
  readonly started_epoch: number | null;
  readonly reason: string | null;
}

/** Messages of a channel that ended are reported, not left waiting for ever. Returns how many there were. */
async function cancelStranded(core: Core): Promise<number> {
  const { rows, published } = await core.db.tx(async (tx) => {
    const stranded = await tx.query<StrandedRow>(STRANDED, []);
    if (stranded.length === 0) return { rows: stranded, published: false };
    const events = await recordOutcomes(
      core,
      tx,
      stranded.filter(({ kind }) => kind === "send").map(cancelled),
    );
    for (const row of stranded.filter(({ kind }) => kind !== "send")) {
      events.push(...(await recordChangeOutcome(core, tx, { job: changeJob(row), error: CANCELLED })));
    }
    await tx.query(EMPTY_LANES, [[...new Set(stranded.map(({ chat }) => chat))].toSorted()]);
    return { rows: stranded, published: await publish(tx, events) };
  });
  if (published) core.wakes.wake("webhooks");
  for (const row of rows) if (row.kind !== "send") core.wakes.wake("outcomes", String(row.id));
  return rows.length;
}

const CANCELLED = {
  code: "MESSAGE_CANCELLED",
  description: "Sending stopped: the channel was deleted or disabled",
};

function cancelled(row: StrandedRow): SendOutcome {
  return {
    accountId: row.account_id,
    channelId: row.channel_id,
    chat: row.chat,
    messageId: row.message_id,
    jobId: row.id,
    result: { kind: "failed", error: errorOf(row) },
  };
}

function errorOf({ reason, started_epoch: startedEpoch }: StrandedRow): {
  code: string;
  description: string;
} {
  if (startedEpoch !== null) {
    return {
      code: "UNKNOWN_ERROR",
      description: "The channel ended while the message was being sent; it may have arrived",
    };
  }
  if (reason === "rejected")
    return { code: "CHANNEL_REJECTED", description: "Not sent: the channel is rejected" };
  return CANCELLED;
}

function changeJob(row: StrandedRow): SendJob {
  const { id, chat, kind, change } = row;
  const ids = { accountId: row.account_id, channelId: row.channel_id, messageId: row.message_id };
  return { ...ids, id, chat, kind, change } as SendJob;
}

/** Forgets some of what is past its time; returns whether to go on soon. */
type Forgetting = () => Promise<boolean>;

/** A statement that removed so many rows may have stopped at its limit. */
const MANY = 1_000;
/** Events looked at in one step. */
const LOOKED_AT = 5_000;
const MAX_PASSED = 1_000_000;

/** Each statement forgets a bounded number of rows, so that none of them holds up the others. */
const FORGET = [
  "delete from change_outcomes where job_id in (select job_id from change_outcomes where at < now() - interval '1 day' limit 5000)",
  "delete from idempotency_keys where ctid in (select ctid from idempotency_keys where created_at < now() - interval '1 day' limit 5000)",
  "delete from rate_counters where minute < extract(epoch from now()) / 60 - 65",
  "delete from channel_log where ctid in (select ctid from channel_log where at < now() - interval '7 days' limit 5000)",
  "delete from first_contacts where ctid in (select ctid from first_contacts where at < now() - interval '2 days' limit 5000)",
  "delete from channel_notices where ctid in (select ctid from channel_notices where at < now() - interval '30 days' limit 5000)",
  "delete from group_changes where ctid in (select ctid from group_changes where told_at < now() - interval '30 days' limit 5000)",
  "delete from group_members where ctid in (select ctid from group_members where told_at < now() - interval '30 days' limit 5000)",
  "delete from unanswered where ctid in (select ctid from unanswered where at < now() - interval '7 days' limit 5000)",
  "delete from login_attempts where period < extract(epoch from now()) / 900 - 1",
  // With a family go its tokens. A used refresh token is known again for as long as it could have been used.
  "delete from oauth_grants where ctid in (select ctid from oauth_grants where expires_at < now() - interval '1 day' limit 1000)",
  "delete from oauth_refresh_tokens where ctid in (select ctid from oauth_refresh_tokens where expires_at < now() - interval '1 day' limit 5000)",
  "delete from oauth_machine_tokens where ctid in (select ctid from oauth_machine_tokens where expires_at < now() - interval '1 day' limit 5000)",
  "delete from oauth_codes where ctid in (select ctid from oauth_codes where expires_at < now() - interval '1 day' limit 5000)",
  "delete from page_tickets where ctid in (select ctid from page_tickets where expires_at < now() - interval '1 day' limit 5000)",
  "delete from tokens where ctid in (select ctid from tokens where expires_at < now() - interval '1 day' limit 5000)",
  "delete from nodes where lease_until < now() - interval '1 hour'",
];
const FORGET_BY_AGE = [
  "delete from webhook_attempts where ctid in (select ctid from webhook_attempts where at < now() - $1 * interval '1 day' limit 5000)",
  "delete from webhook_notices where ctid in (select ctid from webhook_notices where at < now() - $1 * interval '1 day' limit 5000)",
  `delete from webhook_replay_items i using (
     select account_id, id from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 10) r
   where i.account_id = any(array[r.account_id]) and i.replay_id = r.id`,
  `delete from webhook_replays r where ctid in (
     select ctid from webhook_replays where requested_at < now() - $1 * interval '1 day' order by requested_at limit 1000)
     and not exists (select 1 from webhook_replay_items i where i.account_id = r.account_id and i.replay_id = r.id)`,
];
// Each receiver's queue is looked at by its own index: there may be many waiting for one that is away.
const FORGET_EVENTS = `
  with old as materialized (
    select ctid as place, account_id, id from events where created_at < now() - $1 * interval '1 day'
    limit ${LOOKED_AT} offset $2),
  gone as (
    delete from events e using old where e.ctid = old.place
      and not exists (select 1 from webhook_lanes l join webhook_queue q on q.lane = any(array[l.id]) and q.event_id = old.id
                      where l.account_id = any(array[old.account_id]))
      and not exists (select 1 from webhook_parked p where p.account_id = any(array[old.account_id]) and p.event_id = old.id)
    returning 1)
  select (select count(*) from old)::int as looked_at, (select count(*) from gone)::int as gone`;
/** Lanes at rest. One in use may rest for a moment, so they are removed without haste. */
const REMOVE_LANES = [
  `delete from send_lanes s where s.chat in
     (select chat from send_lanes where due = 'infinity' limit 5000 for update skip locked)
     and s.due = 'infinity' and not exists (select 1 from send_jobs j where j.chat = any(array[s.chat]))`,
  `delete from webhook_lanes l where l.id in
     (select id from webhook_lanes where chat is not null and due = 'infinity' and claim is null limit 5000 for update skip locked)
     and l.due = 'infinity' and l.claim is null and not exists (select 1 from webhook_queue q where q.lane = any(array[l.id]))`,
];
/** Nobody acts on a larger number, and counting must not take longer the worse things are. */
const MAX_COUNTED = 1_000_000;
const counted = (rows: string): string => `(select * from ${rows} limit ${MAX_COUNTED})`;
const secondsSince = (time: string): string =>
  `coalesce(extract(epoch from now() - min(${time})), 0)::float8`;

// The first event of each queue is its oldest. A join of queues and events might be planned as one look at all events.
const DEPTHS = `
  select 'send' as queue, count(*)::int as jobs, ${secondsSince("created_at")} as delay from ${counted("send_jobs")}
  union all select 'webhook', count(*)::int, (
    select ${secondsSince("(select created_at from events e where e.account_id = q.account_id and e.id = q.event_id)")}
    from webhook_lanes l cross join lateral (
      select account_id, event_id from webhook_queue where lane = l.id order by lane, event_id limit 1) q
  ) from ${counted("webhook_queue")}
  union all select 'parked', count(*)::int, 0 from ${counted("webhook_parked")}
  union all select 'files', count(*)::int, ${secondsSince("created_at")} from ${counted("files where state = 'waiting'")}
  union all select 'exports', count(*)::int, ${secondsSince("requested_at")}
    from message_exports where finished_at is null`;
const CHANNELS =
  "select transport, status, count(*)::int as channels from channels where deleted_at is null group by transport, status";

async function forget(db: Database, statement: string, values: readonly unknown[]): Promise<boolean> {
  const [gone] = await db.query<{ rows: number }>(
    `with gone as (${statement} returning 1) select count(*)::int as rows from gone`,
    values,
  );
  return (gone?.rows ?? 0) >= MANY;
}

/**
 * Old events that still wait, for a receiver that is paused say, are passed: those behind them are to be forgotten. One
 * step each time, for passing costs a look at all that was passed.
 */
export function forgettingEvents(db: Database, days: number): Forgetting {
  let passed = 0;
  return async () => {
    const [step] = await db.query<{ looked_at: number; gone: number }>(FORGET_EVENTS, [days, passed]);
    if (step === undefined) return false;
    passed += step.looked_at - step.gone;
    if (step.looked_at < LOOKED_AT || passed > MAX_PASSED) passed = 0;
    return step.gone >= MANY;
  };
}
