import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../core/core.ts";
import { isCreation, settleWithoutAsking, storeAnswer } from "../core/crm/creation-delivery.ts";
import { logAttempt } from "../core/webhook/attempts.ts";
import { type Batch, composeBatch, sharesOf } from "../core/webhook/batch.ts";
import { type Posted, sendBatch, sendTest } from "../core/webhook/deliver.ts";
import type { QueuedEvent } from "../core/webhook/events.ts";
import { receiverFailed, receiverRecovered } from "../core/webhook/health.ts";
import {
  acknowledge,
  dropEvent,
  followIsolated,
  isolateChat,
  markBatch,
  parkEvents,
  postponeLane,
  readEvents,
  releaseWebhookLane,
  type WebhookLane,
} from "../core/webhook/lanes.ts";
import { addNoticeSeldom } from "../core/webhook/notices.ts";
import { type Answer, afterRefusal, isSuccess, pause, type Situation } from "../core/webhook/policy.ts";
import type { Queryable } from "../database/database.ts";
import { newId } from "../platform/ids.ts";
import type { DispatcherOptions } from "./dispatcher.ts";
import { isHeldBy } from "./lease.ts";

/** Events read at a time, and in hand, are at most so many; so are those of one request. */
const MAX_READ = 10_000;
const BATCHES_PER_TURN = 50;
/** After so long a turn ends, too: the address, the keys and the limits of a request are never much older. */
const TURN_MS = 1_000;
/** After a request the lane waits this long for company before it is given back: fuller batches, fewer statements. */
const LINGER_MS = 10;

type Rest = ReturnType<typeof pause>;

/** One node's turn at a lane. */
export class LaneRun {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #lane: WebhookLane;
  readonly #isStopping: () => boolean;
  readonly #share: () => number;
  readonly #maxItems: number;
  #batchTo: number | null;
  #batchLimit: number;
  #attempts: number;
  #firstFailedAt: Date | null;
  #failing: boolean;
  /** Events read and not sent yet: the beginning of the queue. Nobody else takes from it while the lane is ours. */
  #ahead: readonly QueuedEvent[] = [];
  /** Chats among them that have to follow those set apart. */
  readonly #following = new Set<string>();
  /** The last event that was read; all up to there that are not in `#ahead` are done. */
  #readTo: number;
  /** There was more than the last look took. */
  #more = false;
  /** The receiver was changed since the claim. The next turn delivers as it is now. */
  #outdated = false;
  /** Another node has the lane by now, or the event under way: this turn is over. */
  #lost = false;
  /** Requests at a time. After a failure one, until the next turn. */
  #ways: number;
  /** The last acknowledgement, stored while the next request is under way. False: the lane is another node's by now. */
  #stored: Promise<boolean> = Promise.resolve(true);
  /** Whoever takes the lane after a crash starts with the same limit. */
  #limitIsStored = true;

  /** `share` tells how many bytes of events it may read at a time, while others of its account work beside it. */
  constructor(
    options: DispatcherOptions,
    lane: WebhookLane,
    { isStopping, share }: { readonly isStopping: () => boolean; readonly share: () => number },
  ) {
    this.#options = options;
    this.#share = share;
    this.#core = options.core;
    this.#lane = lane;
    this.#isStopping = isStopping;
    this.#maxItems = lane.maxItems ?? options.maxItems;
    this.#readTo = lane.doneTo;
    this.#batchTo = lane.batchTo;
    this.#batchLimit = Math.min(lane.batchLimit, this.#maxItems);
    this.#attempts = lane.attempts;
    this.#firstFailedAt = lane.firstFailedAt;
    this.#failing = lane.failing;
    this.#ways = lane.id === lane.endpointId && lane.attempts === 0 ? lane.concurrency : 1;
  }

