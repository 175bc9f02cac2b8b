import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { type DatabaseUnavailable, isAtConnectionLimit, unavailable } from "./failure.ts";
import { refuseStandby } from "./standby.ts";

const PROBE_TIMEOUT_MS = 2_000;

/** Whether the server is available, that is, responds and is not a standby. After a reported problem it is probed. */
export class ServerWatch {
  readonly #config: ClientConfig;
  readonly #log: Log;
  readonly #hasConnections: () => boolean;
  #health = { up: true, since: new Date() };
  #recovery: Promise<void> | undefined;
  #lastProblem: unknown;
  #isStopped = false;

  /** `hasConnections`: whether the pool has connections that it can use if the server accepts no more. */
  constructor(config: ClientConfig, log: Log, hasConnections: () => boolean) {
    this.#config = config;
    this.#log = log;
    this.#hasConnections = hasConnections;
  }

  get health(): { up: boolean; since: Date } {
    return this.#health;
  }

  /** Resolves when the server is available; undefined while there is no reason to wait. Never rejects. */
  get recovery(): Promise<void> | undefined {
    return this.#recovery;
  }

  /** Called after an error: checks whether the server is available. Meanwhile all other callers wait. */
  report(problem: unknown): void {
    if (this.#isStopped) return;
    this.#lastProblem = problem;
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined;
    });
  }

  /** The error for a caller that waited this long. */
  unavailable(waitMs: number): DatabaseUnavailable {
    return unavailable(this.#lastProblem, waitMs);
  }

  /** Probes no more. */
  stop(): void {
    this.#isStopped = true;
  }

  async #recover(): Promise<void> {
    for (let pauseMs = 25; !this.#isStopped; pauseMs = Math.min(pauseMs * 2, 250)) {
      const problem = await probe(this.#config);
      const isUsable = problem === undefined || (isAtConnectionLimit(problem) && this.#hasConnections());
      if (isUsable) return this.#setHealth(true);
      this.#lastProblem = problem;
      this.#setHealth(false);
      await sleep(pauseMs, undefined, { ref: false });
    }
  }

  #setHealth(up: boolean): void {
    if (this.#health.up === up) return;
    this.#health = { up, since: new Date() };
    if (up) this.#log.info("PostgreSQL is available again");
    else
      this.#log.warn(
        { reason: messageOf(this.#lastProblem) },
        "PostgreSQL is unavailable; statements are waiting",
      );
  }
}

/** Opens and closes one connection; returns the error, if any. */
async function probe(config: ClientConfig): Promise<unknown> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    await refuseStandby(client, PROBE_TIMEOUT_MS);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    client.end().catch(() => {});
  }
}
