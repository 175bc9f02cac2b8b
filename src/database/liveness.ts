import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg, { type ClientConfig, type PoolClient } from "pg";
import { alignedInterval } from "../platform/aligned-interval.ts";
import { sqlState } from "./failure.ts";

/**
 * Detects connections that receive nothing although the server owes a response: the server's machine is frozen, or
 * the network drops packets without closing the connection. TCP alone would detect this only after many minutes.
 */
export interface LivenessCheck {
  /** Call when a connection was opened, with the pid of its session, and when it was closed. */
  opened(client: PoolClient, pid: number): void;
  closed(client: PoolClient): void;
  /** Call before a statement is sent on this connection. */
  begin(client: PoolClient): void;
  end(client: PoolClient): void;
  stop(): void;
}

const CHECK_EVERY_MS = 500;
/** How long a connection may be silent before the server is queried about it. */
const MAX_SILENT_MS = 3_000;
const ASK_TIMEOUT_MS = 2_000;

/** Selects those of the given sessions that are executing a statement. */
const ACTIVE_SESSIONS = "select pid from pg_stat_activity where pid = any($1) and state = 'active'";

/**
 * Destroys silent connections as if the network had closed them, unless the server reports over a new connection that
 * their statement is still running. `onUnavailable` is called if the server does not respond to that either. Idle
 * connections of the pool are destroyed too: they are probably broken as well, and each would delay its next
 * statement by the same time.
 */
export function createLivenessCheck(
  config: ClientConfig,
  onUnavailable: (problem: unknown) => void,
): LivenessCheck {
  /** With the pid of each session. */
  const open = new Map<PoolClient, number>();
  const inUse = new Map<PoolClient, { bytesRead: number; at: number }>();
  let asking = false;
  const stopTimer = alignedInterval(() => void check(), CHECK_EVERY_MS, { ref: false });

  async function check(): Promise<void> {
    const silent = silentClients();
    if (asking || silent.length === 0) return;
    asking = true;
    const dead = await deadOf(silent);
    // After a stall of this process, timers run before pending data is read.
    await nextTurn();
    asking = false;
    // Excludes connections that received data meanwhile: this process may have been frozen, not the server.
    const still = new Set(silentClients());
    const gone = dead.filter((client) => still.has(client));
    if (gone.length === 0) return;
    const unused = [...open.keys()].filter((client) => !inUse.has(client));
    for (const client of [...gone, ...unused])
      socketOf(client).destroy(new Error("PostgreSQL did not respond"));
  }

  /** What the driver knows is the pid that a connection pooler has made up. */
  function pidOf(client: PoolClient): number {
    return open.get(client) ?? 0;
  }

  async function deadOf(silent: readonly PoolClient[]): Promise<readonly PoolClient[]> {
    try {
      const atWork = await fetchActive(config, silent.map(pidOf));
      return silent.filter((client) => !atWork.has(pidOf(client)));
    } catch (problem) {
      // A refused connection is also a response: the server is alive, but the state of these connections is unknown.
      if (sqlState(problem) !== undefined) return [];
      onUnavailable(problem);
      return silent;
    }
  }

  function silentClients(): PoolClient[] {
    const now = performance.now();
    const silent: PoolClient[] = [];
    for (const [client, seen] of inUse) {
      const { bytesRead } = socketOf(client);
      if (bytesRead !== seen.bytesRead) inUse.set(client, { bytesRead, at: now });
      else if (now - seen.at >= MAX_SILENT_MS) silent.push(client);
    }
    return silent;
  }

  return {
    opened: (client, pid) => void open.set(client, pid),
    closed: (client) => void open.delete(client),
    begin: (client) =>
      void inUse.set(client, { bytesRead: socketOf(client).bytesRead, at: performance.now() }),
    end: (client) => void inUse.delete(client),
    stop: stopTimer,
  };
}

async function fetchActive(config: ClientConfig, pids: readonly number[]): Promise<Set<number>> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(ACTIVE_SESSIONS, [pids]);
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    client.end().catch(() => {});
  }
}

/** Internal fields of the driver that its type declarations lack. */
interface DriverInternals {
  readonly connection: { readonly stream: Socket };
}

function socketOf(client: PoolClient): Socket {
  return (client as unknown as DriverInternals).connection.stream;
}
