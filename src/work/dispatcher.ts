import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../core/core.ts";
import { MAX_ANSWER_BYTES } from "../core/crm/creation-answer.ts";
import { answerFault, isCreation, settleWithoutAsking, storeAnswer } from "../core/crm/creation-delivery.ts";
import { type Batch, composeBatch } from "../core/webhook/batch.ts";
import {
  type Attempt,
  acknowledge,
  claimWebhookLanes,
  dropEvent,
  followIsolated,
  isolateChat,
  logAttempt,
  markBatch,
  parkEvents,
  postponeLane,
  type QueuedEvent,
  readEvents,
  releaseStrayWebhookLanes,
  releaseWebhookLane,
  type WebhookLane,
} from "../core/webhook/lanes.ts";
import {
  type Answer,
  afterRefusal,
  isSuccess,
  pause,
  type Schedule,
  type Situation,
} from "../core/webhook/policy.ts";
import { crmKeyContext, webhookSecretContext } from "../core/webhook/settings.ts";
import { signatureHeaders } from "../core/webhook/signature.ts";
import type { Queryable } from "../database/database.ts";
import type { Lease } from "./lease.ts";
import { KEPT_BYTES, post } from "./receiver.ts";

const LOOK_EVERY_MS = 500;
const STRAYS_EVERY_MS = 2_000;
const MAX_LANES = 1_000;
const BATCHES_PER_TURN = 50;
/** After a request the lane waits this long for company before it is given back: fuller batches, fewer statements. */
const LINGER_MS = 3;

export interface DispatcherOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly dispatcher: HttpDispatcher;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly contentType: string;
  onPost?(result: "ok" | "refused" | "failed", items: number, durationMs: number): void;
}

/**
 * Delivers events: one request at a time to each receiver, many items in each, in order. A refused item is found by
 * halving its batch and set apart with its chat; everything else goes on.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, WebhookLane>();
  #pumping = false;
  #again = false;
  /** When lanes that are claimed for us without our knowledge were last looked for. */
  #straysAt = Number.NEGATIVE_INFINITY;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;
  #off: () => void = () => undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#core = options.core;
  }

  start(): void {
    this.#off = this.#core.wakes.on("webhooks", () => this.pump());
    this.#timer = setInterval(() => this.pump(), LOOK_EVERY_MS);
    this.pump();
  }

  /** Takes nothing new and resolves when the requests under way have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    this.#off();
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  pump(): void {
    this.#again = true;
    if (this.#pumping || this.#stopping) return;
    this.#pumping = true;
    void this.#look().finally(() => {
      this.#pumping = false;
      if (this.#again && !this.#stopping) this.pump();
    });
  }

  async #look(): Promise<void> {
    this.#again = false;
    const free = MAX_LANES - this.#running.size;
    if (free <= 0 || !this.#options.lease().isValid()) return;
    try {
      const { nodeId } = this.#options.lease();
      await this.#releaseStrays(nodeId);
      const lanes = await claimWebhookLanes(this.#core.db, nodeId, free);
      for (const lane of lanes) this.#run(lane);
    } catch (error) {
      this.#core.log.debug({ err: error }, "due webhooks could not be looked up");
      this.#straysAt = Number.NEGATIVE_INFINITY;
      this.#again = false;
    }
  }

  async #releaseStrays(nodeId: string): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#straysAt < STRAYS_EVERY_MS) return;
    const inHand = [...this.#running.values()].map(({ id }) => id);
    await releaseStrayWebhookLanes(this.#core.db, nodeId, inHand);
    this.#straysAt = now;
  }

  #run(lane: WebhookLane): void {
    const running = new LaneRun(this.#options, lane, () => this.#stopping)
      .work()
      .then((more) => {
        if (more) this.pump();
      })
      .catch((error: unknown) => {
        this.#core.log.warn(
          { err: error, endpointId: lane.endpointId },
          "a receiver's queue stopped for now",
        );
        this.#straysAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => this.#running.delete(running));
    this.#running.set(running, lane);
  }
}

/** One request, answered or not. */
interface Posted {
  readonly batch: Batch;
  readonly answer: Answer;
  readonly attempt: Attempt;
  /** What the receiver answered, as far as it was read. */
  readonly text: string | null;
}

/** One node's turn at a lane. */
class LaneRun {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #lane: WebhookLane;
  readonly #isStopping: () => boolean;
  #batchTo: number | null;
  #batchLimit: number;
  #attempts: number;
  #firstFailedAt: Date | null;

  constructor(options: DispatcherOptions, lane: WebhookLane, isStopping: () => boolean) {
    this.#options = options;
    this.#core = options.core;
    this.#lane = lane;
    this.#isStopping = isStopping;
    this.#batchTo = lane.batchTo;
    this.#batchLimit = lane.batchLimit;
    this.#attempts = lane.attempts;
    this.#firstFailedAt = lane.firstFailedAt;
  }

