import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg, {
  type ClientBase,
  type ClientConfig,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
} from "pg";
import type { Log } from "../platform/log.ts";
import { Turns } from "../platform/queue/turns.ts";
import { RunningClock } from "../platform/running-clock.ts";
import { type Connections, clientConfig, createConnections, refused } from "./connections.ts";
import { copyOut } from "./copy.ts";
import {
  ConnectionLost,
  isConflict,
  isDuplicate,
  isStaleSession,
  isUnavailable,
  unavailable,
} from "./failure.ts";
import { createListener, type NotificationHandler } from "./listener.ts";
import { createNotifier } from "./notifier.ts";
import { refuseStandby } from "./standby.ts";
import { parameterOf } from "./value-types.ts";

export {
  ConnectionLost,
  DatabaseUnavailable,
  isConflict,
  isDataFault,
  isDuplicate,
  isTemporary,
  movedAccountOf,
} from "./failure.ts";

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  /**
   * Runs one statement and returns its rows. A string is not prepared, and may contain several statements if there
   * are no values. In a transaction, several queries may be issued without awaiting each; they run in order.
   */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** The queries of a transaction. */
export interface Transaction extends Queryable {
  /**
   * Sends COMMIT directly after the pending statements instead of waiting for their results, which shortens the time
   * that locks are held by one round trip. No query may follow. If a pending statement fails, everything is rolled
   * back.
   */
  commitNow(): void;
}

/**
 * A PostgreSQL database. While the server is unavailable or a standby, `query` and `tx` wait before sending anything,
 * then throw `DatabaseUnavailable`. If the connection breaks during a statement they throw `ConnectionLost`: the
 * outcome is unknown.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in a transaction; rolls back if it throws. After a conflict with another transaction, or if the process
   * stood still for so long that the server ended the transaction, `work` runs again (up to three times), so it must have
   * no side effects but queries.
   */
  tx<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * `tx` for a set of rows. Large sets take turns, by owner, so that they leave most of the server's processors to the
   * small transactions of everybody else. An owner is an account, or the name of what works for all.
   */
  bulk<T>(size: BulkSize, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs COPY … TO STDOUT and passes the data to `onData` in chunks of any size; a chunk is valid only during the
   * call. Resolves with the number of rows.
   */
  copy(text: string, onData: (data: Buffer) => void): Promise<number>;
  /** Runs `work` on a separate connection without time limits: migrations, exports, session locks. */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /**
   * Calls the handler for every NOTIFY on the channel, from any node including this one. After a reconnect it is
   * called with "", because notifications may have been lost. Resolves once listening; returns a function that stops
   * it.
   */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>;
  /**
   * Calls the handler when the server is on another timeline than before, so that commits that this process knows of
   * may be missing: an asynchronous standby was promoted, or a backup restored. It is called before a statement runs
   * there.
   */
  onNewTimeline(handler: () => void): void;
  /** Sends a NOTIFY within a few milliseconds, outside any transaction; equal ones are sent once. Never throws. */
  notify(channel: string, payload?: string): void;
  readonly health: () => { up: boolean; since: Date };
  /** The connections of the pool, for metrics. */
  readonly usage: () => { open: number; idle: number; waiting: number };
  /** Sends pending notifications and resolves when no statement is running. */
  close(): Promise<void>;
}

/** How many rows a transaction writes, about, and for whom. */
export interface BulkSize {
  readonly owner: string | number;
  readonly rows: number;
}

const MAX_ATTEMPTS = 4;
const SESSION_CHECK_TIMEOUT_MS = 5_000;
const FEW_ROWS = 32;
/** The embedded server shares the processors of this machine; a server elsewhere has at least as many, as a rule. */
const MAX_BULKS = Math.min(4, Math.max(1, availableParallelism() >> 1));
/** A transaction that takes longer waits for something, rather than computes. */
const BULK_COUNTS_FOR_MS = 1_000;
const known = new Map<string, string>();

/**
 * Declares a prepared statement. Names are unique in the program and at most 63 characters long.
 *
 * For a table that grows or shrinks quickly, join on `key = any(array[r.key])`, not on `key = r.key`. Autovacuum may
 * have analysed the table while it had few rows; until the next analysis, a plan that reads the whole table once then
 * looks cheaper than index lookups. The "any" form rules such plans out, because no sort order helps it. If only the
 * key is selected, PostgreSQL may still read the whole index; in that case use `(select true … limit 1)` instead of
 * "exists".
 */
export function sql(name: string, text: string): Statement {
  const other = known.get(name);
  if (other !== undefined && other !== text)
    throw new Error(`Two statements have the name "${name}": rename one`);
  if (name.length > 63)
    throw new Error(`The statement's name "${name}" is longer than 63 characters: shorten it`);
  known.set(name, text);
  return { name, text };
}

/** All declared statements by name. */
export function declaredStatements(): ReadonlyMap<string, string> {
  return known;
}

const SEND_NOTIFICATIONS = sql(
  "notify",
  "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as n (channel, payload)",
);

