import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../core/core.ts";
import { claimWebhookLanes, releaseStrayWebhookLanes, type WebhookLane } from "../core/webhook/lanes.ts";
import type { Schedule } from "../core/webhook/policy.ts";
import { fullAccounts } from "./full-accounts.ts";
import { LaneRun } from "./lane-run.ts";
import type { Lease } from "./lease.ts";
import { Pump } from "./pump.ts";

const STRAYS_EVERY_MS = 2_000;
const MAX_LANES = 1_000;
/** An account that works on so much of them gets no more: receivers that hang must not take all. */
const SHARE_OF_ACCOUNT = 0.1;
/** What all queues of an account have read at a time, as far as each has room for a whole request. */
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
  /** Queues that this node works on at a time, default 1,000. */
  readonly maxLanes?: number;
  onPost?(result: "ok" | "refused" | "failed", items: number, durationMs: number): void;
}

/**
 * Delivers events: one request at a time to each receiver (or some, by its setting), many items in each, in order. A refused item is found by
 * halving its batch and set apart with its chat; everything else goes on.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #core: Core;
  readonly #running = new Map<Promise<void>, WebhookLane>();
  readonly #pump: Pump;
  readonly #maxLanes: number;
  readonly #share: number;
  /** When lanes that are claimed for us without our knowledge were last looked for. */
  #straysAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#maxLanes = options.maxLanes ?? MAX_LANES;
    this.#share = Math.max(1, Math.floor(this.#maxLanes * SHARE_OF_ACCOUNT));
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
    this.#pump.start();
  }

  /** Takes nothing new and resolves when the requests under way have ended. */
  async stop(): Promise<void> {
    await this.#pump.stop();
    while (this.#running.size > 0) await Promise.allSettled(this.#running.keys());
  }

  /** Looks for due queues now; calls during a look make it look once more. */
  pump(): void {
    this.#pump.now();
  }

  async #look(): Promise<boolean> {
    const limit = Math.min(this.#share, this.#maxLanes - this.#running.size);
    if (limit <= 0 || !this.#options.lease().isValid()) return false;
    const { nodeId } = this.#options.lease();
    await this.#releaseStrays(nodeId);
    const lanes = await claimWebhookLanes(this.#core.db, nodeId, {
      limit,
      maxItems: this.#options.maxItems,
      without: this.#sated(),
    });
    for (const lane of lanes) this.#run(lane);
    return lanes.length === limit;
  }

  /** Accounts that have their share. */
  #sated(): number[] {
    return this.#running.size < this.#share ? [] : fullAccounts(this.#running.values(), this.#share);
  }

  async #releaseStrays(nodeId: string): Promise<void> {
    const now = this.#core.clock.monotonicMs();
    if (now - this.#straysAt < STRAYS_EVERY_MS) return;
    const inHand = [...this.#running.values()].map(({ id }) => id);
    await releaseStrayWebhookLanes(this.#core.db, nodeId, inHand);
    this.#straysAt = now;
  }

  #run(lane: WebhookLane): void {
    const { accountId } = lane;
    const share = (): number => {
      const lanes = [...this.#running.values()].filter((other) => other.accountId === accountId);
      return BYTES_OF_ACCOUNT / Math.max(1, lanes.length);
    };
    const running = new LaneRun(this.#options, lane, { isStopping: () => this.#pump.isStopping, share })
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
      .finally(() => {
        // Others of the account may have waited for it.
        if (this.#sated().includes(lane.accountId)) this.pump();
        this.#running.delete(running);
      });
    this.#running.set(running, lane);
  }
}
