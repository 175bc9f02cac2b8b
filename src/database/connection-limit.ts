import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";

/** How long the pool opens no more connections after the server has refused one. */
const KEEP_MS = 5_000;
/** The pause before the next attempt, in which connections that the server has just accepted are set up. */
const PAUSE_MS = 50;

/**
 * Adapts the size of a pool to the connections that the server grants it. They may be fewer than its maximum, because
 * other programs have the rest, and their number changes.
 */
export class ConnectionLimit {
  readonly #pool: Pool;
  readonly #max: number;
  readonly #open = new Set<PoolClient>();
  #refusal: unknown;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#max = pool.options.max;
    pool.on("connect", (client) => this.#open.add(client));
    pool.on("remove", (client) => this.#open.delete(client));
  }

  get hasConnections(): boolean {
    return this.#open.size > 0;
  }

  /** Why the pool is smaller than its maximum; undefined if it is not. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /**
   * Called when the server refused a connection because of its limit: from now on callers wait for one of the pool's
   * own. Resolves with whether the pool has any.
   */
  async lower(refusal: unknown): Promise<boolean> {
    await sleep(PAUSE_MS);
    if (!this.hasConnections) return false;
    // A connection that is being closed is still open, but not in the pool.
    this.#pool.options.max = Math.max(1, Math.min(this.#open.size, this.#pool.totalCount));
    this.#refusal = refusal;
    this.#refusedAt = performance.now();
    return true;
  }

  /** Called before a connection is taken: the pool tries to grow again after some time. */
  raise(): void {
    if (performance.now() - this.#refusedAt < KEEP_MS) return;
    this.#pool.options.max = this.#max;
    this.#refusal = undefined;
  }
}
