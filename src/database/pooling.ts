import pg, { type ClientBase, type ClientConfig } from "pg";
import { PoolerUnsuitable } from "./failure.ts";

const PID = "select pg_backend_pid() as pid";
const ASK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 3;

/**
 * Finds out whether a connection pooler runs the statements of one connection in changing sessions, where settings,
 * `LISTEN`, prepared statements and advisory locks are lost without an error.
 */
export class PoolingCheck {
  readonly #config: ClientConfig;
  #isDone = false;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /**
   * Call it on each new connection with the pid of its session. Throws `PoolerUnsuitable`. The first connection is
   * examined; without a pooler this takes no statement.
   */
  async refuseChanging(client: ClientBase, pid: number): Promise<void> {
    if (this.#isDone || !hasPooler(client, pid)) return;
    const isChanging = await changes(client, pid, this.#config);
    if (isChanging === true) throw new PoolerUnsuitable();
    this.#isDone = isChanging === false;
  }
}

/** A pooler gives its clients cancellation keys of its own; the pid in it is made up. */
function hasPooler(client: ClientBase, pid: number): boolean {
  return (client as unknown as { readonly processID: number | null }).processID !== pid;
}

/**
 * Whether the session of this connection is another one while a second connection is in a transaction. A pooler that
 * pools transactions prefers the session that was returned last, which is that of this connection. Null: unknown,
 * because there was no second connection.
 */
async function changes(client: ClientBase, pid: number, config: ClientConfig): Promise<boolean | null> {
  const second = new pg.Client({
    ...config,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  second.on("error", () => {});
  try {
    await second.connect();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = await pidOf(client);
      await second.query("begin");
      const taken = await pidOf(second);
      const after = await pidOf(client);
      await second.query("rollback");
      if (new Set([pid, before, after]).size > 1 || taken === after) return true;
    }
    return false;
  } catch {
    return null;
  } finally {
    second.end().catch(() => {});
  }
}

async function pidOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>({ text: PID });
  return rows[0]?.pid;
}
