import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig, type PoolClient, type PoolConfig, type QueryResult } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import type { RunningClock } from "../platform/running-clock.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import {
  DatabaseUnavailable,
  endsSession,
  isAtConnectionLimit,
  isTemporary,
  isUnavailable,
  PoolerUnsuitable,
  refusedParameter,
  SESSION_POOLING,
  unavailable,
} from "./failure.ts";
import { createLivenessCheck } from "./liveness.ts";
import { PoolingCheck } from "./pooling.ts";
import { ServerWatch } from "./server-watch.ts";
import { refuseStandby } from "./standby.ts";
import { VALUE_TYPES } from "./value-types.ts";

/** The connection pool and the known state of its server. */
export interface Connections {
  /**
   * Takes a connection for exclusive use. Waits while the server is unavailable, then throws `DatabaseUnavailable`.
   */
  acquire(): Promise<PoolClient>;
  /** Returns a connection to the pool; closes it if it is not `reusable`. */
  release(client: PoolClient, reusable: boolean): void;
  /** See `Database`. */
  onNewTimeline(handler: () => void): void;
  /** Whether this error, or an earlier one, ended the connection. */
  isLost(client: PoolClient, error: unknown): boolean;
  health(): { up: boolean; since: Date };
  usage(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

// If this process is stopped (SIGSTOP, a suspended machine), the server ends its transactions, so that their locks
// are released.
const LIMITS = [
  "statement_timeout = '30s'",
  "lock_timeout = '10s'",
  "idle_in_transaction_session_timeout = '5s'",
];
/** When the pool's time limit is over, at least this is left if the process stood still for a part of it. */
const STOOD_STILL_MS = 100;
/** For a server that does not respond at all; longer than the server's own limits. */
const QUERY_TIMEOUT_MS = 35_000;

// A statement is planned once per connection and keeps that plan while its tables grow from empty to millions of
// rows. These settings force the plan for large tables from the start: index scans and nested loops in the join order
// as written.
const PLANNER = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"]
  .map((setting) => `${setting} = off`)
  .concat("join_collapse_limit = 1", "plan_cache_mode = force_generic_plan")
  // Parallel workers pay off only for large scans, which our statements do not make.
  .concat("max_parallel_workers_per_gather = 0");

/** Not as startup parameters, which PgBouncer refuses. */
const SETTINGS = [...LIMITS, ...PLANNER].map((setting) => `set ${setting}`).join("; ");

// Before the first migration the functions do not exist. The answer is the server's timeline, '' if it is unknown, and
// the pid of the session.
const FOLLOW_TIMELINE = `do $$ begin
  if to_regprocedure('skip_lost_ids()') is null then return; end if;
  perform skip_lost_ids(), set_config('trunkline.timeline', coalesce(current_timeline(), ''), false);
end $$;
select coalesce(current_setting('trunkline.timeline', true), '') as timeline, pg_backend_pid() as pid`;

interface Session {
  readonly timeline: string;
  readonly pid: number;
}

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

interface ConnectionsOptions {
  readonly config: ClientConfig;
  readonly max: number;
  readonly waitMs: number;
  readonly clock: RunningClock;
  readonly log: Log;
}

export function createConnections(options: ConnectionsOptions): Connections {
  return new ConnectionPool(options);
}

class ConnectionPool implements Connections {
  readonly #max: number;
  readonly #waitMs: number;
  readonly #clock: RunningClock;
  readonly #pool: pg.Pool;
  readonly #limit: ConnectionLimit;
  readonly #server: ServerWatch;
  readonly #pooling: PoolingCheck;
  readonly #silence: ReturnType<typeof createLivenessCheck>;
  readonly #lost = new WeakSet<PoolClient>();
  /**
   * Attached only while a client is checked out; the pool has its own listener for idle ones. A single listener is
   * stored inline. Two would form an array that changes at each checkout, and an old array would keep later objects
   * alive until a full garbage collection.
   */
  readonly #noteLoss: (this: PoolClient) => void;
  readonly #timelineHandlers: (() => void)[] = [];
  #timeline = "";
  #isClosing = false;

  constructor({ config, max, waitMs, clock, log }: ConnectionsOptions) {
    this.#max = max;
    this.#waitMs = waitMs;
    this.#clock = clock;
    this.#server = new ServerWatch(config, log, () => this.#limit.hasConnections);
    this.#pooling = new PoolingCheck(config);
    this.#silence = createLivenessCheck(config, (problem) => this.#server.report(problem));
    const lost = this.#lost;
    this.#noteLoss = function noteLoss() {
      lost.add(this);
    };
    // While a connection is set up, `LivenessCheck` does not watch it, so its statements have their own time limits.
    const setUp = { text: `${SETTINGS}; ${FOLLOW_TIMELINE}`, query_timeout: waitMs };
    this.#pool = new pg.Pool({
      ...config,
      query_timeout: QUERY_TIMEOUT_MS,
      onConnect: async (client) => {
        await refuseStandby(client, waitMs);
        const results: unknown = await client.query(setUp);
        const session = (results as readonly QueryResult<Session>[]).at(-1)?.rows[0];
        if (session === undefined) throw new Error("PostgreSQL did not describe the session");
        await this.#pooling.refuseChanging(client, session.pid);
        this.#silence.opened(client as PoolClient, session.pid);
        this.#followTimeline(session.timeline);
      },
      max,
      pipeline: true,
      connectionTimeoutMillis: waitMs,
      // The connection that was used last is taken first, so those that a load does not need are soon closed.
      idleTimeoutMillis: 15_000,
    });
    this.#limit = new ConnectionLimit(this.#pool);
    this.#pool.on("error", (error) => this.#server.report(error));
    this.#pool.on("remove", this.#silence.closed);
  }

  onNewTimeline(handler: () => void): void {
    this.#timelineHandlers.push(handler);
  }

  #followTimeline(timeline: string): void {
    const isNew = timeline !== "" && this.#timeline !== "" && timeline !== this.#timeline;
    if (timeline !== "") this.#timeline = timeline;
    if (isNew) for (const handler of this.#timelineHandlers) handler();
  }

  async acquire(): Promise<PoolClient> {
    const deadline = this.#clock.nowMs() + this.#waitMs;
    for (;;) {
      if (this.#isClosing)
        throw new DatabaseUnavailable("The connections to PostgreSQL are closed: the program is stopping");
      const left = deadline - this.#clock.nowMs();
      if (left <= 0) throw this.#unavailable();
      const { recovery } = this.#server;
      if (recovery !== undefined) await waitAtMost(left, recovery);
      else {
        const client = await this.#connect(deadline);
        if (client !== null) return client;
      }
    }
  }

  /**
   * Null: the next attempt waits for the server, whose recovery has begun, or for one of the pool's connections, because
   * the server accepts no more, or the process stood still while it waited for one.
   */
  async #connect(deadline: number): Promise<PoolClient | null> {
    this.#limit.raise();
    try {
      const client = await this.#pool.connect();
      client.on("error", this.#noteLoss);
      this.#silence.begin(client);
      return client;
    } catch (error) {
      if (/^timeout exceeded/.test(messageOf(error))) {
        if (deadline - this.#clock.nowMs() > STOOD_STILL_MS) return null;
        throw this.#saturated();
      }
      if (!isUnavailable(error)) throw refused(error);
      if (!(isAtConnectionLimit(error) && (await this.#limit.lower(error)))) this.#server.report(error);
      return null;
    }
  }

  /** The error for a caller that waited too long for the server. */
  #unavailable(): DatabaseUnavailable {
    return this.#limit.refusal === undefined ? this.#server.unavailable(this.#waitMs) : this.#saturated();
  }

  /** The error for a caller that waited too long for a connection of the pool. */
  #saturated(): DatabaseUnavailable {
    const { refusal } = this.#limit;
    return refusal === undefined ? saturated(this.#max, this.#waitMs) : unavailable(refusal, this.#waitMs);
  }

  release(client: PoolClient, reusable: boolean): void {
    client.removeListener("error", this.#noteLoss);
    this.#silence.end(client);
    client.release(!reusable || this.#lost.has(client));
  }

  isLost(client: PoolClient, error: unknown): boolean {
    const isLost = this.#lost.has(client) || endsSession(error);
    if (isLost) this.#server.report(error);
    return isLost;
  }

  health(): { up: boolean; since: Date } {
    return this.#server.health;
  }

  usage(): { open: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#server.stop();
    await this.#pool.end();
    this.#silence.stop();
  }
}

/** Waits for `work`, at most this long; leaves no timer behind. */
async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([work, sleep(ms, undefined, { signal })]);
  timer.abort();
}

function saturated(max: number, waitMs: number): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `All ${max} connections to PostgreSQL were busy for ${waitMs} ms. Raise DATABASE_POOL_MAX or look for slow statements.`,
  );
}

/** The error for a connection that the server refused. */
export function refused(error: unknown): DatabaseUnavailable {
  if (error instanceof PoolerUnsuitable) return new DatabaseUnavailable(error.message, { cause: error });
  const parameter = refusedParameter(error);
  if (parameter !== undefined)
    return new DatabaseUnavailable(
      `The connection pooler refuses the parameter "${parameter}" of DATABASE_URL. Remove it there, or name it in ignore_startup_parameters of PgBouncer, which then ignores it. ${SESSION_POOLING}`,
      { cause: error },
    );
  const advice = isTemporary(error) ? "" : ". Check user, password and database in DATABASE_URL.";
  return new DatabaseUnavailable(`PostgreSQL refuses the connection: ${messageOf(error)}${advice}`, {
    cause: error,
  });
}
