import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../core/core.ts";
import type { EmbeddedServer } from "../database/embedded.ts";
import type { MetricsServer } from "../http/metrics-server.ts";
import type { Log } from "../platform/log.ts";
import type { Databases } from "./databases.ts";
import type { HttpListener } from "./listeners.ts";
import type { SandboxProcess } from "./sandbox-process.ts";
import type { Traces } from "./tracing/open-traces.ts";
import type { Workers } from "./workers.ts";

/** Pending work gets this long to finish; then everything that does not depend on it is stopped. */
const FINISH_PATIENCE_MS = 8_000;
const STOP_PATIENCE_MS = 10_000;
const CLOSE_PATIENCE_MS = 2_000;

/** Everything that runs. */
export interface Parts {
  readonly workers: Workers;
  readonly http: HttpListener;
  readonly metricsServer: MetricsServer | null;
  readonly core: Core;
  readonly traces: Traces | null;
  readonly databases: Databases;
  readonly embedded: EmbeddedServer | null;
  readonly sandbox: SandboxProcess | null;
}

/**
 * Stops the service in order: no new work, and the end of pending work; then what it left in queues is stored, and
 * only then are the node's channels and its lease released; last, connections and servers. A step that takes too long
 * is logged and left behind. Never throws for parts that do not end.
 */
export async function stopInOrder(log: Log, parts: Parts): Promise<void> {
  log.info("stopping: finishing what is in flight");
  const began = performance.now();
  const left = (): number => Math.max(0, began + STOP_PATIENCE_MS - performance.now());
  if (!(await endsWithin(FINISH_PATIENCE_MS, finishWork(parts))))
    log.warn("stopping without what does not end");
  // Without a lease, a contract of a later release may take away what the statements of the queues need.
  const released = storeQueues(parts).then(() => parts.workers.release());
  if (!(await endsWithin(left(), [released]))) log.warn("stopping without storing everything");
  await endsWithin(Math.min(left(), CLOSE_PATIENCE_MS), [closeConnections(parts), closeTraces(parts)]);
  await stopServers(log, parts);
  log.info("stopped");
}

/** Requests, and what runs beside them. */
function finishWork({ http, workers }: Parts): Promise<void>[] {
  return [http.close(), workers.finish()];
}

async function storeQueues({ core }: Parts): Promise<void> {
  await Promise.allSettled([
    core.accept.close(),
    core.reports.close(),
    core.live.close(),
    core.channelLog.close(),
    core.unknownReports.close().finally(() => core.deadLetters.close()),
  ]);
}

/** Sends the last spans. */
async function closeTraces({ traces }: Parts): Promise<void> {
  await traces?.close();
}

async function closeConnections({ core, databases: { db, leaseDb } }: Parts): Promise<void> {
  core.moves.close();
  await core.signals.close();
  await Promise.all([core.directory?.close(), db.close(), leaseDb.close()]);
}

async function stopServers(log: Log, { metricsServer, embedded, sandbox }: Parts): Promise<void> {
  await metricsServer?.close();
  await embedded
    ?.stop()
    .catch((error: unknown) =>
      log.error({ err: error }, "the embedded PostgreSQL could not be left in order"),
    );
  await sandbox?.stop();
}

/** Whether all of it ended in time, with or without errors. */
async function endsWithin(ms: number, work: readonly PromiseLike<unknown>[]): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([Promise.allSettled(work).then(() => true), late]);
  timer.abort();
  return inTime;
}
