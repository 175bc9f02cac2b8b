import type { NetConnectOpts } from "node:net";
import type { PoolConfig } from "pg";
import { retryUntilStored } from "../src/core/retry.ts";
import { openDatabase } from "../src/database/database.ts";
import { createLog } from "../src/platform/log.ts";
import type { Random } from "./random.ts";
import type { Disturbance } from "./trouble/contract.ts";

/** Access to the database, not through the nodes. */
export interface Access {
  /** Repeats the statement until it succeeds: trouble may be ending PostgreSQL at this moment. It must only read. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Pids of the processes that serve the nodes. */
  backends(): Promise<number[]>;
  /** Pids of all its processes except the main one and those that serve this program. */
  processes(): Promise<number[]>;
}

/** The PostgreSQL of the installation. */
export interface Postgres extends Access {
  /** Where it accepts connections. */
  readonly address: NetConnectOpts;
  /** Its connection string through a proxy at this port. */
  urlAt(port: number): string;
  /** Troubles that only this kind of installation has; chosen among the others. */
  readonly troubles: readonly Disturbance[];
  /** Of a cluster with standbys. They happen one after another, beside the troubles. */
  readonly faults: Faults | null;
  /** Kills it without waiting. */
  kill(): void;
  stop(): Promise<void>;
}

export interface Faults {
  next(random: Random): Disturbance;
  readonly names: readonly string[];
  /** How often a primary began a new timeline: another one took over, or the same one after it was a standby. */
  newTimelines(): number;
  /** Whether a primary may lack commits of the one before. */
  readonly mayLose: boolean;
}

/** `close` ends its connections. */
export function accessTo(connection: string | PoolConfig): Access & { close(): Promise<void> } {
  const log = createLog({ level: "silent", pretty: false });
  const db = openDatabase({ connection, max: 3, log, applicationName: "soak" });
  const query: Access["query"] = (text, values) =>
    retryUntilStored(
      () => db.query(text, values),
      () => false,
    );
  const pidsOf = async (which: string): Promise<number[]> => {
    const rows = await query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name <> 'soak' and ${which}`,
    );
    return rows.map(({ pid }) => pid);
  };
  return {
    query,
    backends: () => pidsOf("backend_type = 'client backend'"),
    processes: () => pidsOf("true"),
    close: () => db.close(),
  };
}
