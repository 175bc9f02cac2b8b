import { isCreation, settleWithoutAsking, storeAnswer } from "../../core/crm/creation-delivery.ts";
import { type Cursor, isCurrent } from "../../core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import {
  dueRetries,
  type Retry,
  type RetryOutcome,
  releaseRetries,
  settleRetry,
} from "../../core/delivery/cursor/retries.ts";
import { addNoticeThrottled } from "../../core/delivery/receiver/notices.ts";
import type { Attempt } from "../../core/delivery/request/attempts.ts";
import { composeBatch } from "../../core/delivery/request/batch.ts";
import type { Posted } from "../../core/delivery/request/deliver.ts";
import { afterRefusal, isSuccess, reasonOf } from "../../core/delivery/request/policy.ts";
import type { Queryable } from "../../database/database.ts";
import { isHeldBy } from "../lease.ts";
import { CLAIM_DURATION_MS, parkedNotice, type Run, type RunOptions, type Surroundings } from "./run.ts";

/** Refused events that are retried concurrently, each of another chat: some may get no response. */
const MAX_CONCURRENT = 16;

/** While attempts are under way, the claim looks this often for others that are due. */
const LOOK_INTERVAL_MS = 1_000;

/** One claim of a receiver's refused events: sends each alone, those of a chat in order. */
export class RetryRun implements Run {
  readonly #options: RunOptions;
  readonly #cursor: Cursor;
  readonly #around: Surroundings;
  readonly #underWay = new Map<number, Promise<void>>();
  /** Why the outcome of an attempt could not be stored. */
  readonly #faults: unknown[] = [];
  #wakeUp: () => void = () => undefined;
  /** Nothing more is sent. */
  #isEnding = false;
  /** Another node has the claim. */
  #isLost = false;

  constructor(options: RunOptions, cursor: Cursor, around: Surroundings) {
    this.#options = options;
    this.#cursor = cursor;
    this.#around = around;
  }

  async work(): Promise<void> {
    const { core } = this.#options;
    const { isStopping, mayStay } = this.#around;
    const endsAt = core.clock.monotonicMs() + CLAIM_DURATION_MS;
    try {
      for (;;) {
        this.#isEnding ||= isStopping() || (core.clock.monotonicMs() >= endsAt && !mayStay());
        for (const retry of await this.#due()) this.#begin(retry);
        if (this.#underWay.size === 0) break;
        await this.#untilNext();
      }
    } finally {
      await Promise.allSettled(this.#underWay.values());
    }
    if (this.#faults.length > 0) throw this.#faults[0];
    if (!this.#isLost) await releaseRetries(core.db, this.#cursor);
  }

  end(): void {
    this.#isEnding = true;
    this.#wakeUp();
  }

  /** Until an attempt has ended, or, because some get no response for long, until others may be due. */
  async #untilNext(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = this.#isEnding ? undefined : setTimeout(resolve, LOOK_INTERVAL_MS);
    await Promise.race([promise, ...this.#underWay.values()]);
    clearTimeout(timer);
  }

  /** New events are none of its own. */
  notify(): void {}

  offer(): null {
    return null;
  }

  take(): boolean {
    return false;
  }

  async #due(): Promise<readonly Retry[]> {
    const { core, lease } = this.#options;
    const limit = MAX_CONCURRENT - this.#underWay.size;
    if (this.#isEnding || limit === 0) return [];
    const underWay = [...this.#underWay.keys()];
    const due = await this.#around.readWithinLimit(() =>
      dueRetries(core.db, this.#cursor, { limit, underWay }),
    );
    if (due.length === 0) return [];
    this.#isEnding ||= !(await isCurrent(core.db, this.#cursor));
    this.#isLost ||= !isHeldBy(lease(), this.#cursor.nodeId);
    return this.#isEnding || this.#isLost ? [] : due;
  }

  #begin(retry: Retry): void {
    const { id } = retry.event;
    const retrying = this.#retry(retry)
      .catch((error: unknown) => {
        this.#faults.push(error);
        this.#isEnding = true;
      })
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, retrying);
  }

  async #retry(retry: Retry): Promise<void> {
    const { core, poster, lease, maxBytes } = this.#options;
    const { event } = retry;
    const skip = (tx: Queryable) => this.#settle(tx, event, { kind: "skipped" }, null);
    if (isCreation(event.kind) && (await settleWithoutAsking(core, this.#cursor, event, skip))) return;
    const batch = composeBatch([event], { maxItems: 1, maxBytes });
    if (batch === null || this.#isLost || !isHeldBy(lease(), this.#cursor.nodeId)) return;
    const [posted] = await poster.post(this.#cursor, batch, retry.attempts + 1);
    const outcome = this.#outcomeOf(retry, posted);
    const store = async (tx: Queryable): Promise<void> => {
      await this.#settle(tx, event, outcome, posted.attempt);
      if (outcome.kind === "parked") await this.#noteParked(tx, outcome.reason);
    };
    if (outcome.kind === "delivered" && isCreation(event.kind))
      await storeAnswer(core, this.#cursor, { event, answer: posted.text }, store);
    else await core.db.tx(store);
  }

  #outcomeOf({ attempts, failingMs }: Retry, { answer }: Posted): RetryOutcome {
    if (isSuccess(answer)) return { kind: "delivered" };
    const { failing: receiverFailing } = this.#cursor;
    const situation = { batchSize: 1, attempts, failingMs, isolated: true, receiverFailing };
    const verdict = afterRefusal(answer, situation, this.#options.schedule, Math.random());
    return verdict.kind === "wait"
      ? { kind: "refused", pauseMs: verdict.ms }
      : { kind: "parked", reason: reasonOf(answer) };
  }

  /** False: another node has the claim, and nothing was stored. */
  async #settle(
    tx: Queryable,
    event: QueuedEvent,
    outcome: RetryOutcome,
    attempt: Attempt | null,
  ): Promise<boolean> {
    const settled = await settleRetry(tx, this.#cursor, { event, outcome, attempt });
    this.#isLost ||= settled !== "ours";
    this.#isEnding ||= this.#isLost;
    return settled !== "lost";
  }

  async #noteParked(tx: Queryable, reason: string): Promise<void> {
    const { accountId, endpointId } = this.#cursor;
    await addNoticeThrottled(tx, { accountId, endpointId, kind: "parked", text: parkedNotice(reason) });
    this.#options.core.log.warn({ accountId, endpointId }, "a webhook was parked after its last attempt");
  }
}
