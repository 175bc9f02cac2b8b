import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../../core/core.ts";
import { isCreation, settleWithoutAsking, storeAnswer } from "../../core/crm/creation-delivery.ts";
import {
  type Cursor,
  isCurrent,
  markBatch,
  postponeCursor,
  releaseCursor,
} from "../../core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import { firstOfAnotherChat } from "../../core/delivery/cursor/other-chat.ts";
import {
  type Acknowledgement,
  acknowledge,
  divertEvents,
  followDiverted,
  parkEvents,
  passEvents,
} from "../../core/delivery/cursor/progress.ts";
import { type Fix, type Reading, readEvents } from "../../core/delivery/cursor/read.ts";
import { receiverFailed, receiverRecovered } from "../../core/delivery/receiver/health.ts";
import { addNoticeThrottled } from "../../core/delivery/receiver/notices.ts";
import { logAttempt } from "../../core/delivery/request/attempts.ts";
import { type Batch, composeBatch, isReproducible, sharesOf } from "../../core/delivery/request/batch.ts";
import { type Posted, sendBatch, sendTest } from "../../core/delivery/request/deliver.ts";
import {
  type Answer,
  afterRefusal,
  isSuccess,
  pause,
  type Schedule,
  type Situation,
} from "../../core/delivery/request/policy.ts";
import type { Queryable } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { isHeldBy, type Lease } from "../lease.ts";
import { CursorProgress } from "./cursor-progress.ts";

/** Limit of the events of one read, of those in memory, and of those of one request. */
const MAX_READ = 10_000;
/** A claim ends after this many requests, or this long, if others wait for one. */
const BATCHES_PER_CLAIM = 50;
const CLAIM_DURATION_MS = 1_000;
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
 * How many events may have been sent alone and acknowledged within the time for which PostgreSQL does not flush its log
 * (three times `wal_writer_delay`, 0.6 s).
 */
const MAX_UNFLUSHED = 50;

type Rest = ReturnType<typeof pause>;

/** Settings of the delivery. */
export interface DeliveryOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly dispatcher: HttpDispatcher;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  readonly maxItems: number;
  readonly maxBytes: number;
  /** A receiver that has accepted nothing for this long is paused. */
  readonly pauseAfterMs: number;
  onPost?(result: "ok" | "refused" | "failed", items: number, durationMs: number): void;
}

/** What a claim knows of the other claims of its node. */
export interface Surroundings {
  readonly isStopping: () => boolean;
  /** Bytes of events it may read ahead, given the account's other active receivers. */
  readonly share: () => number;
  /** It may keep the cursor while no events wait: enough free cursors are left for others. */
  readonly mayStay: () => boolean;
  /** Whether the node is busy with many small requests; call it once for each. */
  readonly isUnderLoad: () => boolean;
  /** Runs a read of the log within the account's limit of concurrent reads. */
  readonly readWithinLimit: <T>(read: () => Promise<T>) => Promise<T>;
}

/** One claim of a receiver's cursor by this node. */
export class CursorRun {
  readonly #options: DeliveryOptions;
  readonly #core: Core;
  readonly #cursor: Cursor;
  readonly #isStopping: () => boolean;
  readonly #share: () => number;
  readonly #maxItems: number;
  #batchTo: number | null;
  #batchLimit: number;
  #attempts: number;
  #firstFailedAt: Date | null;
  #failing: boolean;
  readonly #progress: CursorProgress;
  /** Chats of events in memory that were diverted: these events must follow the diverted ones. */
  readonly #following = new Set<string>();
  /** The last read stopped at its limit: more events wait. */
  #more = false;
  /** The receiver has changed since the claim. The next claim uses its new settings. */
  #outdated = false;
  /** Another node has the cursor, or the event under way: this claim is over. */
  #lost = false;
  /** A request has failed: the claim ends soon, because its requests are sent one at a time. */
  #hasFailed = false;
  /** Concurrent requests. One after a failure, until the next claim. */
  #concurrency: number;
  /** The last acknowledgement, stored while the next request is under way. False: another node has the cursor now. */
  #stored: Promise<boolean> = Promise.resolve(true);
  /** The batch limit that a node would start with after a crash. 0: unknown. */
  #storedLimit: number;
  /** Events may have been published since the last read. */
  #isNotified = false;
  #endLinger: () => void = () => undefined;
  #isEnding = false;
  /** When the receiver was last found unchanged. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** How many events of the time before the claim may have been sent alone, see `#wentAlone`. */
  readonly #unflushed: number;
  readonly #mayStay: () => boolean;
  readonly #isUnderLoad: () => boolean;
  readonly #readInTurn: Surroundings["readWithinLimit"];

