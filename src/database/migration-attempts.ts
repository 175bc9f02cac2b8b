import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../platform/log.ts";
import type { Queryable } from "./database.ts";
import { isConflict, sqlState } from "./failure.ts";

/** How a migration waits for locks that others hold; durations in ms. */
export interface Patience {
  /**
   * A statement waits so long for a lock. Meanwhile everybody who needs the table waits behind it. Longer than
   * PostgreSQL's `deadlock_timeout` (1 s unless set), after which an autovacuum in the way is cancelled.
   */
  readonly lockTimeoutMs: number;
  /** Between two attempts the others go on. */
  readonly pauseMs: number;
  /** No attempt begins later than this after the first. */
  readonly giveUpAfterMs: number;
}

export const PATIENCE: Patience = { lockTimeoutMs: 2_000, pauseMs: 5_000, giveUpAfterMs: 120_000 };

/** A migration did not get a lock; nothing of it was applied. */
export class MigrationBlockedError extends Error {
  override readonly name = "MigrationBlockedError";
  constructor(migration: string, blockers: readonly string[]) {
    super(
      `The migration ${migration} did not get a lock that it needs, and was not applied. ${whoBlocks(blockers)} ` +
        "Let it end, or end it with pg_terminate_backend(pid), and start again.",
    );
  }
}

// Not the statements of others: they may contain what a log must not.
const BLOCKERS = `select a.pid, a.application_name as program, a.usename as user, a.state,
    round(extract(epoch from now() - a.xact_start)) as seconds
  from unnest(pg_blocking_pids($1)) as b (pid) join pg_stat_activity a on a.pid = b.pid`;

interface Blocker {
  readonly pid: number;
  readonly program: string;
  readonly user: string | null;
  readonly state: string | null;
  readonly seconds: number | null;
}

/**
 * Runs one attempt after the other until one gets its locks. Throws `MigrationBlockedError` when time is up, and any
 * other error of an attempt as it is. `attempt` runs on the session with this pid and has to roll back what it did.
 */
export async function attemptUntilUnlocked(
  attempt: () => Promise<void>,
  of: {
    readonly migration: string;
    readonly pid: number;
    /** Another connection, which looks at who is in the way. */
    readonly observer: Queryable;
    readonly patience: Patience;
    readonly log: Log | undefined;
  },
): Promise<void> {
  const { migration, patience, log } = of;
  const deadline = performance.now() + patience.giveUpAfterMs;
  for (;;) {
    const watch = watchBlockers(of.observer, of.pid, patience.lockTimeoutMs / 4);
    try {
      return await attempt();
    } catch (error) {
      const blockers = await watch.stop();
      if (!isLocked(error)) throw error;
      if (performance.now() + patience.pauseMs > deadline)
        throw new MigrationBlockedError(migration, blockers);
      log?.warn({ migration, blockers }, "a migration waits for a lock that others hold; it is tried again");
    } finally {
      await watch.stop();
    }
    await sleep(patience.pauseMs);
  }
}

/** The lock was not free in time, or two programs waited for each other. */
export function isLocked(error: unknown): boolean {
  return sqlState(error) === "55P03" || isConflict(error);
}

/** Looks again and again who blocks the session; `stop` answers whom it saw last. */
function watchBlockers(db: Queryable, pid: number, everyMs: number): { stop(): Promise<readonly string[]> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  let seen: readonly string[] = [];
  async function look(): Promise<void> {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const rows = await db.query<Blocker>(BLOCKERS, [pid]).catch(() => []);
      if (rows.length > 0) seen = rows.map(described);
    }
  }
  const looking = look();
  return {
    async stop() {
      stopped.abort();
      await looking;
      return seen;
    },
  };
}

function described({ pid, program, user, state, seconds }: Blocker): string {
  const age = seconds === null ? "" : `, in a transaction for ${seconds} s`;
  return `"${program}" of ${user ?? "PostgreSQL"} (pid ${pid}, ${state ?? "at work"}${age})`;
}

function whoBlocks(blockers: readonly string[]): string {
  return blockers.length === 0 ? "It is not known who holds it." : `It is held by ${blockers.join(", ")}.`;
}
