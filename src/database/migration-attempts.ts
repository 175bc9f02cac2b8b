import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../platform/log.ts";
import type { Queryable } from "./database.ts";
import { isConflict, sqlState } from "./failure.ts";

/** How a migration waits for locks of other sessions; durations in milliseconds. */
export interface RetryPolicy {
  /**
   * Lock timeout of a statement, during which all later statements on the table wait too. Longer than PostgreSQL's
   * `deadlock_timeout` (default 1 s), after which a conflicting autovacuum is cancelled.
   */
  readonly lockTimeoutMs: number;
  /** Pause between two attempts, in which other sessions can continue. */
  readonly pauseMs: number;
  /** No attempt starts later than this after the first one. */
  readonly giveUpAfterMs: number;
}

export const RETRY_POLICY: RetryPolicy = { lockTimeoutMs: 2_000, pauseMs: 5_000, giveUpAfterMs: 120_000 };

/** A migration did not get a lock, and was not applied. */
export class MigrationBlockedError extends Error {
  override readonly name = "MigrationBlockedError";
  constructor(migration: string, blockers: readonly string[]) {
    super(
      `The migration ${migration} could not get a lock, and was not applied. ${whoBlocks(blockers)} ` +
        "Wait until it ends, or end it with pg_terminate_backend(pid), then start again.",
    );
  }
}

// Without the statements of those sessions: they may contain data that must not be logged.
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
 * Runs attempts until one gets its locks. Throws `MigrationBlockedError` after the last one, and any other error of
 * an attempt unchanged. `attempt` runs on the session with this pid and must roll back what it did.
 */
export async function attemptUntilUnlocked(
  attempt: () => Promise<void>,
  of: {
    readonly migration: string;
    readonly pid: number;
    /** Another connection, which observes the blocking sessions. */
    readonly observer: Queryable;
    readonly retry: RetryPolicy;
    readonly log: Log | undefined;
  },
): Promise<void> {
  const { migration, retry, log } = of;
  const deadline = performance.now() + retry.giveUpAfterMs;
  for (;;) {
    const watch = watchBlockers(of.observer, of.pid, retry.lockTimeoutMs / 4);
    try {
      return await attempt();
    } catch (error) {
      const blockers = await watch.stop();
      if (!isLocked(error)) throw error;
      if (performance.now() + retry.pauseMs > deadline) throw new MigrationBlockedError(migration, blockers);
      log?.warn(
        { migration, blockers },
        "a migration waits for a lock of another session; it will be retried",
      );
    } finally {
      await watch.stop();
    }
    await sleep(retry.pauseMs);
  }
}

/** The lock timeout has passed, or two sessions deadlocked. */
export function isLocked(error: unknown): boolean {
  return sqlState(error) === "55P03" || isConflict(error);
}

/** Polls which sessions block this one; `stop` returns those of the last poll. */
function watchBlockers(db: Queryable, pid: number, everyMs: number): { stop(): Promise<readonly string[]> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  let seen: readonly string[] = [];
  async function readBlockers(): Promise<void> {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const rows = await db.query<Blocker>(BLOCKERS, [pid]).catch(() => []);
      if (rows.length > 0) seen = rows.map(described);
    }
  }
  const reading = readBlockers();
  return {
    async stop() {
      stopped.abort();
      await reading;
      return seen;
    },
  };
}

function described({ pid, program, user, state, seconds }: Blocker): string {
  const age = seconds === null ? "" : `, in a transaction for ${seconds} s`;
  return `"${program}" of ${user ?? "PostgreSQL"} (pid ${pid}, ${state ?? "at work"}${age})`;
}

function whoBlocks(blockers: readonly string[]): string {
  return blockers.length === 0 ? "Its holder is unknown." : `It is held by ${blockers.join(", ")}.`;
}
