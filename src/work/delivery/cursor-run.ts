import { setTimeout as sleep } from "node:timers/promises";
import { isCreation, settleWithoutAsking, storeAnswer } from "../../core/crm/creation-delivery.ts";
import {
  ClaimLost,
  type Cursor,
  isCurrent,
  markBatch,
  postponeCursor,
  releaseCursor,
} from "../../core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import { firstOfAnotherChat, type OtherChat } from "../../core/delivery/cursor/other-chat.ts";
import { acknowledge, type Passing, passEvents } from "../../core/delivery/cursor/progress.ts";
import { type Fix, readEvents } from "../../core/delivery/cursor/read.ts";
import { receiverFailed, receiverRecovered } from "../../core/delivery/receiver/health.ts";
import { addNoticeThrottled, type NewNotice } from "../../core/delivery/receiver/notices.ts";
import { logAttempt } from "../../core/delivery/request/attempts.ts";
import { type Batch, composeBatch, composeRound } from "../../core/delivery/request/batch.ts";
import type { Posted } from "../../core/delivery/request/deliver.ts";
import { type Answer, isSuccess, type pause, reasonOf } from "../../core/delivery/request/policy.ts";
import { isSink } from "../../core/delivery/sink/sink.ts";
import type { HandedEvents, LoggedEvent, LogReader } from "../../core/event/log-readers.ts";
import type { Queryable } from "../../database/database.ts";
import { isHeldBy } from "../lease.ts";
import { type Failing, Recovery } from "./recovery.ts";
import { CLAIM_DURATION_MS, parkedNotice, type Run, type RunOptions, type Surroundings } from "./run.ts";
import { Window } from "./window.ts";

/** Limit of the events of one read, of those in memory, and of those of one request. */
const MAX_READ = 10_000;
/** A claim ends after this many requests, or after `CLAIM_DURATION_MS`, if others wait for one. */
const BATCHES_PER_CLAIM = 50;
/** Otherwise it ends after this long, */
const STAY_MS = 30_000;
/**
 * or when no event came for this long: claiming and releasing a cursor for each event costs as much as delivering it. An
 * event whose notification is lost waits until then.
 */
const QUIET_MS = 3_000;
/** The address, the keys and the limits of a request are never much older: each read checks that they are unchanged. */
const CHECK_LASTS_MS = 1_000;
/**
 * Linger time: after a request with at least this many events, wait before the next one, so that batches are fuller
 * and statements fewer. While the node is busy with requests to many receivers, wait longer, and after each request.
 */
const BUSY_BATCH = 4;
const LINGER_MS = 10;
const LINGER_UNDER_LOAD_MS = 40;

/**
 * A claim ends early, by the stage of the attempt:
 * - `before`: nothing was sent. If the receiver has changed, the cursor is released for a claim with its new settings; if
 *   the node's lease has ended, others may have the cursor;
 * - `during`: the receiver did not accept it, and the cursor rests;
 * - `after`: the receiver has it, but another node has the cursor, and may send it again under the same id.
 */
class ClaimEnd extends Error {
  readonly stage: "before" | "during" | "after";
  readonly releases: boolean;

  constructor(stage: ClaimEnd["stage"], { releases = false } = {}) {
    super(`The claim ended ${stage} an attempt`);
    this.stage = stage;
    this.releases = releases;
  }
}

