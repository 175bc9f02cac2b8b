import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig, type PoolClient, type PoolConfig } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { DatabaseUnavailable, endsSession, isUnavailable } from "./failure.ts";
import { createLivenessCheck } from "./liveness.ts";
import { VALUE_TYPES } from "./value-types.ts";

/** The connection pool and the known state of its server. */
export interface Connections {
  /**
   * Takes a connection for exclusive use. Waits while the server is unavailable, then throws `DatabaseUnavailable`.
   */
  acquire(): Promise<PoolClient>;
  /** Returns a connection to the pool; closes it if it is not `reusable`. */
  release(client: PoolClient, reusable: boolean): void;
  /** Whether this error, or an earlier one, ended the connection. */
  isLost(client: PoolClient, error: unknown): boolean;
  health(): { up: boolean; since: Date };
  usage(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

// If this process is stopped (SIGSTOP, a suspended machine), the server ends its transactions, so that their locks
// are released.
const LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
  // Client-side limit for a server that does not respond at all; longer than the server's own limits.
  query_timeout: 35_000,
} as const;

// A statement is planned once per connection and keeps that plan while its tables grow from empty to millions of
// rows. These settings force the plan for large tables from the start: index scans and nested loops in the join order
// as written.
const PLANNER = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"]
  .map((setting) => `set ${setting} = off`)
  .concat("set join_collapse_limit = 1", "set plan_cache_mode = force_generic_plan")
  // Parallel workers pay off only for large scans, which our statements do not make.
  .concat("set max_parallel_workers_per_gather = 0")
  .join("; ");

/** The options of every connection: result types, and an application name that an operator can recognise. */
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
  // While a connection is set up its silence is not watched, so the statement has a limit of its own.
  const setUp = { text: PLANNER, query_timeout: waitMs };
  const pool = new pg.Pool({
    ...config,
    ...LIMITS,
    onConnect: async (client) => void (await client.query(setUp)),
    max: options.max,
    pipeline: true,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 60_000,
  });
  const lost = new WeakSet<PoolClient>();
  const silence = createLivenessCheck(config, (problem) => reportProblem(problem));
  let health = { up: true, since: new Date() };
  let recovery: Promise<void> | undefined;
  let lastProblem: unknown;
  let closing = false;

  // Attached only while a client is checked out; the pool has its own listener for idle ones. A single listener is
  // stored inline. Two would form an array that changes at each checkout, and an old array would keep later objects
  // alive until a full garbage collection.
  function noteLoss(this: PoolClient): void {
    lost.add(this);
  }
  pool.on("error", (error) => reportProblem(error));
  pool.on("connect", silence.opened);
  pool.on("remove", silence.closed);

  /** Called after an error: checks whether the server is reachable. Meanwhile all other callers wait. */
  function reportProblem(problem: unknown): void {
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
    if (up) log.info("PostgreSQL is available again");
    else log.warn({ reason: messageOf(lastProblem) }, "PostgreSQL is unavailable; statements are waiting");
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
        await waitAtMost(left, recovery);
        continue;
      }
      try {
        const client = await pool.connect();
        client.on("error", noteLoss);
        silence.begin(client);
        return client;
      } catch (error) {
        if (/^timeout exceeded/.test(messageOf(error))) throw saturated(options.max, waitMs);
        if (!isUnavailable(error)) throw refused(error);
        reportProblem(error);
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
      if (isLost) reportProblem(error);
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

/** Waits for `work`, at most this long; leaves no timer behind. */
async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([work, sleep(ms, undefined, { signal })]);
  timer.abort();
}

/** Opens and closes one connection; returns the error, if any. */
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

/** The error for a connection that the server refused. */
export function refused(error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `PostgreSQL refuses the connection: ${messageOf(error)}. Check user, password and database in DATABASE_URL.`,
    { cause: error },
  );
}
