import { expect } from "vitest";
import {
  type Cursor,
  claimCursors,
  markBatch,
  releaseCursor,
} from "../../src/core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../src/core/delivery/cursor/events.ts";
import { acknowledge, divertEvents, parkEvents } from "../../src/core/delivery/cursor/progress.ts";
import { readEvents } from "../../src/core/delivery/cursor/read.ts";
import { isReproducible } from "../../src/core/delivery/request/batch.ts";
import { appendEvents } from "../../src/core/event/log.ts";
import type { Database } from "../../src/database/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { CursorProgress } from "../../src/work/delivery/cursor-progress.ts";
import { addReceiver, takeKinds } from "../kit/cursors.ts";
import type { Actor, Steps } from "./explorer.ts";

const CHAT = newId();
const KIND = "messages";
/** The cursors of each account as a crash of the server would leave them. */
export const FLUSHED_CURSORS = "create table flushed_cursors (like webhook_cursors including all)";
const PROGRESS = ["position", "taken", "batch_to", "batch_limit", "attempts"];
const progressOf = (row: string): string => PROGRESS.map((column) => `${row}.${column}`).join(", ");
const FLUSH = `with gone as (delete from flushed_cursors where account_id = $1 and id not in (
    select id from webhook_cursors where account_id = $1))
  insert into flushed_cursors select * from webhook_cursors where account_id = $1
  on conflict (id) do update set (${PROGRESS.join(", ")}) = (${progressOf("excluded")})`;
const RESTORE = `update webhook_cursors c set (${PROGRESS.join(", ")}) = (${progressOf("f")})
  from flushed_cursors f where f.id = c.id and c.account_id = $1`;
const ATTEMPT = {
  deliveryId: "msg",
  purpose: "delivery",
  at: new Date(),
  durationMs: 1,
  kinds: [],
  channels: [],
  status: 200,
  failure: null,
  answer: null,
  sent: {},
  received: null,
} as const;

/** The maximum number of events of the next batch, the number in the row, and the end of the batch. */
interface Limits {
  readonly now: number;
  readonly stored: number;
  readonly to: number | null;
  /** Events up to this one may have been sent alone before. */
  readonly aloneTo: number;
}

/** An account with its receivers, and everything sent to them. */
export class World {
  readonly db: Database;
  readonly accountId: number;
  /** The events sent to each receiver, in order, by their content. */
  readonly sent = new Map<string, string[]>();
  /** Events sent again because the acknowledgement was not known. */
  readonly repeats: string[] = [];
  readonly #unsure = new Set<string>();
  /** Events whose acknowledgement a crash of the server would lose. */
  readonly #unflushed = new Set<string>();
  #mayCrash = false;
  /** Every batch by its receiver and its first event. */
  readonly #batches = new Map<string, readonly Pick<QueuedEvent, "id" | "body">[]>();

  constructor(db: Database, accountId: number) {
    this.db = db;
    this.accountId = accountId;
  }

  async addReceiver(kinds: readonly string[] = [KIND]): Promise<string> {
    const id = await addReceiver(this.db, this.accountId, kinds);
    await this.#flushed();
    return id;
  }

  /** A commit was flushed, and with it all earlier ones. */
  async #flushed(): Promise<void> {
    this.#unflushed.clear();
    if (!this.#mayCrash) return;
    await this.db.query(FLUSH, [this.accountId]);
  }

  /** The server crashes, and is back with what it had flushed since this call. Its clients go on. */
  async crash(): Promise<Actor> {
    this.#mayCrash = true;
    await this.#flushed();
    return async (db) => {
      await db.query(RESTORE, [this.accountId]);
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
      await db.tx((tx) => {
        const appended = appendEvents(tx, events);
        tx.commitNow();
        return appended;
      });
      await this.#flushed();
    };
  }

