import type { Dispatcher as HttpDispatcher } from "undici";
import type { Core } from "../core/core.ts";
import { claimWebhookLanes, releaseStrayWebhookLanes, type WebhookLane } from "../core/webhook/lanes.ts";
import type { Schedule } from "../core/webhook/policy.ts";
import { LaneRun } from "./lane-run.ts";
import type { Lease } from "./lease.ts";

const LOOK_EVERY_MS = 500;
const STRAYS_EVERY_MS = 2_000;
const MAX_LANES = 1_000;

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
