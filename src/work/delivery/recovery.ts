import type { Cursor } from "../../core/delivery/cursor/cursors.ts";
import type { QueuedEvent } from "../../core/delivery/cursor/events.ts";
import type { Fix } from "../../core/delivery/cursor/read.ts";
import { isReproducible } from "../../core/delivery/request/batch.ts";
import {
  type Answer,
  afterRefusal,
  pause,
  type Schedule,
  type Situation,
  type Verdict,
} from "../../core/delivery/request/policy.ts";

/**
 * How many events may have been sent alone and acknowledged within the time for which PostgreSQL does not flush its log
 * (three times `wal_writer_delay`, 0.6 s).
 */
const MAX_UNFLUSHED = 50;

type Claimed = Pick<
  Cursor,
  "lane" | "batchTo" | "batchLimit" | "attempts" | "firstFailedAt" | "failing" | "concurrency" | "loggedTo"
>;

/**
 * Decides how the events of a claim are divided into requests: how many the next one has, what of it must be stored so that
 * a repetition after a crash sends the same one, and what follows a failure. It knows nothing of databases and clocks.
 */
export class Recovery {
  readonly #claimed: Claimed;
  readonly #maxItems: number;
  #batchTo: number | null;
  #limit: number;
  /** The limit that a node would start with after a crash. 0: unknown. */
  #storedLimit: number;
  #attempts: number;
  #firstFailedAt: Date | null;
  #failing: boolean;
  #concurrency: number;
  #hasFailed = false;

  constructor(claimed: Claimed, maxItems: number) {
    this.#claimed = claimed;
    this.#maxItems = maxItems;
    this.#batchTo = claimed.batchTo;
    this.#limit = Math.min(claimed.batchLimit, maxItems);
    this.#storedLimit = this.#limit;
    this.#attempts = claimed.attempts;
    this.#firstFailedAt = claimed.firstFailedAt;
    this.#failing = claimed.failing;
    this.#concurrency = claimed.attempts === 0 && claimed.lane === "events" ? claimed.concurrency : 1;
  }

  /** The stored end of the batch under way; null: none is stored. */
  get batchTo(): number | null {
    return this.#batchTo;
  }

  /** Limit of the events of the next request. */
  get limit(): number {
    return this.#limit;
  }

  /** Failed attempts of the events that wait first. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Concurrent requests. One after a failure, until the next claim. */
  get concurrency(): number {
    return this.#concurrency;
  }

  /** A request has failed: the claim ends soon, because its requests are sent one at a time. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** What the next read of all waiting events may store; null: nothing. A repetition of a single event needs no end. */
  fix(): Fix | null {
    if (this.#batchTo !== null || !this.#sendsAlone()) return null;
    return { fewest: this.#storedLimit === 1 ? 2 : 1, batchLimit: this.#limit };
  }

  /** The read stored this end, with the limit. */
  fixed(to: number): void {
    this.#batchTo = to;
    this.#storedLimit = this.#limit;
  }

  /** No batch is stored any more: it has ended, or other events wait first now. */
  endBatch(): void {
    this.#batchTo = null;
  }

  /** The limit of the next request, with these events ahead. */
  limitFor(queue: readonly QueuedEvent[]): number {
    const isRepeated = this.#batchTo !== null && this.#batchTo === this.#claimed.batchTo;
    if (!isRepeated && this.#wentAlone(queue)) this.#limit = 1;
    return this.#limit;
  }

  /**
   * Whether the end of the next round must be stored before it is sent. If more events are known to follow, or an end is
   * stored already, the stored limit alone yields the same batch from the beginning of the queue whenever it is read.
   */
  needsMark(size: number, waiting: number): boolean {
    const limits = { limit: this.#limit, storedLimit: this.#storedLimit, hasEnd: this.#batchTo !== null };
    return !this.#sendsAlone() || !isReproducible({ size, waiting, ...limits });
  }

  marked(): void {
    this.#storedLimit = this.#limit;
  }

  /**
   * The whole round was accepted. Returns the limit to store with the acknowledgement: one if no more events wait, because
   * the next event will probably come alone.
   */
  accepted(ahead: readonly QueuedEvent[], isDrained: boolean): number {
    this.recovered(this.#wentAlone(ahead) ? 1 : Math.min(this.#maxItems, this.#limit * 2));
    this.#storedLimit = isDrained && this.#sendsAlone() ? 1 : this.#limit;
    return this.#storedLimit;
  }

  /** The series of failures is over. `limit`: of the next request; default: as before. */
  recovered(limit = this.#limit): void {
    this.#batchTo = null;
    this.#limit = limit;
    this.#attempts = 0;
    this.#firstFailedAt = null;
  }

  /** The next request repeats the refused item alone. */
  repeatAlone(): void {
    this.#limit = 1;
  }

  /** Other chats may be sent in full batches again. */
  diverted(): void {
    this.recovered(this.#maxItems);
  }

  /** The receiver accepts requests: true if it did not before. */
  works(): boolean {
    const failed = this.#failing;
    this.#failing = false;
    return failed;
  }

  /** A batch was not accepted. `now`, `random`: 0 to 1, spreads repetitions. */
  failed(answer: Answer, batchSize: number, { schedule, now, random }: Failing): Verdict {
    this.#concurrency = 1;
    this.#hasFailed = true;
    this.#storedLimit = 0;
    const verdict = afterRefusal(answer, this.#situation(batchSize, now), schedule, random);
    if (verdict.kind === "singly") {
      this.#batchTo = null;
      this.#limit = 1;
    }
    return verdict;
  }

  /** How long the cursor rests after a refused item. */
  pauseAfter(answer: Answer, { schedule, now, random }: Failing): ReturnType<typeof pause> {
    return pause(answer, this.#situation(1, now), schedule, random);
  }

  /** The schedule of the refused item has ended. */
  isOver({ schedule, now }: Failing): boolean {
    return this.#situation(1, now).failingMs >= schedule.lifetimeMs;
  }

  #situation(batchSize: number, now: Date): Situation {
    const since = this.#firstFailedAt;
    return {
      batchSize,
      attempts: this.#attempts,
      failingMs: since === null ? 0 : now.getTime() - since.getTime(),
      isolated: false,
      receiverFailing: this.#failing,
    };
  }

  /** At most one request at a time. */
  #sendsAlone(): boolean {
    return this.#claimed.concurrency === 1 || this.#claimed.lane !== "events";
  }

  /**
   * Whether the next event may have been sent alone before the claim. If PostgreSQL crashed, it may have lost the
   * acknowledgements of such events behind the batch that the cursor shows; all other batches have a stored end, whose
   * commit flushes what came before. Sent alone again, they keep their `webhook-id`.
   */
  #wentAlone(queue: readonly QueuedEvent[]): boolean {
    const { batchLimit, batchTo, attempts, loggedTo } = this.#claimed;
    const showsBatch = batchLimit === 1 || batchTo !== null;
    if (!showsBatch || attempts > 0 || !this.#sendsAlone()) return false;
    const doubtful = queue.filter(({ id }) => id <= loggedTo).length;
    return doubtful > 0 && doubtful <= MAX_UNFLUSHED;
  }
}

/** What the answer to a failure depends on besides the claim. */
export interface Failing {
  readonly schedule: Schedule;
  readonly now: Date;
  readonly random: number;
}