  /** Delivers until the lane is empty, has to rest, or others should have a turn. Returns whether there is more. */
  async work(): Promise<boolean> {
    for (let turn = 0; turn < BATCHES_PER_TURN && !this.#isStopping(); turn++) {
      const queue = await this.#read();
      if (queue === null) return false;
      if (queue.length === 0) return releaseWebhookLane(this.#core.db, this.#lane, true);
      const batch = composeBatch(queue, { maxItems: this.#batchLimit, maxBytes: this.#options.maxBytes });
      if (batch === null) continue;
      const goOn = await this.#deliver(batch);
      if (!goOn) return false;
      if (queue.length === batch.events.length) await sleep(LINGER_MS);
    }
    return releaseWebhookLane(this.#core.db, this.#lane, false);
  }

  /** Null: the lane belongs to another node by now. */
  async #read(): Promise<QueuedEvent[] | null> {
    const { db } = this.#core;
    const events = await readEvents(db, this.#lane, this.#options.maxItems, this.#batchTo);
    const following = new Set(
      events.flatMap(({ follows, chat }) => (follows && chat !== null ? [chat] : [])),
    );
    if (following.size > 0) {
      await db.tx((tx) => followIsolated(tx, this.#lane, [...following]));
      return this.#read();
    }
    if (events.length > 0 || this.#batchTo === null) return events;
    this.#batchTo = null;
    return this.#read();
  }

  /** Sends one batch and acts on the answer. Returns whether to go on with the lane. */
  async #deliver(batch: Batch): Promise<boolean> {
    if (await this.#settled(batch)) return true;
    const last = batch.events.at(-1);
    if (last === undefined || !(await markBatch(this.#core.db, this.#lane, last.id))) return false;
    const posted = await this.#post(batch);
    if (isSuccess(posted.answer)) {
      this.#recovered(Math.min(this.#options.maxItems, this.#batchLimit * 2));
      await this.#acknowledge(posted, this.#batchLimit);
      return true;
    }
    await logAttempt(this.#core.db, this.#lane, posted.attempt);
    return this.#afterFailure(batch, posted.answer);
  }

  /** What a CRM is to create may be there by now. */
  async #settled({ events: [event] }: Batch): Promise<boolean> {
    if (event === undefined || !isCreation(event.kind)) return false;
    const settled = await settleWithoutAsking(this.#core, this.#lane, event, (tx) =>
      dropEvent(tx, this.#lane, event.id),
    );
    if (settled) this.#recovered(this.#batchLimit);
    return settled;
  }

  /** Takes the batch from the queue, with what the CRM answered. */
  #acknowledge({ batch, attempt, text }: Posted, batchLimit: number): Promise<void> {
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
      case "park": {
        const ids = batch.events.map(({ id }) => id);
        await this.#core.db.tx((tx) =>
          parkEvents(tx, this.#lane, ids, answer.failure ?? `HTTP ${answer.status}`),
        );
        this.#recovered(1);
        this.#core.log.warn(
          { accountId: this.#lane.accountId, events: ids.length },
          "a webhook was parked after its last attempt",
        );
        return true;
      }
      case "wait":
        await postponeLane(this.#core.db, this.#lane, verdict);
        return false;
    }
  }

  /** Is it the item or the receiver? An item of another chat tells. */
  async #probe(batch: Batch, answer: Answer, situation: Situation): Promise<boolean> {
    const [refused] = batch.events;
    const queue = await readEvents(this.#core.db, this.#lane, this.#options.maxItems, null);
    const other = queue.find(({ chat }) => chat !== refused?.chat);
    const probe =
      other === undefined ? null : composeBatch([other], { maxItems: 1, maxBytes: this.#options.maxBytes });
    const rest = pause(answer, situation, this.#options.schedule, Math.random());
    if (probe === null || refused?.chat == null) {
      await postponeLane(this.#core.db, this.#lane, rest);
      return false;
    }
    const probed = await this.#post(probe);
    if (!isSuccess(probed.answer)) {
      await logAttempt(this.#core.db, this.#lane, probed.attempt);
      await postponeLane(this.#core.db, this.#lane, rest);
      return false;
    }
    const { chat } = refused;
    await this.#acknowledge(probed, this.#options.maxItems);
    await this.#core.db.tx((tx) => isolateChat(tx, this.#lane, chat, rest.ms));
    this.#core.log.warn(
      { accountId: this.#lane.accountId, subject: refused.subject, status: answer.status },
      "a receiver refuses an item; its chat waits, the others go on",
    );
    this.#recovered(this.#options.maxItems);
    return true;
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
    };
  }

  async #post(batch: Batch): Promise<Posted> {
    const { events, body } = batch;
    const { endpointId, accountId, crmKey, secret, url } = this.#lane;
    const at = this.#core.clock.now();
    const eventIds = events.map(({ id }) => id);
    const deliveryId = `msg_${endpointId.slice(0, 8)}_${eventIds[0]}_${eventIds.at(-1)}`;
    const key = crmKey === null ? null : this.#core.seal.open(crmKey, crmKeyContext(accountId)).toString();
    const headers = {
      "content-type": this.#options.contentType,
      "user-agent": "Trunkline",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...signatureHeaders(
        this.#core.seal.open(secret, webhookSecretContext(accountId)),
        deliveryId,
        at,
        body,
      ),
    };
    const began = this.#core.clock.monotonicMs();
    const [event] = events;
    const readsAnswer = event !== undefined && isCreation(event.kind);
    const answerBytes = readsAnswer ? MAX_ANSWER_BYTES : KEPT_BYTES;
    const { text, ...received } = await post({ url, headers, body, answerBytes }, this.#options);
    const fault = readsAnswer && isSuccess(received) ? answerFault(event, text) : null;
    const answer = fault === null ? received : { ...received, failure: fault };
    const durationMs = this.#core.clock.monotonicMs() - began;
    const result = isSuccess(answer) ? "ok" : answer.status === null ? "failed" : "refused";
    this.#options.onPost?.(result, events.length, durationMs);
    const { status, failure } = answer;
    const kept = text?.slice(0, KEPT_BYTES) ?? null;
    const attempt = { deliveryId, at, durationMs, eventIds, status, failure, answer: kept };
    return { batch, answer, attempt, text };
  }
}
