import { leadUpkeep, resignUpkeep } from "../../core/node/upkeep-leader.ts";
import type { Database } from "../../database/database.ts";
import { alignedInterval } from "../../platform/aligned-interval.ts";
import type { Log } from "../../platform/log.ts";
import { isHeldBy, type Lease } from "../lease.ts";

const ASK_EVERY_MS = 1_000;

export interface LeaderOptions {
  readonly db: Database;
  readonly log: Log;
  readonly lease: () => Lease;
  /** The leader with a valid lease, as read a moment ago; null, the default: none, or not known. */
  readonly knownLeader?: () => string | null;
  /** Another node leads from now on, or may. */
  onLost(): void;
}

/**
 * Whether this node runs the upkeep for all nodes. The leader is the node in the table as long as its own lease is
 * valid; after that, the first to ask. Two nodes may run the same step while one of them has just lost its lease, so
 * steps must be safe to run concurrently. A single leader only saves their cost.
 */
export class Leader {
  readonly #options: LeaderOptions;
  #stopTimer: () => void = () => undefined;
  #asking: Promise<void> | null = null;
  /** The node id under which this node leads. */
  #leadsAs: string | null = null;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  start(): void {
    void this.ask();
    this.#stopTimer = alignedInterval(() => void this.ask(), ASK_EVERY_MS);
  }

  /** False as soon as this node's lease is lost, whatever the database last returned. */
  leads(): boolean {
    return this.#leadsAs !== null && isHeldBy(this.#options.lease(), this.#leadsAs);
  }

  /** Resigns, so that another node can lead at once. */
  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#asking;
    const id = this.#leadsAs;
    this.#leadsAs = null;
    if (id === null) return;
    await resignUpkeep(this.#options.db, id).catch((error: unknown) => {
      this.#options.log.debug(
        { err: error },
        "the upkeep could not be given up; it passes on with the lease",
      );
    });
  }

  /** Runs every second. Never throws: while the database is unavailable, the last result holds. */
  ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<void> {
    const { db, lease, log, knownLeader } = this.#options;
    const { nodeId } = lease();
    if (!lease().isValid()) return;
    const known = knownLeader?.() ?? null;
    if (known !== null) return this.#become(known === nodeId ? nodeId : null);
    try {
      this.#become((await leadUpkeep(db, nodeId)) ? nodeId : null);
    } catch (error) {
      log.debug({ err: error }, "it is not known which node runs the upkeep");
    }
  }

  #become(leadsAs: string | null): void {
    if (leadsAs === this.#leadsAs) return;
    const { log, onLost } = this.#options;
    if (leadsAs === null) {
      log.info("another node runs the upkeep");
      onLost();
    } else log.info({ nodeId: leadsAs }, "this node runs the upkeep");
    this.#leadsAs = leadsAs;
  }
}
