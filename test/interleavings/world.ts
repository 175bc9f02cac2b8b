import { expect } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { type Cursor, claimCursors, type Lane } from "../../src/core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../src/core/delivery/cursor/events.ts";
import type { Batch } from "../../src/core/delivery/request/batch.ts";
import type { Posted } from "../../src/core/delivery/request/deliver.ts";
import { appendEvents } from "../../src/core/event/log.ts";
import { LogReaders } from "../../src/core/event/log-readers.ts";
import { PrimaryMemory } from "../../src/core/primary-memory.ts";
import type { Database, Queryable, Statement } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { CursorRun } from "../../src/work/delivery/cursor-run.ts";
import type { BatchPoster, Parts } from "../../src/work/delivery/poster.ts";
import { RetryRun } from "../../src/work/delivery/retry-run.ts";
import type { Run } from "../../src/work/delivery/run.ts";
import { addReceiver, takeKinds } from "../kit/cursors.ts";
import { quietLog } from "../kit/database.ts";
import type { Actor, Steps } from "./explorer.ts";

/** Of events whose content begins with a letter from n on; all others are of the first chat. */
const CHATS = ["0197a1b2-0000-7000-8000-000000000000", "0197a1b2-0000-7000-8000-000000000001"] as const;
export const chatOf = (subject: string): string => (subject < "n" ? CHATS[0] : CHATS[1]);
const KIND = "messages";
/** The cursors and retries of each account as a crash of the server would leave them. */
export const FLUSHED = `create table flushed_cursors (like webhook_cursors including all);
  create table flushed_retries (like webhook_retries including all)`;
const PROGRESS = ["position", "batch_to", "batch_limit", "attempts"];
const progressOf = (row: string): string => PROGRESS.map((column) => `${row}.${column}`).join(", ");
const FLUSH = [
  "delete from flushed_cursors where account_id = $1",
  "insert into flushed_cursors select * from webhook_cursors where account_id = $1",
  "delete from flushed_retries where account_id = $1",
  "insert into flushed_retries select * from webhook_retries where account_id = $1",
];
const RESTORE = [
  `update webhook_cursors c set (${PROGRESS.join(", ")}) = (${progressOf("f")})
   from flushed_cursors f where f.id = c.id and c.account_id = $1`,
  "delete from webhook_retries where account_id = $1",
  "insert into webhook_retries select * from flushed_retries where account_id = $1",
];
/** Statements that write nothing, so that their commit flushes nothing. */
const READS = new Set([
  // Its commit is asynchronous.
  "webhook_cursor_acknowledge",
  "webhook_cursor_acknowledge_unlogged",
  "webhook_cursor_read",
  "webhook_cursor_read_and_fix",
  "webhook_cursor_version",
  "webhook_cursor_find_other_chat",
  "webhook_retries_due",
]);

/** A moment at which another actor may continue. */
const ASK = { name: "ask", text: "select 1" };

/** A node has died. */
class Died extends Error {}

interface Delivery {
  /** Requests of each cursor, after which its claim ends. */
  readonly batches?: number;
  /** The node dies after it posted the last one, before it stores the acknowledgement. */
  readonly dies?: boolean;
  /** A refused item is parked at once, if no other chat waits. */
  readonly parks?: boolean;
}

/** An account with its receivers, and everything sent to them. */
export class World {
  readonly db: Database;
  readonly accountId: number;
  /** The events sent to each receiver, in order, by their content. */
  readonly sent = new Map<string, string[]>();
  /** Events that a claim took from their publisher. */
  handed = 0;
  readonly #readers = new LogReaders(() => performance.now());
  readonly #runs = new Set<Run>();
  /** Events sent again because the acknowledgement was not known. */
  readonly repeats: string[] = [];
  readonly #unsure = new Set<string>();
  /** Events whose acknowledgement a crash of the server would lose. */
  readonly #unflushed = new Set<string>();
  #mayCrash = false;
  /** Every batch by its receiver and its first event. */
  readonly #batches = new Map<string, readonly number[]>();
  /** How often the receivers still refuse an event, by its content. */
  readonly #refusals = new Map<string, number>();
  /** Of a sink that does not take an event; undefined: the receivers get requests. */
  #sinkStatus: number | null | undefined;

  constructor(db: Database, accountId: number) {
    this.db = db;
    this.accountId = accountId;
    this.#readers.provide(() => [...this.#runs].flatMap((run) => run.offer() ?? []));
  }