/** Connects lazily: returns immediately, even if the server is unavailable. */
export function openDatabase(options: {
  connection: string | PoolConfig;
  max?: number;
  log: Log;
  applicationName: string;
  /** How long a statement waits for a connection, in ms; default 5,000. */
  waitMs?: number;
  /** How many large transactions may run at a time. */
  maxBulks?: number;
}): Database {
  const { log, max = 10, waitMs = 5_000, maxBulks = MAX_BULKS } = options;
  const config = clientConfig(options.connection, options.applicationName);
  const clock = new RunningClock();
  const connections = createConnections({ config, max, waitMs, clock, log });
  const listener = createListener(config, log);
  const notifier = createNotifier(
    (channels, payloads) => runQuery(connections, SEND_NOTIFICATIONS, [channels, payloads]),
    log,
  );
  const turns = new Turns({
    // While the server is away, all of them wait at the same time.
    maxConcurrent: () => (connections.health().up ? maxBulks : Number.POSITIVE_INFINITY),
    countsForMs: BULK_COUNTS_FOR_MS,
  });
  const tx: Database["tx"] = (work) => runTransaction(connections, clock, work);
  return {
    query: (statement, values) => runQuery(connections, statement, values),
    tx,
    bulk: ({ owner, rows }, work) => (rows <= FEW_ROWS ? tx(work) : turns.run(owner, () => tx(work))),
    copy: (text, onData) => runCopy(connections, text, onData),
    session: async (work) => runSession(await openSession(config, clock), work),
    listen: listener.listen,
    onNewTimeline: (handler) => connections.onNewTimeline(handler),
    notify: (channel, payload = "") => notifier.notify(channel, payload),
    health: () => connections.health(),
    usage: () => connections.usage(),
    async close() {
      await notifier.close();
      await Promise.all([listener.close(), connections.close()]);
      clock.stop();
    },
  };
}

async function runQuery<Row extends object>(
  connections: Connections,
  statement: Statement | string,
  values: readonly unknown[] | undefined,
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    const client = await connections.acquire();
    try {
      const rows = await rowsOf<Row>(client, statement, values);
      connections.release(client, true);
      return rows;
    } catch (error) {
      const lost = connections.isLost(client, error);
      const stale = isStaleSession(error);
      connections.release(client, !lost && !stale);
      if (lost) throw new ConnectionLost(error, { rolledBack: false });
      if (!stale || attempt >= MAX_ATTEMPTS) throw error;
      await sleep(50 * attempt);
    }
  }
}

async function runCopy(
  connections: Connections,
  text: string,
  onData: (data: Buffer) => void,
): Promise<number> {
  const client = await connections.acquire();
  let reusable = false;
  try {
    const rows = await copyOut(client, text, onData);
    reusable = true;
    return rows;
  } catch (error) {
    if (connections.isLost(client, error)) throw new ConnectionLost(error, { rolledBack: false });
    throw error;
  } finally {
    connections.release(client, reusable);
  }
}

async function runTransaction<T>(
  connections: Connections,
  clock: RunningClock,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { stoodStillMs } = clock;
    try {
      return await tryTransaction(connections, work);
    } catch (error) {
      // The server ends a transaction whose client stands still.
      const wasEnded =
        error instanceof ConnectionLost && error.rolledBack && clock.stoodStillMs > stoodStillMs;
      const passes = isConflict(error) || isDuplicate(error) || isStaleSession(error) || wasEnded;
      if (attempt >= MAX_ATTEMPTS || !passes) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

async function tryTransaction<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await connections.acquire();
  let open = true;
  let committing: Promise<QueryResult> | undefined;
  function commit(): Promise<QueryResult> {
    open = false;
    if (committing === undefined) {
      committing = client.query("commit");
      committing.catch(() => {});
    }
    return committing;
  }
  const tx: Transaction = {
    commitNow: () => void commit(),
    query(statement, values) {
      if (!open) return Promise.reject(new Error("This transaction has ended: await every query inside it"));
      return rowsOf(client, statement, values);
    },
  };
  let reusable = false;
  try {
    // Not awaited, so that it is under way together with the first statement.
    const begun = client.query("begin");
    begun.catch(() => {});
    const result = await work(tx);
    await begun;
    const { command } = await commit();
    // COMMIT rolls back without an error if a statement of the transaction failed.
    if (command !== "COMMIT")
      throw new Error("The transaction was rolled back: one of its statements failed without being awaited");
    reusable = true;
    return result;
  } catch (error) {
    open = false;
    if (connections.isLost(client, error))
      throw new ConnectionLost(error, { rolledBack: committing === undefined });
    reusable = (await rolledBack(client)) && !isStaleSession(error);
    throw error;
  } finally {
    connections.release(client, reusable);
  }
}

async function rolledBack(client: ClientBase): Promise<boolean> {
  return client.query("rollback").then(
    () => true,
    () => false,
  );
}

/** Begins again if the process stood still meanwhile: then the time limits of the connection say nothing. */
async function openSession(config: ClientConfig, clock: RunningClock): Promise<pg.Client> {
  for (;;) {
    const { stoodStillMs } = clock;
    const client = new pg.Client(config);
    client.on("error", () => {});
    try {
      await client.connect();
      await refuseStandby(client, SESSION_CHECK_TIMEOUT_MS);
      return client;
    } catch (error) {
      client.end().catch(() => {});
      if (!isUnavailable(error)) throw refused(error);
      if (clock.stoodStillMs === stoodStillMs) throw unavailable(error);
    }
  }
}

async function runSession<T>(client: pg.Client, work: (session: Queryable) => Promise<T>): Promise<T> {
  try {
    return await work({ query: (statement, values) => rowsOf(client, statement, values) });
  } finally {
    await client.end();
  }
}

async function rowsOf<Row extends object>(
  client: ClientBase,
  statement: Statement | string,
  values: readonly unknown[] | undefined,
): Promise<Row[]> {
  const config: QueryConfig = typeof statement === "string" ? { text: statement } : { ...statement };
  if (values !== undefined) config.values = values.map(parameterOf);
  const result = await client.query<Row>(config);
  // A string with several statements returns one result per statement.
  return Array.isArray(result) ? [] : result.rows;
}