  constructor(options: DeliveryOptions, cursor: Cursor, around: Surroundings) {
    this.#options = options;
    this.#share = around.share;
    this.#mayStay = around.mayStay;
    this.#isUnderLoad = around.isUnderLoad;
    this.#readInTurn = around.readWithinLimit;
    this.#core = options.core;
    this.#cursor = cursor;
    this.#isStopping = around.isStopping;
    this.#maxItems = cursor.maxItems ?? options.maxItems;
    this.#progress = new CursorProgress(cursor);
    this.#batchTo = cursor.batchTo;
    this.#batchLimit = Math.min(cursor.batchLimit, this.#maxItems);
    this.#storedLimit = this.#batchLimit;
    this.#attempts = cursor.attempts;
    this.#firstFailedAt = cursor.firstFailedAt;
    this.#failing = cursor.failing;
    const showsBatch = cursor.batchLimit === 1 || cursor.batchTo !== null;
    this.#unflushed = showsBatch && cursor.attempts === 0 ? MAX_UNFLUSHED : 0;
    this.#concurrency = cursor.id === cursor.endpointId && cursor.attempts === 0 ? cursor.concurrency : 1;
  }

  /**
   * Delivers until no events wait, the cursor has to rest, the receiver has changed, or others should get a claim.
   */
  async work(): Promise<void> {
    const began = this.#core.clock.monotonicMs();
    const leftMs = () => {
      if (this.#isEnding || this.#isStopping()) return 0;
      const duration = this.#mayStay() && !this.#hasFailed ? STAY_MS : CLAIM_DURATION_MS;
      return duration - (this.#core.clock.monotonicMs() - began);
    };
    for (let batch = 0; leftMs() > 0 && (batch < BATCHES_PER_CLAIM || this.#mayStay()); batch++) {
      this.#isNotified = false;
      const queue = await this.#read();
      if (this.#outdated || this.#lost) break;
      if (queue.length > 0) {
        const isRepeated = this.#batchTo !== null && this.#batchTo === this.#cursor.batchTo;
        if (!isRepeated && this.#wentAlone(queue)) this.#batchLimit = 1;
        const limits = { maxItems: this.#batchLimit, maxBytes: this.#options.maxBytes };
        const batches = sharesOf(queue, this.#concurrency).flatMap(
          (share) => composeBatch(share, limits) ?? [],
        );
        const goOn = await this.#deliver(batches, queue);
        if (!goOn) return;
      }
      if (!(await this.#hasMore(queue.length, leftMs))) break;
    }
    return this.#release();
  }

  #raisedLimit(): number {
    if (this.#wentAlone(this.#progress.ahead)) return 1;
    return Math.min(this.#maxItems, this.#batchLimit * 2);
  }

  /**
   * Whether the next event may have been sent alone before the claim. If PostgreSQL crashed, it may have lost the
   * acknowledgements of such events behind the batch that the cursor shows; all other batches have a stored end, whose
   * commit flushes what came before. Sent alone again, they keep their `webhook-id`.
   */
  #wentAlone(queue: readonly QueuedEvent[]): boolean {
    const doubtful = queue.filter(({ id }) => id <= this.#cursor.loggedTo).length;
    return doubtful > 0 && doubtful <= this.#unflushed && this.#sendsAlone();
  }

  /** Ends this claim as soon as its request under way has ended. */
  end(): void {
    this.#isEnding = true;
    this.#endLinger();
  }

  /** Notifies this claim of new events. No effect once the claim is over: the dispatcher then polls again. */
  notify(): void {
    this.#isNotified = true;
    this.#endLinger();
  }

  /**
   * Waits for more events; false: none came in time. A receiver with few events gets each at once, one with many gets
   * batches.
   */
  async #hasMore(read: number, leftMs: () => number): Promise<boolean> {
    if (this.#progress.ahead.length > 0 || this.#more || this.#batchTo !== null) return true;
    const isUnderLoad = read > 0 && this.#isUnderLoad();
    if (isUnderLoad || read >= BUSY_BATCH) {
      await sleep(isUnderLoad ? LINGER_UNDER_LOAD_MS : LINGER_MS);
      return true;
    }
    // Only cursors that follow the log are notified.
    if (this.#cursor.chat !== null || !this.#mayStay()) return read > 0;
    if (!this.#isNotified) await this.#untilNotified(Math.min(leftMs(), QUIET_MS));
    return this.#isNotified;
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

  async #release(): Promise<void> {
    if (await this.#stored)
      await releaseCursor(this.#core.db, this.#cursor, this.#batchLimit, this.#progress.passedTo());
  }

  /** The events that wait first, or those of the batch to be repeated. */
  async #read(): Promise<readonly QueuedEvent[]> {
    if (this.#batchTo !== null) await this.#forget();
    if (this.#hasRoom()) {
      // One statement reads the events and stores the batch's end. An acknowledgement stored later would erase the
      // end.
      const isStart = this.#progress.ahead.length === 0 && this.#batchTo === null && this.#sendsAlone();
      if (isStart) await this.#stored;
      await this.#readMore(isStart ? this.#fix() : null);
    }
    if (this.#following.size > 0) {
      await this.#follow();
      return this.#lost ? [] : this.#read();
    }
    if (this.#progress.ahead.length > 0 || this.#batchTo === null || this.#outdated)
      return this.#progress.ahead;
    this.#batchTo = null;
    return this.#read();
  }

  /** Diverts the events in memory whose chats are diverted, behind those that wait there. */
  async #follow(): Promise<void> {
    this.#lost ||= !(await this.#stored);
    const following = this.#progress.ahead.filter(({ chat }) => chat !== null && this.#following.has(chat));
    const progress = this.#progress.settle(following);
    const byChat = Map.groupBy(following, ({ chat }) => chat ?? "");
    const groups = [...byChat.keys()]
      .toSorted()
      .map((chat) => ({ chat, events: byChat.get(chat) ?? [], progress }));
    // All or none: the first one locks the cursor.
    if (!this.#lost)
      await this.#core.db.tx(async (tx) => {
        for (const group of groups) this.#lost ||= !(await followDiverted(tx, this.#cursor, group));
      });
    // The end of the batch is no longer stored: the next read stores one again.
    this.#batchTo = null;
    await this.#forget();
  }

  /** Discards the events in memory: they may no longer be the ones that wait first. */
  async #forget(): Promise<void> {
    await this.#stored;
    this.#following.clear();
    this.#progress.forget();
    this.#isNotified = true;
  }

  #window(): number {
    return Math.min(MAX_READ, this.#maxItems * this.#concurrency);
  }

  /** At least one whole request, so that a repetition finds all of it; at most what the next requests can carry. */
  #windowBytes(): number {
    const { maxBytes } = this.#options;
    return Math.max(maxBytes, Math.min(this.#share(), maxBytes * this.#concurrency));
  }

  #hasRoom(): boolean {
    return this.#progress.ahead.length < this.#window() && sizeOf(this.#progress.ahead) < this.#windowBytes();
  }

  /** A repetition of a single event needs no stored end: a batch limit of one finds it again. */
  #fix(): Fix {
    return { fewest: this.#storedLimit === 1 ? 2 : 1, batchLimit: this.#batchLimit };
  }

  async #readMore(fix: Fix | null): Promise<void> {
    const to = this.#batchTo;
    const read = (): Promise<Reading> =>
      readEvents(this.#core.db, this.#cursor, {
        limit: this.#window(),
        maxBytes: this.#windowBytes(),
        to,
        ...this.#progress.progress(),
        after: this.#progress.readTo,
        fix,
      });
    const startedAt = this.#core.clock.monotonicMs();
    const { events, readTo, apart, hasMore, fixedTo, isCurrent } = await this.#readInTurn(read);
    if (!isCurrent) {
      this.#outdated = true;
      return;
    }
    this.#checkedAt = startedAt;
    this.#batchTo ??= fixedTo;
    if (fixedTo !== null && fix !== null) this.#storedLimit = fix.batchLimit;
    for (const chat of apart) this.#following.add(chat);
    // A repetition reads only up to the end of its batch, so there may be more behind it.
    this.#more = hasMore || to !== null;
    this.#progress.add(events, readTo);
  }

  /** Reads while a request is under way. A failure is ignored: the events are read again later. */
  async #readAhead(): Promise<void> {
    if (this.#more && this.#batchTo === null && this.#hasRoom())
      await this.#readMore(null).catch(() => undefined);
  }

  /** Sends batches that share no chat, concurrently, and acts on the responses. Returns whether to go on. */
  async #deliver(batches: readonly Batch[], queue: readonly QueuedEvent[]): Promise<boolean> {
    const [first] = batches;
    if (first !== undefined && (await this.#settled(first))) return !this.#lost;
    if (!(await this.#fixed(batches, queue))) return false;
    if (!(await this.#isUnchanged())) {
      await this.#release();
      return false;
    }
    // Last, because each statement may have taken long: another node may have the cursor now.
    if (!this.#holdsLease()) return false;
    for (const { events } of batches) this.#progress.send(events);
    const [posted] = await Promise.all([
      Promise.all(batches.map((batch) => this.#post(batch))),
      this.#readAhead(),
    ]);
    const taken = posted.filter(({ answer }) => isSuccess(answer));
    const failed = posted.filter(({ answer }) => !isSuccess(answer));
    if (failed.length === 0) this.#recovered(this.#raisedLimit());
    if (!(await this.#stored)) return false;
    const nextLimit = this.#nextLimit();
    this.#storedLimit = failed.length === 0 ? nextLimit : 0;
    this.#stored = this.#acknowledgeAll(taken, nextLimit);
    this.#stored.catch(() => undefined);
    if (taken.length > 0) await this.#noteSuccess();
    const [trouble] = failed;
    if (trouble === undefined) return true;
    if (!(await this.#stored)) return false;
    for (const { attempt } of failed) await logAttempt(this.#core.db, this.#cursor, attempt);
    this.#concurrency = 1;
    this.#hasFailed = true;
    await this.#forget();
    return this.#afterFailure(trouble.batch, trouble.answer);
  }

  /** Asks if the last check is too old: what was read ahead waits for the request before it. */
  async #isUnchanged(): Promise<boolean> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#checkedAt <= CHECK_LASTS_MS) return true;
    if (!(await isCurrent(this.#core.db, this.#cursor))) return false;
    this.#checkedAt = now;
    return true;
  }

  /**
   * Makes sure that a repetition after a crash sends exactly the same batches. If more events are known to follow, or
   * an end is stored already, the stored limit alone yields the same batches from the beginning of the queue whenever
   * it is read. Otherwise their end is stored.
   */
  async #fixed(batches: readonly Batch[], queue: readonly QueuedEvent[]): Promise<boolean> {
    const composition = {
      size: batches[0]?.events.length ?? 0,
      waiting: queue.length,
      limit: this.#batchLimit,
      storedLimit: this.#storedLimit,
      hasEnd: this.#batchTo !== null,
    };
    if (this.#sendsAlone() && isReproducible(composition)) return true;
    const to = Math.max(...batches.map(({ events }) => events.at(-1)?.id ?? 0));
    if (!(await this.#stored)) return false;
    const isOurs = await markBatch(this.#core.db, this.#cursor, { to, limit: this.#batchLimit });
    this.#storedLimit = this.#batchLimit;
    return isOurs;
  }

  /** Stored with the acknowledgement. One if no more events wait, because the next event will probably come alone. */
  #nextLimit(): number {
    const isDrained = this.#progress.ahead.length === 0 && !this.#more;
    return isDrained && this.#sendsAlone() ? 1 : this.#batchLimit;
  }

  #holdsLease(): boolean {
    return isHeldBy(this.#options.lease(), this.#cursor.nodeId);
  }

  /** At most one request at a time. */
  #sendsAlone(): boolean {
    const { id, endpointId, concurrency } = this.#cursor;
    return concurrency === 1 || id !== endpointId;
  }

  /** The last acknowledgement of a round removes the stored end, which the other batches of the round need until then. */
  async #acknowledgeAll(taken: readonly Posted[], batchLimit: number): Promise<boolean> {
    const each = taken.map((posted) => ({ posted, progress: this.#progress.settle(posted.batch.events) }));
    let ours = true;
    for (const [place, { posted, progress }] of each.entries()) {
      const keepsRound = place + 1 < each.length;
      ours = (await this.#acknowledge(posted, { progress, batchLimit, keepsRound })) && ours;
    }
    return ours;
  }

  /**
   * Skips the request if the entity that the CRM is asked to create exists by now. True: send nothing, because the
   * request was skipped or the claim is lost. `isLater`: the event before it is refused, and its series of failures
   * continues.
   */
  async #settled({ events: [event] }: Batch, isLater = false): Promise<boolean> {
    if (event === undefined || !isCreation(event.kind)) return false;
    // The progress stored below includes the last acknowledgement. If that fails, its event must be sent again.
    this.#lost ||= !(await this.#stored);
    if (this.#lost) return true;
    const settled = await settleWithoutAsking(this.#core, this.#cursor, event, async (tx) => {
      const progress = this.#progress.settle([event]);
      const passed = await passEvents(tx, this.#cursor, { ids: [event.id], progress, isLater });
      this.#lost ||= !passed;
      return passed;
    });
    if (settled && !isLater) this.#recovered(this.#batchLimit);
    if (settled) await this.#forget();
    return settled;
  }

  /** Moves the position behind the batch and stores the CRM's response. */
  #acknowledge(
    { batch, attempt, text }: Posted,
    to: Pick<Acknowledgement, "progress" | "batchLimit" | "keepsRound">,
  ): Promise<boolean> {
    const [event] = batch.events;
    const isRepeatable = event === undefined || !isCreation(event.kind);
    const acknowledged = (tx: Queryable) => acknowledge(tx, this.#cursor, { ...to, attempt, isRepeatable });
    return event === undefined
      ? acknowledged(this.#core.db)
      : storeAnswer(this.#core, this.#cursor, { event, answer: text }, acknowledged);
  }

  async #afterFailure(batch: Batch, answer: Answer): Promise<boolean> {
    const situation = this.#situation(batch);
    const verdict = afterRefusal(answer, situation, this.#options.schedule, Math.random());
    switch (verdict.kind) {
      case "halve":
        this.#batchTo = null;
        this.#batchLimit = verdict.batchLimit;
        return true;
      case "probe":
        return this.#probe(batch, answer, situation);
      case "park":
        return this.#park(batch, answer);
      case "wait":
        return this.#rest(verdict, answer);
    }
  }

  /** Tests whether the item or the receiver is at fault, by sending an item of another chat. */
  async #probe(batch: Batch, answer: Answer, situation: Situation): Promise<boolean> {
    const chat = batch.events[0]?.chat ?? null;
    const other = chat === null ? null : await this.#findOther(chat);
    const probe =
      other === null ? null : composeBatch([other], { maxItems: 1, maxBytes: this.#options.maxBytes });
    const rest = pause(answer, situation, this.#options.schedule, Math.random());
    // The refused request may have taken long. A probe or a test must not go to an address that was changed or paused.
    if (!(await isCurrent(this.#core.db, this.#cursor))) return this.#restart();
    if (probe === null || chat === null) return this.#ask(batch, answer, { situation, rest });
    if (await this.#settled(probe, true)) return !this.#lost && this.#probe(batch, answer, situation);
    if (!this.#holdsLease()) return false;
    const probed = await this.#post(probe);
    if (!isSuccess(probed.answer)) {
      await logAttempt(this.#core.db, this.#cursor, probed.attempt);
      return this.#rest(rest, answer);
    }
    const progress = this.#progress.settle(probed.batch.events);
    await this.#acknowledge(probed, { progress, batchLimit: this.#maxItems });
    await this.#noteSuccess();
    return this.#isolate(batch, chat, { answer, rest });
  }

  /** Ends the claim: the next one repeats the single refused item with the receiver's new settings. */
  async #restart(): Promise<boolean> {
    this.#batchLimit = 1;
    await this.#release();
    return false;
  }

  #findOther(chat: string): Promise<QueuedEvent | null> {
    const progress = this.#progress.progress();
    return this.#readInTurn(() => firstOfAnotherChat(this.#core.db, this.#cursor, { progress, chat }));
  }

  /**
   * No other item can serve as a test. At the end of the schedule a test request shows whether the receiver is at
   * fault.
   */
  async #ask(
    batch: Batch,
    answer: Answer,
    { situation, rest }: { situation: Situation; rest: Rest },
  ): Promise<boolean> {
    if (situation.failingMs < this.#options.schedule.lifetimeMs) return this.#rest(rest, answer);
    if (!this.#holdsLease()) return false;
    const test = { to: this.#cursor, deliveryId: `msg_${newId()}`, body: '{"test":true}', kinds: [] };
    const asked = await sendTest(this.#core, this.#options, test);
    await logAttempt(this.#core.db, this.#cursor, asked.attempt);
    if (!isSuccess(asked.answer)) return this.#rest(rest, answer);
    await this.#noteSuccess();
    return this.#park(batch, answer);
  }

  async #isolate(
    { events }: Batch,
    chat: string,
    { answer, rest }: { answer: Answer; rest: Rest },
  ): Promise<boolean> {
    const { accountId, endpointId } = this.#cursor;
    const text = `An item is refused (${reasonOf(answer)}). Its chat waits, other chats continue.`;
    const group = { chat, events, progress: this.#progress.settle(events), pauseMs: rest.ms };
    const isOurs = await this.#core.db.tx(async (tx) => {
      if (!(await divertEvents(tx, this.#cursor, group))) return false;
      await addNoticeThrottled(tx, { accountId, endpointId, kind: "refused", text });
      return true;
    });
    if (!isOurs) return false;
    this.#core.log.warn(
      { accountId, endpointId, chat, reason: reasonOf(answer) },
      "a receiver refuses an item; its chat waits, other chats continue",
    );
    this.#recovered(this.#maxItems);
    return true;
  }

  async #park({ events }: Batch, answer: Answer): Promise<boolean> {
    const { accountId, endpointId } = this.#cursor;
    const parked = { events, progress: this.#progress.settle(events), reason: reasonOf(answer) };
    const text = `An item was refused until its schedule was over (${reasonOf(answer)}) and is parked; it can be replayed.`;
    const isOurs = await this.#core.db.tx(async (tx) => {
      if (!(await parkEvents(tx, this.#cursor, parked))) return false;
      await addNoticeThrottled(tx, { accountId, endpointId, kind: "parked", text });
      return true;
    });
    if (!isOurs) return false;
    this.#recovered(1);
    this.#core.log.warn(
      { accountId, endpointId, events: events.length },
      "a webhook was parked after its last attempt",
    );
    return true;
  }

  /** Only the main cursor counts for the receiver's health: the others are refused because of their content. */
  async #rest(rest: Rest, answer: Answer): Promise<boolean> {
    if (!(await postponeCursor(this.#core.db, this.#cursor, rest))) return false;
    const { id, accountId, endpointId } = this.#cursor;
    if (id !== endpointId) return false;
    const failure = { accountId, endpointId, reason: reasonOf(answer) };
    await receiverFailed(this.#core, failure, this.#options.pauseAfterMs);
    return false;
  }

  async #noteSuccess(): Promise<void> {
    if (!this.#failing || this.#cursor.chat !== null) return;
    await receiverRecovered(this.#core.db, this.#cursor);
    this.#failing = false;
  }

  /** A diverted chat is sent one item at a time, so that the refused item stays identified. */
  #recovered(batchLimit: number): void {
    this.#batchTo = null;
    this.#batchLimit = this.#cursor.chat === null ? batchLimit : 1;
    this.#attempts = 0;
    this.#firstFailedAt = null;
  }

  #situation(batch: Batch): Situation {
    const since = this.#firstFailedAt;
    return {
      batchSize: batch.events.length,
      attempts: this.#attempts,
      failingMs: since === null ? 0 : this.#core.clock.now().getTime() - since.getTime(),
      isolated: this.#cursor.chat !== null,
      receiverFailing: this.#failing,
    };
  }

  async #post(batch: Batch): Promise<Posted> {
    const posted = await sendBatch(this.#core, this.#options, {
      to: this.#cursor,
      batch,
      purpose: "delivery",
    });
    const { answer, attempt } = posted;
    const result = isSuccess(answer) ? "ok" : answer.status === null ? "failed" : "refused";
    const { accountId, endpointId: subject } = this.#cursor;
    const label = result === "ok" ? result : reasonOf(answer);
    const value = attempt.durationMs;
    this.#core.statistics.add({ accountId, kind: "deliveries", subject, label, value });
    this.#options.onPost?.(result, batch.events.length, value);
    return posted;
  }
}

/** Length in characters, a lower bound of the bytes. */
function sizeOf(events: readonly QueuedEvent[]): number {
  return events.reduce((size, { body }) => size + body.length, 0);
}

function reasonOf({ status, failure }: Answer): string {
  return failure ?? `HTTP ${status}`;
}
