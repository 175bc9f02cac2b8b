import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig, type PoolClient, type PoolConfig } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { DatabaseUnavailable, endsSession, isAway } from "./failure.ts";
import { createSilenceWatch } from "./silence.ts";
import { VALUE_TYPES } from "./value-types.ts";

/** The pool, and what is known of the server behind it. */
export interface Connections {
  /** A connection for exclusive use. Waits while the server is away, then throws `DatabaseUnavailable`. */
  acquire(): Promise<PoolClient>;
  /** Gives it back; one that is not `reusable` is closed. */
  release(client: PoolClient, reusable: boolean): void;
  /** Whether this error, or an earlier one, ended the connection. */
  isLost(client: PoolClient, error: unknown): boolean;
  health(): { up: boolean; since: Date };
  usage(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

// A stopped process (SIGSTOP, a paused machine) must not hold locks for ever: the server ends its transaction.
const LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
  // Ours, for a server that no longer answers at all; longer than the server's own.
  query_timeout: 35_000,
} as const;

// Statements are planned once per connection and keep that plan while their tables grow from nothing to millions of
// rows, so the plan must be the one for large tables from the start: by index, row by row, in the order as written.
const PLANNER = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"]
  .map((setting) => `set ${setting} = off`)
  .concat("set join_collapse_limit = 1", "set plan_cache_mode = force_generic_plan")
  // Workers are worth their start for large tables alone, where our statements take little.
  .concat("set max_parallel_workers_per_gather = 0")
  .join("; ");

/** Options of every connection: how values come back, and a name that an operator recognises. */
export function clientConfig(connection: string | PoolConfig, applicationName: string): ClientConfig {
  const target = typeof connection === "string" ? { connectionString: connection } : connection;
  return {
    ...target,
    application_name: applicationName,
    types: VALUE_TYPES,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 5_000,
  };
}

export function createConnections(options: {
  config: ClientConfig;
  max: number;
  waitMs: number;
  log: Log;
}): Connections {
  const { config, log, waitMs } = options;
  const pool = new pg.Pool({
    ...config,
    ...LIMITS,
    onConnect: async (client) => void (await client.query(PLANNER)),
    max: options.max,
    pipeline: true,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 60_000,
  });
  const lost = new WeakSet<PoolClient>();
  const silence = createSilenceWatch(config, (problem) => suspect(problem));
  let health = { up: true, since: new Date() };
  let recovery: Promise<void> | undefined;
  let lastProblem: unknown;
  let closing = false;

  // Only while a client is out: the pool listens to those at home. Two listeners at a time would be a list, and with
  // lists that change at each use, an old one keeps those after it from the collector until its next full run.
  function noteLoss(this: PoolClient): void {
    lost.add(this);
  }
  pool.on("error", (error) => suspect(error));

  /** Something broke: find out whether the server is there. Meanwhile nobody else tries. */
  function suspect(problem: unknown): void {
    if (closing) return;
    lastProblem = problem;
    recovery ??= recover().finally(() => {
      recovery = undefined;
    });
  }

  async function recover(): Promise<void> {
    for (let pauseMs = 25; !closing; pauseMs = Math.min(pauseMs * 2, 250)) {
      const problem = await probe(config);
      if (problem === undefined) return setHealth(true);
      lastProblem = problem;
      setHealth(false);
      await sleep(pauseMs, undefined, { ref: false });
    }
  }

  function setHealth(up: boolean): void {
    if (health.up === up) return;
    health = { up, since: new Date() };
    if (up) log.info("PostgreSQL is back");
    else log.warn({ reason: messageOf(lastProblem) }, "PostgreSQL is away; statements wait for it");
  }

  function unavailable(): DatabaseUnavailable {
    return new DatabaseUnavailable(
      `PostgreSQL could not be reached for ${waitMs} ms: ${messageOf(lastProblem)}. Check that it runs and that DATABASE_URL is right.`,
      { cause: lastProblem },
    );
  }

  async function acquire(): Promise<PoolClient> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      if (closing)
        throw new DatabaseUnavailable("The connections to PostgreSQL are closed: the program is stopping");
      const left = deadline - performance.now();
      if (left <= 0) throw unavailable();
      if (recovery !== undefined) {
        await atMost(left, recovery);
        continue;
      }
      try {
        const client = await pool.connect();
        client.on("error", noteLoss);
        silence.begin(client);
        return client;
      } catch (error) {
        if (/^timeout exceeded/.test(messageOf(error))) throw saturated(options.max, waitMs);
        if (!isAway(error)) throw refused(error);
        suspect(error);
      }
    }
  }

  return {
    acquire,
    release(client, reusable) {
      client.removeListener("error", noteLoss);
      silence.end(client);
      client.release(!reusable || lost.has(client));
    },
    isLost(client, error) {
      const isLost = lost.has(client) || endsSession(error);
      if (isLost) suspect(error);
      return isLost;
    },
    health: () => health,
    usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      if (closing) return;
      closing = true;
      await pool.end();
      silence.stop();
    },
  };
}

/** Waits for the work, but no longer than that; leaves no timer behind. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([work, sleep(ms, undefined, { signal })]);
  timer.abort();
}

/** Opens and closes one connection; answers what went wrong. */
async function probe(config: ClientConfig): Promise<unknown> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    client.end().catch(() => {});
  }
}

function saturated(max: number, waitMs: number): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `All ${max} connections to PostgreSQL were busy for ${waitMs} ms. Raise DATABASE_POOL_MAX or look for slow statements.`,
  );
}

/** For an error while connecting to a server that is there. */
export function refused(error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `PostgreSQL refuses the connection: ${messageOf(error)}. Check user, password and database in DATABASE_URL.`,
    { cause: error },
  );
}