  #event(subject: string) {
    const { accountId } = this;
    return { accountId, kind: KIND, channelId: null, chat: CHAT, subject, body: { subject } };
  }

  takes(receiver: string, kinds: readonly string[]): Actor {
    return (db) => takeKinds(db as unknown as Database, receiver, kinds);
  }

  /** A node claims its work and delivers up to that many batches of each cursor. */
  deliver(batches = 1): Actor {
    return async (db) => {
      for (const cursor of await this.#claim(db)) await this.#deliverTo(db, cursor, { batches });
    };
  }

  /** Delivers that many batches. The node dies after it posted the last one, before it stores the acknowledgement. */
  deliverAndDie(batches: number): Actor {
    return async (db) => {
      for (const cursor of await this.#claim(db)) await this.#deliverTo(db, cursor, { batches, dies: true });
    };
  }

  async #claim(db: Steps): Promise<readonly Cursor[]> {
    const cursors = await claimCursors(db, newId(), { limit: 10, accounts: [this.accountId] });
    await this.#flushed();
    return cursors;
  }

  async #deliverTo(db: Steps, cursor: Cursor, { batches = 1, dies = false } = {}): Promise<void> {
    const place = new CursorProgress(cursor);
    const { batchLimit: stored, batchTo: to, loggedTo } = cursor;
    const showsBatch = stored === 1 || to !== null;
    let limits: Limits = { now: stored, stored, to, aloneTo: showsBatch ? loggedTo : 0 };
    for (let batch = 0; batch < batches; batch++) {
      const diesNow = dies && batch + 1 === batches;
      const next = await this.#deliverBatch(db, cursor, { place, limits, diesNow });
      if (next === null) return;
      limits = next;
    }
    await releaseCursor(db, cursor, 500);
    await this.#flushed();
  }

  /** Like `CursorRun`: with one waiting event the batch's end is not stored, and no event follows a single one. */
  async #deliverBatch(
    db: Steps,
    cursor: Cursor,
    { place, limits, diesNow }: { place: CursorProgress; limits: Limits; diesNow: boolean },
  ): Promise<Limits | null> {
    const { events, readTo, fixedTo } = await this.#read(db, cursor, place, limits);
    if (events.length === 0 && limits.to !== null)
      return this.#deliverBatch(db, cursor, { place, limits: { ...limits, to: null }, diesNow });
    if (events.length === 0) return limits;
    place.forget();
    place.add(events, readTo);
    const mayRepeat = limits.to === null && (events[0]?.id ?? 0) <= limits.aloneTo;
    const now = mayRepeat ? 1 : limits.now;
    const batch = events.slice(0, now);
    const composition = {
      size: batch.length,
      waiting: events.length,
      limit: now,
      storedLimit: fixedTo === null ? limits.stored : limits.now,
      hasEnd: limits.to !== null || fixedTo !== null,
    };
    if (fixedTo !== null) await this.#flushed();
    const end = { to: batch.at(-1)?.id ?? 0, limit: now };
    if (!isReproducible(composition)) {
      if (!(await markBatch(db, cursor, end))) return null;
      await this.#flushed();
    }
    place.send(batch);
    this.#post(cursor.endpointId, batch);
    if (diesNow) return null;
    const attempt = { ...ATTEMPT, eventIds: batch.map(({ id }) => id) };
    const stored = batch.length === events.length ? 1 : now;
    const progress = place.settle(batch);
    if (!(await acknowledge(db, cursor, { attempt, progress, batchLimit: stored, isRepeatable: true })))
      return null;
    for (const { body } of batch) {
      this.#unsure.delete(`${cursor.endpointId} ${body}`);
      this.#unflushed.add(`${cursor.endpointId} ${body}`);
    }
    return { ...limits, now: 500, stored, to: null };
  }

  #read(db: Steps, cursor: Cursor, place: CursorProgress, { now, stored, to }: Limits) {
    const fix = to === null ? { fewest: stored === 1 ? 2 : 1, batchLimit: now } : null;
    const limits = { limit: 100, maxBytes: 100_000, to, fix };
    return readEvents(db, cursor, { ...limits, ...place.progress(), after: 0 });
  }

  #post(endpointId: string, events: readonly QueuedEvent[]): void {
    this.#checkRepeat(endpointId, events);
    const sent = this.sent.get(endpointId) ?? [];
    this.sent.set(endpointId, sent);
    for (const { body } of events) {
      const { subject } = JSON.parse(body) as { subject: string };
      if (!sent.includes(subject)) sent.push(subject);
      else {
        this.repeats.push(subject);
        expect(this.#unsure.has(`${endpointId} ${body}`), `${subject} was sent twice without need`).toBe(
          true,
        );
      }
      this.#unsure.add(`${endpointId} ${body}`);
    }
  }

  /** A batch that starts like an earlier one must be equal; otherwise events came under another id. */
  #checkRepeat(endpointId: string, events: readonly QueuedEvent[]): void {
    const batch = events.map(({ id, body }) => ({ id, body }));
    const key = `${endpointId} ${batch[0]?.id}`;
    expect(batch, "a batch that is repeated").toEqual(this.#batches.get(key) ?? batch);
    this.#batches.set(key, batch);
  }

  /** The first event is refused: its chat gets a separate cursor, with the chat's following events. */
  setApart(): Actor {
    return async (db) => {
      const cursors = await this.#claim(db);
      for (const cursor of cursors.filter(({ chat }) => chat === null)) {
        const place = new CursorProgress(cursor);
        const limits = { now: cursor.batchLimit, stored: cursor.batchLimit, to: cursor.batchTo, aloneTo: 0 };
        const { events, readTo } = await this.#read(db, cursor, place, limits);
        place.add(events, readTo);
        const group = { chat: CHAT, events, progress: place.settle(events), pauseMs: 0 };
        if (events.length > 0) await db.tx((tx) => divertEvents(tx, cursor, group));
        await releaseCursor(db, cursor, 500);
      }
    };
  }

  /** The first event is refused for the last time: it is parked, and the receiver continues after it. */
  park(): Actor {
    return async (db) => {
      for (const cursor of await this.#claim(db)) {
        const place = new CursorProgress(cursor);
        const limits = { now: 1, stored: cursor.batchLimit, to: cursor.batchTo, aloneTo: 0 };
        const { events, readTo } = await this.#read(db, cursor, place, limits);
        place.add(events, readTo);
        const first = events.slice(0, 1);
        const progress = place.settle(first);
        if (first.length > 0)
          await db.tx((tx) => parkEvents(tx, cursor, { events: first, progress, reason: "HTTP 400" }));
        await releaseCursor(db, cursor, 500);
      }
    };
  }

  /** The content of the events parked for the receiver. */
  async parked(endpointId: string): Promise<string[]> {
    const rows = await this.db.query<{ subject: string }>(
      "select subject from webhook_parked where endpoint_id = $1 order by event_id",
      [endpointId],
    );
    return rows.map(({ subject }) => subject);
  }

  /** Other nodes deliver what stopped nodes left. */
  async finish(): Promise<void> {
    for (let left = 1, rounds = 0; left > 0; rounds++) {
      expect(rounds, "rounds until everything is delivered").toBeLessThan(10);
      await this.db.query(
        "update webhook_cursors set claim = null, due = now(), attempts = 0 where account_id = $1",
        [this.accountId],
      );
      const node = newId();
      const cursors = await claimCursors(this.db, node, { limit: 100, accounts: [this.accountId] });
      for (const cursor of cursors) await this.#deliverTo(this.db as unknown as Steps, cursor);
      left = cursors.length;
    }
  }
}
