import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../core/core.ts";
import { firstIdOfYesterday } from "../core/event/log-days.ts";
import { type Cursor, claimCursors, freeStrayCursors } from "../core/webhook/cursors.ts";
import type { Schedule } from "../core/webhook/policy.ts";
import { CursorRun } from "./cursor-run.ts";
import { fullAccounts } from "./full-accounts.ts";
import type { Lease } from "./lease.ts";
import { Pump } from "./pump.ts";

const STRAYS_EVERY_MS = 2_000;
/** A word may be lost with its node: so often every receiver is looked at. */
const EVERYWHERE_EVERY_MS = 1_000;
const MAX_CURSORS = 1_000;
/** An account that works on so much of them gets no more: receivers that hang must not take all. */
const SHARE_OF_ACCOUNT = 0.1;
/** What all receivers of an account have read at a time, as far as each has room for a whole request. */
const BYTES_OF_ACCOUNT = 8_000_000;

export interface DispatcherOptions {
  readonly core: Core;
  readonly lease: () => Lease;
  readonly dispatcher: HttpDispatcher;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  readonly maxItems: number;
  readonly maxBytes: number;
  /** A receiver that has taken nothing for so long is paused. */
  readonly pauseAfterMs: number;
  /** Cursors that this node works on at a time, default 1,000. */
  readonly maxCursors?: number;
  onPost?(result: "ok" | "refused" | "failed", items: number, durationMs: number): void;
}

/**
 * Delivers events: one request at a time to each receiver (or some, by its setting), many items in each, in order. A refused item is found by
 * halving its batch and set apart with its chat; everything else goes on.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, Cursor>();
  readonly #pump: Pump;
  readonly #maxCursors: number;
  readonly #share: number;
  /** Accounts where something was published, or may wait. */
  readonly #told = new Set<number>();
  #everywhereAt = Number.NEGATIVE_INFINITY;
  #off: () => void = () => undefined;
  /** When cursors that are claimed for us without our knowledge were last looked for. */
  #straysAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#maxCursors = options.maxCursors ?? MAX_CURSORS;
    this.#share = Math.max(1, Math.floor(this.#maxCursors * SHARE_OF_ACCOUNT));
    this.#pump = new Pump({
      wakes: this.#core.wakes,
      topic: "webhooks",
      look: () => this.#look(),
      onError: (error) => {
        this.#core.log.debug({ err: error }, "due webhooks could not be looked up");
        this.#straysAt = Number.NEGATIVE_INFINITY;
      },
    });
  }

  start(): void {
    this.#off = this.#core.wakes.on("webhooks", (detail) => {
      if (detail === "") this.#everywhereAt = Number.NEGATIVE_INFINITY;
      else this.#told.add(Number(detail));
    });
    this.#pump.start();
  }

  /** Takes nothing new and resolves when the requests under way have ended. */
  async stop(): Promise<void> {
    this.#off();
    await this.#pump.stop();
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** Looks at every receiver now; calls during a look make it look once more. */
  pump(): void {
    this.#everywhereAt = Number.NEGATIVE_INFINITY;
    this.#pump.now();
  }

  async #look(): Promise<boolean> {
    const limit = Math.min(this.#share, this.#maxCursors - this.#running.size);
    if (limit <= 0 || !this.#options.lease().isValid()) return false;
    const { nodeId } = this.#options.lease();
    await this.#freeStrays(nodeId);
    const now = this.#core.clock.monotonicMs();
    const everywhere = now - this.#everywhereAt >= EVERYWHERE_EVERY_MS;
    const accounts = [...this.#told];
    this.#told.clear();
    try {
      const cursors = await claimCursors(this.#core.db, nodeId, {
        limit,
        accounts,
        everywhere,
        without: this.#sated(),
        after: everywhere ? 0 : this.#recent(),
      });
      for (const cursor of cursors) this.#run(cursor);
      if (cursors.length === limit) for (const id of accounts) this.#told.add(id);
      else if (everywhere) this.#everywhereAt = now;
      return cursors.length === limit;
    } catch (error) {
      for (const id of accounts) this.#told.add(id);
      throw error;
    }
  }

  /** What was just published lies behind this event; who has to read older ones is found by a look at everybody. */
  #recent(): number {
    return firstIdOfYesterday(this.#core.clock.now());
  }

  /** Accounts that have their share. */
  #sated(): number[] {
    return this.#running.size < this.#share ? [] : fullAccounts(this.#running.values(), this.#share);
  }

  async #freeStrays(nodeId: string): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#straysAt < STRAYS_EVERY_MS) return;
    const inHand = [...this.#running.values()].map(({ id }) => id);
    await freeStrayCursors(this.#core.db, nodeId, inHand);
    this.#straysAt = now;
  }

  #run(cursor: Cursor): void {
    const { accountId } = cursor;
    const share = (): number => {
      const others = [...this.#running.values()].filter((other) => other.accountId === accountId);
      return BYTES_OF_ACCOUNT / Math.max(1, others.length);
    };
    const running = new CursorRun(this.#options, cursor, { isStopping: () => this.#pump.isStopping, share })
      .work()
      .catch((error: unknown) => {
        this.#core.log.warn(
          { err: error, endpointId: cursor.endpointId },
          "a receiver's queue stopped for now",
        );
        this.#straysAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => {
        this.#running.delete(running);
        // What was published meanwhile was looked for while it was taken; others of the account may have waited for it.
        this.#told.add(accountId);
        if (cursor.chat === null && cursor.position < this.#recent())
          this.#everywhereAt = Number.NEGATIVE_INFINITY;
        this.#pump.now();
      });
    this.#running.set(running, cursor);
  }
}