/** One claim of a receiver's position in the log: reads events, posts them, and moves the position. */
export class CursorRun implements Run {
  readonly #options: RunOptions;
  readonly #cursor: Cursor;
  readonly #around: Surroundings;
  readonly #maxItems: number;
  readonly #window: Window;
  readonly #recovery: Recovery;
  /** The last read stopped at its limit: more events wait. */
  #more = false;
  /** The last read found a diverted chat. Only this claim can divert another one, and it then reads again. */
  #diverts = false;
  /** Diverted chats of events in memory. */
  readonly #diverted = new Set<string>();
  /** The last acknowledgement, stored while the next request is under way. */
  #stored: Promise<void> = Promise.resolve();
  /** Events may have been published since the last read. */
  #isNotified = false;
  #endLinger: () => void = () => undefined;
  #isEnding = false;
  /** When the receiver was last found unchanged. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** When the last request ended. */
  #postedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RunOptions, cursor: Cursor, around: Surroundings) {
    this.#options = options;
    this.#cursor = cursor;
    this.#around = around;
    this.#maxItems = cursor.maxItems ?? options.maxItems;
    this.#window = new Window(cursor.position);
    this.#recovery = new Recovery(cursor, this.#maxItems);
  }

  async work(): Promise<void> {
    try {
      await this.#deliverAll().catch((error: unknown) => {
        if (!(error instanceof ClaimEnd && error.releases)) throw error;
      });
      await this.#stored;
      await releaseCursor(this.#db, this.#cursor, this.#recovery.limit, this.#window.pass());
    } catch (error) {
      if (!(error instanceof ClaimEnd || error instanceof ClaimLost)) throw error;
    } finally {
      this.#isEnding = true;
      await this.#stored.catch(() => undefined);
    }
  }

  end(): void {
    this.#isEnding = true;
    this.#endLinger();
  }

  notify(): void {
    this.#isNotified = true;
    this.#endLinger();
  }

  /** Not while a chat is diverted: only a read knows which events have to follow the refused one. */
  offer(): LogReader | null {
    const { endpointId, version, lane } = this.#cursor;
    const { knownTo: readTo } = this.#window;
    const takes = lane === "events" && readTo > 0 && !this.#diverts && !this.#more && !this.#isEnding;
    return takes ? { endpointId, version, readTo } : null;
  }

  take({ events, previous, to, current, offeredAtMs }: HandedEvents): boolean {
    const { kinds, endpointId } = this.#cursor;
    if (this.offer() === null || !current.has(endpointId)) return false;
    const own = events.filter(({ kind }) => kinds.includes(kind) && !isCreation(kind));
    if (!this.#fits(own) || !this.#window.hand({ events: own, previous, to })) return false;
    this.#checkedAt = Math.max(this.#checkedAt, offeredAtMs);
    if (own.length > 0) this.#endLinger();
    return true;
  }

  /** Whether the node has room for these too. */
  #fits(events: readonly LoggedEvent[]): boolean {
    const all = [...this.#window.handed, ...events];
    const size = all.reduce((sum, { body }) => sum + body.length, 0);
    return all.length <= this.#windowLimit() && size <= this.#options.maxBytes;
  }

  get #db() {
    return this.#options.core.db;
  }

  async #deliverAll(): Promise<void> {
    const { clock } = this.#options.core;
    const began = clock.monotonicMs();
    const leftMs = () => {
      if (this.#isEnding || this.#around.isStopping()) return 0;
      const duration = this.#around.mayStay() && !this.#recovery.hasFailed ? STAY_MS : CLAIM_DURATION_MS;
      return duration - (clock.monotonicMs() - began);
    };
    for (let round = 0; leftMs() > 0 && (round < BATCHES_PER_CLAIM || this.#around.mayStay()); round++) {
      const queue = await this.#read();
      if (queue.length > 0) await this.#deliver(queue);
      if (!(await this.#hasMore(queue.length, leftMs))) return;
    }
  }

  /**
   * Waits for more events; false: none came in time. A receiver with few events gets each at once, one with many gets
   * batches.
   */
  async #hasMore(read: number, leftMs: () => number): Promise<boolean> {
    const { ahead, handed } = this.#window;
    if (ahead.length > 0 || handed.length > 0 || this.#more || this.#recovery.batchTo !== null) return true;
    const isUnderLoad = read > 0 && this.#around.isUnderLoad();
    if (isUnderLoad || read >= BUSY_BATCH) {
      await sleep(isUnderLoad ? LINGER_UNDER_LOAD_MS : LINGER_MS);
      return true;
    }
    if (!this.#around.mayStay()) return read > 0;
    if (!this.#isNotified) await this.#untilNotified(Math.min(leftMs(), QUIET_MS));
    return this.#isNotified || this.#window.handed.length > 0;
  }

  #untilNotified(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#endLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The events that wait first, or those of the batch to be repeated. */
  async #read(): Promise<readonly QueuedEvent[]> {
    if (this.#recovery.batchTo !== null) await this.#forget();
    if (this.#hasRoom()) {
      const fix = this.#window.ahead.length === 0 ? this.#recovery.fix() : null;
      if (this.#window.handed.length > 0) await this.#takeHanded(fix);
      else {
        // One statement reads the events and stores the batch's end, which an acknowledgement stored later would erase.
        if (fix !== null) await this.#stored;
        this.#isNotified = false;
        await this.#readMore(fix);
      }
    }
    if (this.#diverted.size > 0) {
      await this.#followDiverted();
      if (this.#window.ahead.length === 0) return this.#read();
    }
    const { ahead } = this.#window;
    if (ahead.length > 0 || this.#recovery.batchTo === null) return ahead;
    this.#recovery.endBatch();
    return this.#read();
  }

  /** Discards the events in memory: they may no longer be the ones that wait first. */
  async #forget(): Promise<void> {
    await this.#stored;
    this.#window.forget();
    this.#diverted.clear();
    this.#isNotified = true;
  }

  #windowLimit(): number {
    return Math.min(MAX_READ, this.#maxItems * this.#recovery.concurrency);
  }

  /** At least one whole request, so that a repetition finds all of it; at most what the next requests can carry. */
  #windowBytes(): number {
    const { maxBytes } = this.#options;
    return Math.max(maxBytes, Math.min(this.#around.share(), maxBytes * this.#recovery.concurrency));
  }

  #hasRoom(): boolean {
    return this.#window.ahead.length < this.#windowLimit() && this.#window.size < this.#windowBytes();
  }

  async #readMore(fix: Fix | null): Promise<void> {
    const to = this.#recovery.batchTo;
    const startedAt = this.#options.core.clock.monotonicMs();
    const options = { limit: this.#windowLimit(), maxBytes: this.#windowBytes(), to, fix };
    const { position, readTo: after } = this.#window;
    const reading = await this.#around.readWithinLimit(() =>
      readEvents(this.#db, this.#cursor, { ...options, position, after }),
    );
    if (!reading.isCurrent) throw new ClaimEnd("before", { releases: true });
    this.#checkedAt = startedAt;
    if (reading.fixedTo !== null) this.#recovery.fixed(reading.fixedTo);
    for (const chat of reading.diverted) this.#diverted.add(chat);
    this.#diverts = reading.diverts;
    // A repetition reads only up to the end of its batch, so there may be more behind it.
    this.#more = reading.hasMore || to !== null;
    this.#window.add(reading.events, reading.readTo);
  }

  /**
   * What publishers have handed over, instead of a read. The receiver may have changed during the last request, as far as they
   * know.
   */
  async #takeHanded(fix: Fix | null): Promise<void> {
    if (this.#checkedAt <= this.#postedAt) await this.#check();
    this.#window.takeHanded();
    const { ahead } = this.#window;
    const last = ahead.at(-1);
    if (fix === null || last === undefined || ahead.length < fix.fewest) return;
    await this.#stored;
    await markBatch(this.#db, this.#cursor, { to: last.id, limit: fix.batchLimit });
    this.#recovery.fixed(last.id);
  }

  /** Reads while a request is under way. A failure is ignored: the events are read again later. */
  async #readAhead(): Promise<void> {
    if (this.#more && this.#recovery.batchTo === null && this.#hasRoom())
      await this.#readMore(null).catch(() => undefined);
  }

  /**
   * Sets events of diverted chats aside, behind the refused ones. Those of other chats before them are kept, so that the
   * position passes all of them.
   */
  async #followDiverted(): Promise<void> {
    await this.#stored;
    const isFollowing = ({ chat }: QueuedEvent) => chat !== null && this.#diverted.has(chat);
    const { ahead, position } = this.#window;
    const following = ahead.filter(isFollowing);
    const to = following.at(-1)?.id ?? 0;
    const kept = ahead.filter((event) => event.id > position && event.id < to && !isFollowing(event));
    await this.#pass({
      to,
      aside: [
        { state: "following", ids: idsOf(following) },
        { state: "kept", ids: idsOf(kept) },
      ],
      chats: [...this.#diverted],
    });
    this.#window.remove(following);
    this.#recovery.endBatch();
    this.#diverted.clear();
  }

  /** Posts the first of these events, in concurrent requests that share no chat, and acts on the responses. */
  async #deliver(queue: readonly QueuedEvent[]): Promise<void> {
    const limits = { maxItems: this.#recovery.limitFor(queue), maxBytes: this.#options.maxBytes };
    const round = composeRound(queue, limits, this.#recovery.concurrency);
    const events = round.flatMap((batch) => batch.events);
    const [first] = events;
    if (first !== undefined && (await this.#skip(first))) return;
    await this.#makeRepeatable(round, queue.length);
    // What was read ahead has waited for the request before it.
    if (this.#options.core.clock.monotonicMs() - this.#checkedAt > CHECK_LASTS_MS) await this.#check();
    // Last, because each statement may have taken long: another node may have the cursor now.
    this.#checkLease();
    this.#window.remove(events);
    const [parts] = await Promise.all([
      Promise.all(
        round.map((batch) => this.#options.poster.post(this.#cursor, batch, this.#recovery.attempts + 1)),
      ),
      this.#readAhead(),
    ]);
    const posted = parts.flat();
    this.#postedAt = this.#options.core.clock.monotonicMs();
    await this.#stored;
    const failed = posted.filter(({ answer }) => !isSuccess(answer));
    if (failed.length === 0) await this.#accepted(posted);
    else await this.#failed(posted, failed);
  }

  /**
   * Skips a request to the CRM to create something if that exists by now; `before`: events that wait before it. True: it was
   * skipped.
   */
  async #skip(event: QueuedEvent, before: readonly number[] = []): Promise<boolean> {
    if (!isCreation(event.kind)) return false;
    await this.#stored;
    const isFirst = before.length === 0;
    const passing = { to: event.id, aside: [{ state: "kept", ids: before }], done: [event.id] } as const;
    const isSkipped = await settleWithoutAsking(this.#options.core, this.#cursor, event, async (tx) => {
      await passEvents(tx, this.#cursor, { ...passing, endsFailures: isFirst });
      return true;
    });
    if (!isSkipped) return false;
    this.#window.moveTo(event.id);
    if (isFirst) this.#recovery.recovered();
    await this.#forget();
    return true;
  }

  /** Makes sure that a repetition after a crash sends exactly the same batches. */
  async #makeRepeatable(round: readonly Batch[], waiting: number): Promise<void> {
    if (!this.#recovery.needsMark(round[0]?.events.length ?? 0, waiting)) return;
    await this.#stored;
    const to = Math.max(...round.map(({ events }) => events.at(-1)?.id ?? 0));
    await markBatch(this.#db, this.#cursor, { to, limit: this.#recovery.limit });
    this.#recovery.marked();
  }

  /** Asks whether the receiver is unchanged. */
  async #check(): Promise<void> {
    const now = this.#options.core.clock.monotonicMs();
    if (!(await isCurrent(this.#db, this.#cursor))) throw new ClaimEnd("before", { releases: true });
    this.#checkedAt = now;
  }

  #checkLease(): void {
    if (!isHeldBy(this.#options.lease(), this.#cursor.nodeId)) throw new ClaimEnd("before");
  }

  /** Moves the position behind the round. The next request does not wait for that. */
  async #accepted(posted: readonly Posted[]): Promise<void> {
    const { ahead } = this.#window;
    const isDrained = ahead.length === 0 && !this.#more;
    const batchLimit = this.#recovery.accepted(ahead, isDrained);
    this.#stored = this.#acknowledge(posted, { batchLimit, position: this.#window.pass() });
    this.#stored.catch(() => undefined);
    await this.#noteSuccess();
  }

  async #acknowledge(
    posted: readonly Posted[],
    to: { readonly batchLimit: number; readonly position: number },
  ): Promise<void> {
    const earlier = posted.slice(0, -1);
    for (const { attempt } of earlier) await logAttempt(this.#db, this.#cursor, attempt);
    const last = posted.at(-1);
    if (last === undefined) return;
    const unlogged = last.attempt === null ? posted : earlier;
    const others = idsOf(unlogged.flatMap(({ batch }) => batch.events));
    const isRepeatable = !asksForEntity(last);
    const isOurs = await this.#storing(last, (tx) =>
      acknowledge(tx, this.#cursor, { ...to, attempt: last.attempt, others, isRepeatable }),
    );
    if (!isOurs) throw new ClaimEnd("after");
  }

  /** Calls `store`, in the transaction that stores the CRM's response if the request was for one. */
  #storing<T>(posted: Posted, store: (tx: Queryable) => Promise<T>): Promise<T> {
    const [event] = posted.batch.events;
    if (event === undefined || !asksForEntity(posted)) return store(this.#db);
    return storeAnswer(this.#options.core, this.#cursor, { event, answer: posted.text }, store);
  }

  async #noteSuccess(): Promise<void> {
    if (this.#recovery.works()) await receiverRecovered(this.#db, this.#cursor);
  }

  /** Some requests of a round were not accepted. If others were, the events of the former are kept. */
  async #failed(posted: readonly Posted[], failed: readonly Posted[]): Promise<void> {
    const accepted = posted.filter((each) => !failed.includes(each));
    const attempts = posted.map(({ attempt }) => attempt);
    if (accepted.length === 0)
      for (const attempt of attempts) await logAttempt(this.#db, this.#cursor, attempt);
    else {
      const open = idsOf(failed.flatMap(({ batch }) => batch.events));
      const done = idsOf(accepted.flatMap(({ batch }) => batch.events));
      const kept = open.filter((id) => id > this.#window.position);
      await this.#pass({
        to: Math.max(...open, ...done),
        aside: [{ state: "kept", ids: kept }],
        done,
        attempts,
      });
      await this.#noteSuccess();
    }
    await this.#forget();
    // What waits first: a refused event is set aside with those before it, and a parked one passes them.
    const [trouble] = failed.toSorted((a, b) => firstId(a) - firstId(b));
    if (trouble !== undefined) await this.#recover(trouble);
  }

  async #recover({ batch, answer }: Posted): Promise<void> {
    const verdict = this.#recovery.failed(answer, batch.events.length, this.#failing());
    const [event] = batch.events;
    if (verdict.kind === "wait") return this.#rest(verdict, answer);
    if (verdict.kind === "singly" || event === undefined) return;
    return verdict.kind === "park" ? this.#park(event, answer) : this.#probe(event, answer);
  }

  #failing(): Failing {
    const { core, schedule } = this.#options;
    return { schedule, now: core.clock.now(), random: Math.random() };
  }

  /** Tests whether the item or the receiver is at fault, by sending an item of another chat. */
  async #probe(event: QueuedEvent, answer: Answer): Promise<void> {
    const { chat } = event;
    const { position } = this.#window;
    const find = () =>
      chat === null ? null : firstOfAnotherChat(this.#db, this.#cursor, { position, chat });
    const other = await this.#around.readWithinLimit(async () => find());
    // The refused request may have taken long. A probe or a test must not go to an address that was changed or paused.
    if (!(await isCurrent(this.#db, this.#cursor))) {
      this.#recovery.repeatAlone();
      throw new ClaimEnd("before", { releases: true });
    }
    if (other === null) return this.#ask(event, answer);
    if (await this.#skip(other.event, other.before)) return this.#probe(event, answer);
    this.#checkLease();
    const probe = composeBatch([other.event], { maxItems: 1, maxBytes: this.#options.maxBytes });
    if (probe === null) return;
    const [posted] = await this.#options.poster.post(this.#cursor, probe);
    if (isSuccess(posted.answer)) return this.#divert(event, { ...other, posted, answer });
    await logAttempt(this.#db, this.#cursor, posted.attempt);
    await this.#rest(this.#recovery.pauseAfter(answer, this.#failing()), answer);
  }

  /**
   * No other item can serve as a test. At the end of the schedule a test request shows whether the receiver is at
   * fault.
   */
  async #ask(event: QueuedEvent, answer: Answer): Promise<void> {
    const rest = this.#recovery.pauseAfter(answer, this.#failing());
    if (!this.#recovery.isOver(this.#failing())) return this.#rest(rest, answer);
    this.#checkLease();
    const asked = await this.#options.poster.test(this.#cursor);
    await logAttempt(this.#db, this.#cursor, asked.attempt);
    if (!isSuccess(asked.answer)) return this.#rest(rest, answer);
    await this.#noteSuccess();
    await this.#park(event, answer);
  }

  /** The receiver refuses an item and accepts one of another chat: the item's chat waits, other chats continue. */
  async #divert(event: QueuedEvent, { posted, answer, ...other }: Diversion): Promise<void> {
    const { accountId, endpointId } = this.#cursor;
    const reason = reasonOf(answer);
    const text = `An item is refused (${reason}). Its chat waits, other chats continue.`;
    const { ms: pauseMs } = this.#recovery.pauseAfter(answer, this.#failing());
    const following = other.before.filter((id) => id !== event.id);
    const passing = {
      to: other.event.id,
      aside: [
        { state: "refused", ids: [event.id], pauseMs },
        { state: "following", ids: following },
      ],
      done: [other.event.id],
      chats: other.chats,
      attempts: [posted.attempt],
      endsFailures: true,
    } as const;
    const notice = { accountId, endpointId, kind: "refused", text } as const;
    if (asksForEntity(posted)) await this.#storing(posted, (tx) => this.#passNoting(tx, passing, notice));
    else await this.#db.tx((tx) => this.#passNoting(tx, passing, notice));
    this.#window.moveTo(passing.to);
    this.#recovery.diverted();
    await this.#noteSuccess();
    this.#options.core.log.warn(
      { accountId, endpointId, chat: event.chat, reason },
      "a receiver refuses an item; its chat waits, other chats continue",
    );
  }

  async #park(event: QueuedEvent, answer: Answer): Promise<void> {
    const { accountId, endpointId } = this.#cursor;
    const reason = reasonOf(answer);
    const aside = [{ state: "parked", ids: [event.id], reason }] as const;
    const notice = { accountId, endpointId, kind: "parked", text: parkedNotice(reason) } as const;
    await this.#db.tx((tx) => this.#passNoting(tx, { to: event.id, aside, endsFailures: true }, notice));
    this.#window.moveTo(event.id);
    this.#recovery.recovered(1);
    this.#options.core.log.warn({ accountId, endpointId }, "a webhook was parked after its last attempt");
  }

  async #passNoting(tx: Queryable, passing: Passing, notice: NewNotice): Promise<void> {
    await passEvents(tx, this.#cursor, passing);
    await addNoticeThrottled(tx, notice);
  }

  async #pass(passing: Omit<Passing, "endsFailures">): Promise<void> {
    await this.#db.tx((tx) => passEvents(tx, this.#cursor, { ...passing, endsFailures: false }));
    this.#window.moveTo(passing.to);
  }

  /** Only the cursor of events counts for the receiver's health: requests to create something may have other faults. */
  async #rest(rest: ReturnType<typeof pause>, answer: Answer): Promise<never> {
    await postponeCursor(this.#db, this.#cursor, rest);
    const { lane, accountId, endpointId } = this.#cursor;
    const failure = { accountId, endpointId, reason: reasonOf(answer) };
    // The sink is the operator's: it is never paused for its failures.
    const pauseAfterMs = isSink(this.#cursor) ? Number.POSITIVE_INFINITY : this.#options.pauseAfterMs;
    if (lane === "events") await receiverFailed(this.#options.core, failure, pauseAfterMs);
    throw new ClaimEnd("during");
  }
}

/** A refused item, and an accepted one of another chat. */
interface Diversion extends OtherChat {
  /** Of the refused item. */
  readonly answer: Answer;
  readonly posted: Posted;
}

/** Whether the receiver's response is an entity to store. */
function asksForEntity({ batch: { events } }: Posted): boolean {
  return events[0] !== undefined && isCreation(events[0].kind);
}

function firstId({ batch: { events } }: Posted): number {
  return events[0]?.id ?? 0;
}

function idsOf(events: readonly QueuedEvent[]): number[] {
  return events.map(({ id }) => id);
}
