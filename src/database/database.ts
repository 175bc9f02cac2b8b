import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientBase, type PoolConfig, type QueryConfig, type QueryResult } from "pg";
import type { Log } from "../platform/log.ts";
import { messageOf } from "../platform/message-of.ts";
import { type Connections, clientConfig, createConnections, refused } from "./connections.ts";
import { copyOut } from "./copy.ts";
import {
  ConnectionLost,
  DatabaseUnavailable,
  isAway,
  isConflict,
  isDuplicate,
  isStaleSession,
} from "./failure.ts";
import { createListener, type NotificationHandler } from "./listener.ts";
import { createNotifier } from "./notifier.ts";
import { parameterOf } from "./value-types.ts";

export { ConnectionLost, DatabaseUnavailable, isConflict, isDataFault, isTemporary } from "./failure.ts";

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  /**
   * Runs one statement and answers its rows. Strings are not prepared, and without values may hold several
   * statements. Inside a transaction several may be issued without awaiting each: they run in order.
   */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** What runs inside of a transaction. */
export interface Transaction extends Queryable {
  /**
   * Sends COMMIT right behind the statements under way instead of waiting for their answers: locks that others wait
   * for are held for a round trip less. No query may follow; when one of those statements fails, all is rolled back.
   */
  commitNow(): void;
}

/**
 * PostgreSQL. While the server is away, `query` and `tx` wait before anything is sent, then throw
 * `DatabaseUnavailable`; a connection that breaks under way throws `ConnectionLost`: the outcome is unknown.
 */
export interface Database extends Queryable {
  /**
   * Runs work in one transaction on one connection; rolls back when it throws. Work may be run again (up to
   * three times) when it collides with another transaction, so it must do nothing but queries.
   */
  tx<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs COPY … TO STDOUT and hands on what comes, in pieces of any size that are good until the handler returns.
   * Resolves with the number of rows.
   */
  copy(text: string, onData: (data: Buffer) => void): Promise<number>;
  /** Runs work on a connection of its own without time limits: migrations, exports, session locks. */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /**
   * Calls the handler for every NOTIFY on the channel, from any node including this one; after a reconnect
   * with "", meaning that some may have been missed. Resolves once listening; returns unlisten.
   */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>;
  /** Sends a NOTIFY within a few milliseconds, equal ones once, outside any transaction. Never throws. */
  notify(channel: string, payload?: string): void;
  readonly health: () => { up: boolean; since: Date };
  /** Connections of the pool, for metrics. */
  readonly usage: () => { open: number; idle: number; waiting: number };
  /** Sends what is waiting and returns when no statement is under way. */
  close(): Promise<void>;
}

const MAX_ATTEMPTS = 4;
const known = new Map<string, string>();

/**
 * Declares a prepared statement. Names are unique in the program and at most 63 characters.
 *
 * A table that grows or empties quickly is looked up for a row `r` by `key = any(array[r.key])`, not by `key = r.key`:
 * autovacuum may have seen it with few rows, and then a plan that reads all of it once looks cheaper than an index,
 * until the next visit. With "any" there is no such plan, as no order of the table helps. Where nothing but the key is
 * asked for, its index alone may still be read whole: there `(select true … limit 1)` stands instead of "exists".
 */
export function sql(name: string, text: string): Statement {
  const other = known.get(name);
  if (other !== undefined && other !== text)
    throw new Error(`Two statements are named "${name}": rename one`);
  if (name.length > 63)
    throw new Error(`The statement's name "${name}" is longer than 63 characters: shorten it`);
  known.set(name, text);
  return { name, text };
}

/** All that were declared, by name. */
export function declaredStatements(): ReadonlyMap<string, string> {
  return known;
}

const SEND_NOTIFICATIONS = sql(
  "notify",
  "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as n (channel, payload)",
);

/** Connects lazily: returns at once, whether the server is there or not. */
export function openDatabase(options: {
  connection: string | PoolConfig;
  max?: number;
  log: Log;
  applicationName: string;
  /** How long a statement waits for a connection; default 5,000. */
  waitMs?: number;
}): Database {
  const { log, max = 10, waitMs = 5_000 } = options;
  const config = clientConfig(options.connection, options.applicationName);
  const connections = createConnections({ config, max, waitMs, log });
  const listener = createListener(config, log);
  const notifier = createNotifier(
    (channels, payloads) => runQuery(connections, SEND_NOTIFICATIONS, [channels, payloads]),
    log,
  );
  return {
    query: (statement, values) => runQuery(connections, statement, values),
    tx: (work) => runTransaction(connections, work),
    copy: (text, onData) => runCopy(connections, text, onData),
    session: (work) => runSession(new pg.Client(config), work),
    listen: listener.listen,
    notify: (channel, payload = "") => notifier.notify(channel, payload),
    health: connections.health,
    usage: connections.usage,
    async close() {
      await notifier.close();
      await Promise.all([listener.close(), connections.close()]);
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
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(connections, work);
    } catch (error) {
      const passes = isConflict(error) || isDuplicate(error) || isStaleSession(error);
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
      if (!open)
        return Promise.reject(new Error("This transaction has ended: await every query inside of it"));
      return rowsOf(client, statement, values);
    },
  };
  let reusable = false;
  try {
    // Not awaited: it travels in one packet with the first statement.
    const begun = client.query("begin");
    begun.catch(() => {});
    const result = await work(tx);
    await begun;
    const { command } = await commit();
    // COMMIT of a transaction with a failed statement rolls back without saying so.
    if (command !== "COMMIT")
      throw new Error("The transaction was rolled back: one of its statements failed unseen");
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

async function runSession<T>(client: pg.Client, work: (session: Queryable) => Promise<T>): Promise<T> {
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    if (!isAway(error)) throw refused(error);
    throw new DatabaseUnavailable(
      `PostgreSQL could not be reached: ${messageOf(error)}. Check that it runs and that DATABASE_URL is right.`,
      { cause: error },
    );
  }
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
  // Several statements in one string answer one result each.
  return Array.isArray(result) ? [] : result.rows;
}
