import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg, { type ClientConfig, type PoolClient } from "pg";
import { sqlState } from "./failure.ts";

/**
 * Finds connections on which nothing comes any more although the server owes an answer: its machine is frozen, or the
 * way there swallows everything without ending anything. TCP alone would notice after many minutes.
 */
export interface SilenceWatch {
  /** A statement is about to be sent on this connection. */
  begin(client: PoolClient): void;
  end(client: PoolClient): void;
  stop(): void;
}

const CHECK_EVERY_MS = 500;
/** So long nothing may be heard before the server is asked what became of the connection. */
const SILENT_MS = 3_000;
const ASK_PATIENCE_MS = 2_000;

/** Of the given sessions those that are at work. */
const AT_WORK = "select pid from pg_stat_activity where pid = any($1) and state = 'active'";

/**
 * Silent connections are broken, as if the network had ended them, unless the server says over a new one that their
 * statement is still at work. `onAway` is called when it does not answer that either.
 */
export function createSilenceWatch(config: ClientConfig, onAway: (problem: unknown) => void): SilenceWatch {
  const inUse = new Map<PoolClient, { bytesRead: number; at: number }>();
  let asking = false;
  const timer = setInterval(() => void check(), CHECK_EVERY_MS).unref();

  async function check(): Promise<void> {
    const silent = silentClients();
    if (asking || silent.length === 0) return;
    asking = true;
    const dead = await deadOf(silent);
    // After a stall of this process timers come first, and what has arrived is read after them.
    await nextTurn();
    asking = false;
    // What was heard from meanwhile lives: this process, not the server, may have been frozen.
    const still = new Set(silentClients());
    for (const client of dead)
      if (still.has(client)) socketOf(client).destroy(new Error("PostgreSQL owes an answer and gives none"));
  }

  async function deadOf(silent: readonly PoolClient[]): Promise<readonly PoolClient[]> {
    try {
      const atWork = await askAtWork(config, silent.map(pidOf));
      return silent.filter((client) => !atWork.has(pidOf(client)));
    } catch (problem) {
      // A refusal is an answer: the server lives, and nothing is known of these connections.
      if (sqlState(problem) !== undefined) return [];
      onAway(problem);
      return silent;
    }
  }

  function silentClients(): PoolClient[] {
    const now = performance.now();
    const silent: PoolClient[] = [];
    for (const [client, heard] of inUse) {
      const { bytesRead } = socketOf(client);
      if (bytesRead !== heard.bytesRead) inUse.set(client, { bytesRead, at: now });
      else if (now - heard.at >= SILENT_MS) silent.push(client);
    }
    return silent;
  }

  return {
    begin: (client) =>
      void inUse.set(client, { bytesRead: socketOf(client).bytesRead, at: performance.now() }),
    end: (client) => void inUse.delete(client),
    stop: () => clearInterval(timer),
  };
}

async function askAtWork(config: ClientConfig, pids: readonly number[]): Promise<Set<number>> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: ASK_PATIENCE_MS,
    query_timeout: ASK_PATIENCE_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(AT_WORK, [pids]);
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    client.end().catch(() => {});
  }
}

/** The driver's own fields, which its types leave out. */
interface Inside {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
}

function socketOf(client: PoolClient): Socket {
  return (client as unknown as Inside).connection.stream;
}

function pidOf(client: PoolClient): number {
  return (client as unknown as Inside).processID;
}