  /** The next requests with this event are refused. */
  refuse(subject: string, times = Number.POSITIVE_INFINITY): void {
    this.#refusals.set(subject, times);
  }

  /**
   * The receivers take single events, as a sink does: of a batch they have what comes before the first one of each chat that
   * they do not take. `status`: of those; null: no answer.
   */
  becomesSink(status: number | null): void {
    this.#sinkStatus = status;
  }

  async addReceiver(kinds: readonly string[] = [KIND]): Promise<string> {
    const id = await addReceiver(this.db, this.accountId, kinds);
    await this.#flushed();
    return id;
  }

  /** A commit was flushed, and with it all earlier ones. */
  async #flushed(): Promise<void> {
    this.#unflushed.clear();
    if (this.#mayCrash) await this.#all(this.db, FLUSH);
  }

  async #all(db: Queryable, statements: readonly string[]): Promise<void> {
    for (const statement of statements) await db.query(statement, [this.accountId]);
  }

  /** The server crashes, and is back with what it had flushed since this call. Its clients go on. */
  async crash(): Promise<Actor> {
    this.#mayCrash = true;
    await this.#flushed();
    return async () => {
      // Not as steps: a crash is one moment.
      await this.db.tx((tx) => this.#all(tx, RESTORE));
      for (const event of this.#unflushed) this.#unsure.add(event);
    };
  }

  /**
   * A standby takes over, or a backup is restored: what was committed since `remember` is lost, also events that receivers
   * know. All nodes have ended.
   */
  async remember(): Promise<() => Promise<void>> {
    const crash = await this.crash();
    const [row] = await this.db.query<{ id: number }>("select last_value as id from log_ids");
    return async () => {
      await this.db.query("delete from events where account_id = $1 and id > $2", [
        this.accountId,
        row?.id ?? 0,
      ]);
      await crash(this.db as unknown as Steps);
      await this.db.query("update database_timeline set ids_timeline = 'another'");
      await this.db.query("select skip_lost_ids()");
    };
  }
  /** The events sent to the receiver, each once. */
  of(receiver: string): readonly string[] {
    return this.sent.get(receiver) ?? [];
  }

  async published(): Promise<string[]> {
    const rows = await this.db.query<{ subject: string }>(
      "select subject from events where account_id = $1 order by id",
      [this.accountId],
    );
    return rows.map(({ subject }) => subject);
  }

  publish(...subjects: readonly string[]): Actor {
    const events = subjects.map((subject) => this.#event(subject));
    return async (db) => {
      const published = await db.tx((tx) => {
        const appended = appendEvents(tx, events, this.#readers);
        tx.commitNow();
        return appended;
      });
      await this.#flushed();
      const handed = published[0]?.handed ?? null;
      for (const run of this.#runs) {
        if (handed !== null && run.take(handed)) this.handed += handed.events.length;
        else run.notify();
      }
    };
  }

  /** The same by a node with claims, which are asked right before and may take the events. */
  hand(...subjects: readonly string[]): Actor {
    const publish = this.publish(...subjects);
    return async (db) => {
      await db.query(ASK);
      await publish(db);
    };
  }

  #event(subject: string) {
    const { accountId } = this;
    return { accountId, kind: KIND, channelId: null, chat: chatOf(subject), subject, body: { subject } };
  }

  takes(receiver: string, kinds: readonly string[]): Actor {
    return (db) => takeKinds(db as unknown as Database, receiver, kinds);
  }

  /** A node claims its work and sends up to that many requests for each cursor. */
  deliver(batches = 1): Actor {
    return this.#delivering({ batches });
  }

  /** Sends that many requests. The node dies after it posted the last one, before it stores the acknowledgement. */
  deliverAndDie(batches: number): Actor {
    return this.#delivering({ batches, dies: true });
  }

  /** Like `deliver`, but an item that is refused is parked at once, if no other chat waits. */
  deliverParking(batches: number): Actor {
    return this.#delivering({ batches, parks: true });
  }

  #delivering(delivery: Delivery): Actor {
    return async (db) => {
      for (const cursor of await this.#claim(db)) await this.#run(db, cursor, delivery);
    };
  }

  /** A node that has claimed what is due in a lane before, and goes on now. */
  async claimed(lane: Lane, batches = 1): Promise<Actor> {
    const cursors = await this.#claim(this.db);
    const mine = cursors.find((cursor) => cursor.lane === lane);
    const others = cursors.filter((cursor) => cursor !== mine).map(({ id }) => id);
    await this.db.query("update webhook_cursors set claim = null, due = now() where id = any($1)", [others]);
    if (mine === undefined) throw new Error(`There is nothing to claim in the lane ${lane}`);
    return (db) => this.#run(db, mine, { batches });
  }

  async #claim(db: Queryable): Promise<readonly Cursor[]> {
    const cursors = await claimCursors(db, newId(), { limit: 10, accounts: [this.accountId] });
    await this.#flushed();
    return cursors;
  }

  /** Runs one claim as the dispatcher does, with receivers that answer at once. */
  async #run(
    steps: Queryable,
    cursor: Cursor,
    { batches = Number.POSITIVE_INFINITY, dies = false, parks = false }: Delivery = {},
  ): Promise<void> {
    let left = batches;
    const poster: BatchPoster = {
      post: async (_, batch) => {
        left--;
        const posted =
          this.#sinkStatus === undefined
            ? ([this.#post(cursor.endpointId, batch)] as const)
            : this.#publish(cursor.endpointId, batch, this.#sinkStatus);
        if (left === 0 && dies) throw new Died();
        return posted;
      },
      test: async () => ({
        answer: { status: 200, failure: null, retryAfterMs: null },
        attempt: attemptOf([], 200),
      }),
    };
    // No claim ends by time, however long the machine stops.
    const clock = { now: () => new Date(), monotonicMs: () => 0 };
    const core = {
      db: this.#watched(steps as Steps, cursor.endpointId),
      clock,
      log: quietLog,
    } as unknown as Core;
    const { nodeId } = cursor;
    const lease = () => ({
      nodeId,
      isValid: () => true,
      concurrency: 1,
      primary: new PrimaryMemory(),
      release: () => Promise.resolve(),
    });
    const schedule = { delaysMs: [0], lifetimeMs: parks ? 0 : 60_000 };
    const limits = { maxItems: 500, maxBytes: 100_000, pauseAfterMs: 60_000 };
    const Lane = cursor.lane === "retries" ? RetryRun : CursorRun;
    const run = new Lane({ core, poster, lease, schedule, ...limits }, cursor, {
      isStopping: () => left <= 0,
      share: () => limits.maxBytes,
      mayStay: () => false,
      isUnderLoad: () => false,
      readWithinLimit: (read) => read(),
    });
    this.#runs.add(run);
    await run
      .work()
      .catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      })
      .finally(() => this.#runs.delete(run));
  }

  /** The connection, with a look at what its statements acknowledge and flush. */
  #watched(steps: Steps, endpointId: string): Steps {
    const watch = (db: Queryable, onDone: (ids: readonly number[], flushes: boolean) => unknown) => {
      const query = async (statement: Statement | string, values: readonly unknown[] = []) => {
        const rows = await db.query<Record<string, unknown>>(statement as Statement, values);
        const name = typeof statement === "string" ? statement : statement.name;
        const isFixed = name === "webhook_cursor_read_and_fix" && rows[0]?.["fixed_to"] !== null;
        await onDone(acknowledgedBy(name, values, rows), isFixed || !READS.has(name));
        return rows;
      };
      return query as Queryable["query"];
    };
    const done = async (ids: readonly number[], flushes: boolean): Promise<void> => {
      this.#acknowledged(endpointId, ids);
      if (flushes) await this.#flushed();
    };
    const tx: Steps["tx"] = async (work) => {
      const delivered: number[] = [];
      const result = await steps.tx((open) =>
        work({ ...open, query: watch(open, (ids) => delivered.push(...ids)) }),
      );
      await done(delivered, true);
      return result;
    };
    return { query: watch(steps, done), tx, bulk: (_size, work) => tx(work) };
  }

  #acknowledged(endpointId: string, ids: readonly number[]): void {
    for (const id of ids) {
      this.#unsure.delete(`${endpointId} ${id}`);
      this.#unflushed.add(`${endpointId} ${id}`);
    }
  }

  /** Each event alone; their acknowledgement is that of the parts. */
  #publish(endpointId: string, { events }: Batch, status: number | null): Parts {
    const waiting = new Set<string | null>();
    const isDone = new Map<QueuedEvent, boolean>();
    for (const event of events) {
      if (!waiting.has(event.chat) && this.#refuses([subjectOf(event)])) waiting.add(event.chat);
      isDone.set(event, !waiting.has(event.chat));
      if (isDone.get(event) === true) this.#take(endpointId, [event]);
    }
    const part = (done: boolean, status: number | null): Posted[] => {
      const own = events.filter((event) => isDone.get(event) === done);
      const failure = status === null ? "away" : null;
      const answer = { status, failure, retryAfterMs: null };
      return own.length === 0
        ? []
        : [{ batch: { events: own, body: "" }, answer, attempt: null, text: null }];
    };
    return [...part(true, 200), ...part(false, status)] as unknown as Parts;
  }

  #refuses(subjects: readonly string[]): boolean {
    const refused = subjects.find((subject) => (this.#refusals.get(subject) ?? 0) > 0);
    if (refused !== undefined) this.#refusals.set(refused, (this.#refusals.get(refused) ?? 0) - 1);
    return refused !== undefined;
  }

  #post(endpointId: string, { events, body }: Batch): Posted {
    const ids = events.map(({ id }) => id);
    const batch = { events, body };
    if (this.#refuses(events.map(subjectOf))) {
      const answer = { status: 422, failure: null, retryAfterMs: null };
      return { batch, answer, attempt: attemptOf(ids, 422), text: null };
    }
    this.#checkRepeat(endpointId, ids);
    this.#take(endpointId, events);
    const answer = { status: 200, failure: null, retryAfterMs: null };
    return { batch, answer, attempt: attemptOf(ids, 200), text: null };
  }

  #take(endpointId: string, events: readonly QueuedEvent[]): void {
    const sent = this.sent.get(endpointId) ?? [];
    this.sent.set(endpointId, sent);
    for (const event of events) {
      const subject = subjectOf(event);
      const key = `${endpointId} ${event.id}`;
      if (!sent.includes(subject)) sent.push(subject);
      else {
        this.repeats.push(subject);
        expect(this.#unsure.has(key), `${subject} was sent twice without need`).toBe(true);
      }
      this.#unsure.add(key);
    }
  }

  /** A batch that starts like an earlier accepted one must be equal; otherwise events came under another id. */
  #checkRepeat(endpointId: string, ids: readonly number[]): void {
    const key = `${endpointId} ${ids[0]}`;
    expect(ids, "a batch that is repeated").toEqual(this.#batches.get(key) ?? ids);
    this.#batches.set(key, ids);
  }

  /** The content of the events parked for the receiver. */
  async parked(endpointId: string): Promise<string[]> {
    const rows = await this.db.query<{ subject: string }>(
      "select subject from webhook_retries where endpoint_id = $1 and state = 'parked' order by event_id",
      [endpointId],
    );
    return rows.map(({ subject }) => subject);
  }

  /** Other nodes deliver what stopped nodes left. */
  async finish(): Promise<void> {
    for (let left = 1, rounds = 0; left > 0; rounds++) {
      expect(rounds, "rounds until everything is delivered").toBeLessThan(20);
      await this.db.query(
        // Refused events that nobody has claimed must be due by themselves.
        `update webhook_cursors set claim = null, due = now(), attempts = 0
         where account_id = $1 and (lane <> 'retries' or claim is not null)`,
        [this.accountId],
      );
      const cursors = await this.#claim(this.db);
      for (const cursor of cursors) await this.#run(this.db as unknown as Steps, cursor);
      left = cursors.length;
    }
    const rest = await this.db.query(
      "select state from webhook_retries where account_id = $1 and state <> 'parked'",
      [this.accountId],
    );
    expect(rest, "rows that nobody delivers").toEqual([]);
  }
}

/** Events of which a statement records that the receiver has them. */
function acknowledgedBy(
  name: string,
  values: readonly unknown[],
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly number[] {
  if (name === "webhook_cursor_acknowledge")
    return rows[0]?.["ours"] === true ? [values[5], values[20]].flatMap((ids) => ids as number[]) : [];
  if (name === "webhook_cursor_acknowledge_unlogged")
    return rows[0]?.["ours"] === true ? (values[5] as number[]) : [];
  if (name === "webhook_cursor_move") return values[6] as number[];
  return name === "webhook_retry_remove" ? [values[2] as number] : [];
}

function subjectOf({ body }: QueuedEvent): string {
  return (JSON.parse(body) as { subject: string }).subject;
}

function attemptOf(eventIds: readonly number[], status: number) {
  return {
    deliveryId: "msg",
    purpose: "delivery",
    at: new Date(),
    durationMs: 1,
    eventIds,
    kinds: [],
    channels: [],
    status,
    failure: null,
    answer: null,
    sent: {},
    received: null,
  } as const;
}