  /**
   * Delivers until the lane is empty or has to rest, its receiver was changed, or others should have a turn. Returns
   * whether there is more.
   */
  async work(): Promise<boolean> {
    const began = this.#core.clock.monotonicMs();
    const isOver = () => this.#isStopping() || this.#core.clock.monotonicMs() - began > TURN_MS;
    for (let batch = 0; batch < BATCHES_PER_TURN && !isOver(); batch++) {
      const queue = await this.#read();
      if (queue.length === 0 || this.#outdated) return this.#release();
      const limits = { maxItems: this.#batchLimit, maxBytes: this.#options.maxBytes };
      const batches = sharesOf(queue, this.#ways).flatMap((share) => composeBatch(share, limits) ?? []);
      const goOn = await this.#deliver(batches, queue);
      if (!goOn) return false;
      if (this.#ahead.length === 0) await sleep(LINGER_MS);
    }
    return this.#release();
  }

  async #release(): Promise<boolean> {
    const [next] = this.#ahead;
    const doneTo = next === undefined ? this.#readTo : next.id - 1;
    const batchLimit = this.#batchLimit;
    return (await this.#stored) && releaseWebhookLane(this.#core.db, this.#lane, { doneTo, batchLimit });
  }

  /** The beginning of the queue, or of the batch to be repeated. */
  async #read(): Promise<readonly QueuedEvent[]> {
    if (this.#batchTo !== null) await this.#forget();
    if (this.#hasRoom()) {
      // One statement for both. An acknowledgement that comes later would take the end away again.
      const fix = this.#ahead.length === 0 && this.#batchTo === null && this.#sendsAlone();
      if (fix) await this.#stored;
      await this.#readMore(fix);
    }
    if (this.#following.size > 0) {
      const chats = [...this.#following];
      this.#lost ||= !(await this.#core.db.tx((tx) => followIsolated(tx, this.#lane, chats)));
      await this.#forget();
      if (this.#lost) return [];
      return this.#read();
    }
    if (this.#ahead.length > 0 || this.#batchTo === null || this.#outdated) return this.#ahead;
    this.#batchTo = null;
    return this.#read();
  }

  /** What was read may not be the beginning of the queue any more. */
  async #forget(): Promise<void> {
    await this.#stored;
    this.#ahead = [];
    this.#following.clear();
    this.#readTo = this.#lane.doneTo;
  }

  #window(): number {
    return Math.min(MAX_READ, this.#maxItems * this.#ways);
  }

  /** At least a whole request, so that a repetition finds all of it; at most what the next requests can take. */
  #windowBytes(): number {
    const { maxBytes } = this.#options;
    return Math.max(maxBytes, Math.min(this.#share(), maxBytes * this.#ways));
  }

  #hasRoom(): boolean {
    return this.#ahead.length < this.#window() && sizeOf(this.#ahead) < this.#windowBytes();
  }

  /** Ids grow in the order of the commits, so that nothing can appear before what was read. */
  async #readMore(fix: boolean): Promise<void> {
    const { events, apart, hasMore, fixedTo, isCurrent } = await readEvents(this.#core.db, this.#lane, {
      limit: this.#window(),
      maxBytes: this.#windowBytes(),
      to: this.#batchTo,
      after: this.#readTo,
      fix,
    });
    if (!isCurrent) {
      this.#outdated = true;
      return;
    }
    this.#batchTo ??= fixedTo;
    for (const chat of apart) if (events.some((event) => event.chat === chat)) this.#following.add(chat);
    this.#readTo = events.at(-1)?.id ?? this.#readTo;
    this.#more = hasMore;
    this.#ahead = [...this.#ahead, ...events];
  }

  /** While a request is under way. That it fails says nothing: it is read again. */
  async #readAhead(): Promise<void> {
    if (this.#more && this.#batchTo === null && this.#hasRoom())
      await this.#readMore(false).catch(() => undefined);
  }

  /** Sends batches that share no chat, all at once, and acts on the answers. Returns whether to go on with the lane. */
  async #deliver(batches: readonly Batch[], queue: readonly QueuedEvent[]): Promise<boolean> {
    const [first] = batches;
    if (first !== undefined && (await this.#settled(first))) return !this.#lost;
    // Others may have the lane by now.
    if (!(await this.#fixed(batches, queue)) || !this.#holdsLease()) return false;
    this.#leaveOut(batches);
    const [posted] = await Promise.all([
      Promise.all(batches.map((batch) => this.#post(batch))),
      this.#readAhead(),
    ]);
    const taken = posted.filter(({ answer }) => isSuccess(answer));
    const failed = posted.filter(({ answer }) => !isSuccess(answer));
    if (failed.length === 0) this.#recovered(Math.min(this.#maxItems, this.#batchLimit * 2));
    if (!(await this.#stored)) return false;
    this.#limitIsStored = failed.length === 0;
    this.#stored = this.#acknowledgeAll(taken);
    this.#stored.catch(() => undefined);
    if (taken.length > 0) await this.#noteSuccess();
    const [trouble] = failed;
    if (trouble === undefined) return true;
    if (!(await this.#stored)) return false;
    for (const { attempt } of failed) await logAttempt(this.#core.db, this.#lane, attempt);
    this.#ways = 1;
    await this.#forget();
    return this.#afterFailure(trouble.batch, trouble.answer);
  }

  /**
   * Makes sure that a repeat after a crash sends the very same batches. Where more is known to follow, or an end is
   * stored already, they are what the beginning of the queue gives under the stored limit, whenever it is read; else
   * their end is stored.
   */
  async #fixed(batches: readonly Batch[], queue: readonly QueuedEvent[]): Promise<boolean> {
    const size = batches[0]?.events.length ?? 0;
    const hasEnd = this.#batchTo !== null || size < queue.length || size === this.#batchLimit;
    if (hasEnd && this.#sendsAlone() && this.#limitIsStored) return true;
    const last = Math.max(...batches.map(({ events }) => events.at(-1)?.id ?? 0));
    return (await this.#stored) && markBatch(this.#core.db, this.#lane, last);
  }

  #holdsLease(): boolean {
    return isHeldBy(this.#options.lease(), this.#lane.nodeId);
  }

  /** Never two requests at a time. */
  #sendsAlone(): boolean {
    const { id, endpointId, concurrency } = this.#lane;
    return concurrency === 1 || id !== endpointId;
  }

  async #acknowledgeAll(taken: readonly Posted[]): Promise<boolean> {
    const batchLimit = this.#batchLimit;
    let ours = true;
    for (const each of taken) ours = (await this.#acknowledge(each, batchLimit)) && ours;
    return ours;
  }

  #leaveOut(batches: readonly Batch[]): void {
    const sent = new Set(batches.flatMap(({ events }) => events.map(({ id }) => id)));
    this.#ahead = this.#ahead.filter(({ id }) => !sent.has(id));
  }

  /** What a CRM is to create may be there by now. */
  async #settled({ events: [event] }: Batch): Promise<boolean> {
    if (event === undefined || !isCreation(event.kind)) return false;
    const settled = await settleWithoutAsking(this.#core, this.#lane, event, async (tx) => {
      const dropped = await dropEvent(tx, this.#lane, event.id);
      this.#lost ||= !dropped;
      return dropped;
    });
    if (settled) this.#recovered(this.#batchLimit);
    if (settled) await this.#forget();
    return settled;
  }

  /** Takes the batch from the queue, with what the CRM answered. */
  #acknowledge({ batch, attempt, text }: Posted, batchLimit: number): Promise<boolean> {
    const acknowledged = (tx: Queryable) => acknowledge(tx, this.#lane, attempt, batchLimit);
    const [event] = batch.events;
    return event === undefined
      ? acknowledged(this.#core.db)
      : storeAnswer(this.#core, this.#lane, { event, answer: text }, acknowledged);
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

  /** Is it the item or the receiver? An item of another chat tells. */
  async #probe(batch: Batch, answer: Answer, situation: Situation): Promise<boolean> {
    const [refused] = batch.events;
    const { events } = await readEvents(this.#core.db, this.#lane, {
      limit: this.#maxItems,
      maxBytes: this.#windowBytes(),
      after: this.#lane.doneTo,
    });
    const other = events.find(({ chat }) => chat !== refused?.chat);
    const probe =
      other === undefined ? null : composeBatch([other], { maxItems: 1, maxBytes: this.#options.maxBytes });
    const rest = pause(answer, situation, this.#options.schedule, Math.random());
    if (probe === null || refused?.chat == null) return this.#ask(batch, answer, { situation, rest });
    if (!this.#holdsLease()) return false;
    const probed = await this.#post(probe);
    if (!isSuccess(probed.answer)) {
      await logAttempt(this.#core.db, this.#lane, probed.attempt);
      return this.#rest(rest, answer);
    }
    await this.#acknowledge(probed, this.#maxItems);
    await this.#noteSuccess();
    return this.#isolate(refused.chat, answer, rest);
  }

  /** Nothing else waits that could tell. When the schedule is over, a test shows whether the receiver is to blame. */
  async #ask(
    batch: Batch,
    answer: Answer,
    { situation, rest }: { situation: Situation; rest: Rest },
  ): Promise<boolean> {
    if (situation.failingMs < this.#options.schedule.lifetimeMs) return this.#rest(rest, answer);
    if (!this.#holdsLease()) return false;
    const test = { to: this.#lane, deliveryId: `msg_${newId()}`, body: '{"test":true}', kinds: [] };
    const asked = await sendTest(this.#core, this.#options, test);
    await logAttempt(this.#core.db, this.#lane, asked.attempt);
    if (!isSuccess(asked.answer)) return this.#rest(rest, answer);
    await this.#noteSuccess();
    return this.#park(batch, answer);
  }

  async #isolate(chat: string, answer: Answer, rest: Rest): Promise<boolean> {
    const { accountId, endpointId } = this.#lane;
    const text = `An item is refused (${reasonOf(answer)}). Its chat waits, the others go on.`;
    const isOurs = await this.#core.db.tx(async (tx) => {
      if (!(await isolateChat(tx, this.#lane, chat, rest.ms))) return false;
      await addNoticeSeldom(tx, { accountId, endpointId, kind: "refused", text });
      return true;
    });
    if (!isOurs) return false;
    this.#core.log.warn(
      { accountId, endpointId, chat, reason: reasonOf(answer) },
      "a receiver refuses an item; its chat waits, the others go on",
    );
    this.#recovered(this.#maxItems);
    return true;
  }

  async #park({ events }: Batch, answer: Answer): Promise<boolean> {
    const { accountId, endpointId } = this.#lane;
    const ids = events.map(({ id }) => id);
    const text = `An item was refused until its schedule was over (${reasonOf(answer)}) and is parked; it can be replayed.`;
    const isOurs = await this.#core.db.tx(async (tx) => {
      if (!(await parkEvents(tx, this.#lane, ids, reasonOf(answer)))) return false;
      await addNoticeSeldom(tx, { accountId, endpointId, kind: "parked", text });
      return true;
    });
    if (!isOurs) return false;
    this.#recovered(1);
    this.#core.log.warn(
      { accountId, endpointId, events: ids.length },
      "a webhook was parked after its last attempt",
    );
    return true;
  }

  /** Only the main queue speaks for the receiver: what has a lane of its own is refused for what it says. */
  async #rest(rest: Rest, answer: Answer): Promise<boolean> {
    await postponeLane(this.#core.db, this.#lane, rest);
    const { id, accountId, endpointId } = this.#lane;
    if (id !== endpointId) return false;
    const failure = { accountId, endpointId, reason: reasonOf(answer) };
    await receiverFailed(this.#core, failure, this.#options.pauseAfterMs);
    return false;
  }

  async #noteSuccess(): Promise<void> {
    if (!this.#failing || this.#lane.chat !== null) return;
    await receiverRecovered(this.#core.db, this.#lane);
    this.#failing = false;
  }

  /** A chat that was set apart travels one item at a time, so that the refused one stays known. */
  #recovered(batchLimit: number): void {
    this.#batchTo = null;
    this.#batchLimit = this.#lane.chat === null ? batchLimit : 1;
    this.#attempts = 0;
    this.#firstFailedAt = null;
  }

  #situation(batch: Batch): Situation {
    const since = this.#firstFailedAt;
    return {
      batchSize: batch.events.length,
      attempts: this.#attempts,
      failingMs: since === null ? 0 : this.#core.clock.now().getTime() - since.getTime(),
      isolated: this.#lane.chat !== null,
      receiverFailing: this.#failing,
    };
  }

  async #post(batch: Batch): Promise<Posted> {
    const posted = await sendBatch(this.#core, this.#options, { to: this.#lane, batch, purpose: "delivery" });
    const { answer, attempt } = posted;
    const result = isSuccess(answer) ? "ok" : answer.status === null ? "failed" : "refused";
    this.#options.onPost?.(result, batch.events.length, attempt.durationMs);
    return posted;
  }
}

/** In characters, of which each is a byte or more. */
function sizeOf(events: readonly QueuedEvent[]): number {
  return events.reduce((size, { body }) => size + body.length, 0);
}

function reasonOf({ status, failure }: Answer): string {
  return failure ?? `HTTP ${status}`;
}
