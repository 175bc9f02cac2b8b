import { type Config, resolveSecretKeys, withListeningPort } from "../config.ts";
import { cellUrl, openCell } from "../core/cell.ts";
import type { Core } from "../core/core.ts";
import { useSink } from "../core/delivery/sink/sink.ts";
import { openSeal } from "../core/key/installation-seal.ts";
import { noticeRestore, noticeTimeline } from "../core/message/timeline.ts";
import { isNodeRunning, removeAllNodes } from "../core/node/nodes.ts";
import { PrimaryMemory } from "../core/primary-memory.ts";
import type { Database } from "../database/database.ts";
import type { EmbeddedServer } from "../database/embedded.ts";
import type { ReleaseTooOldError } from "../database/schema.ts";
import type { Log } from "../platform/log.ts";
import * as metrics from "../platform/metrics.ts";
import { createCore, settingsOf } from "./create-core.ts";
import { bringUpToDate, openDatabases, openDirectory, startDatabase } from "./databases.ts";
import { revokeDemo } from "./first-start.ts";
import { greet, phoneOf } from "./greeting.ts";
import { listenForMetrics, listenForRequests } from "./listeners.ts";
import { builtPages } from "./pages.ts";
import { checkSettings, warnOfSettings } from "./preflight.ts";
import { type SandboxProcess, sandboxAddresses, startSandboxProcess } from "./sandbox-process.ts";
import { stopInOrder } from "./shutdown.ts";
import { sinkOf } from "./sink.ts";
import { openTraces } from "./tracing/open-traces.ts";
import { startWorkers, type Workers } from "./workers.ts";

/** A running service. */
export interface Service {
  readonly url: string;
  /** Resolves when this release does not work with the schema any more: the service has to be stopped. */
  readonly tooOld: Promise<ReleaseTooOldError>;
  /** Finishes pending work within ten seconds, releases everything and resolves. Idempotent. */
  stop(): Promise<void>;
}

export interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  /** Receives text for a person at the terminal. */
  print(text: string): void;
  /** The directory of the migrations, if not that of this release. */
  readonly migrations?: string;
}

/** What ends the parts that exist so far, for a start that fails; the last one runs first. */
type Undo = (() => Promise<unknown>)[];

/** Starts the whole service. */
export async function runService(parts: ServiceParts): Promise<Service> {
  const undo: Undo = [];
  try {
    return await start(parts, undo);
  } catch (error) {
    for (const step of undo.toReversed()) await step().catch(() => undefined);
    throw error;
  }
}

async function start({ config, log, print, migrations }: ServiceParts, undo: Undo): Promise<Service> {
  await checkSettings(config);
  warnOfSettings(config, log);
  const pages = builtPages(log);
  undo.push(() => pages.stop());
  const { embedded, sandbox } = await startServers({ config, log, print }, undo);
  const databases = openDatabases(config, embedded, log);
  const { db, leaseDb } = databases;
  undo.push(
    () => db.close(),
    () => leaseDb.close(),
  );
  const schema = { version: await bringUpToDate(db, log, migrations), directory: migrations };
  await openCell(db, config.cell);
  const seal = await openSeal(db, await resolveSecretKeys(config));
  await noticeRestore({ db });
  // The directory is claimed, so all nodes registered in this database are dead.
  if (embedded !== null) await removeAllNodes(db);

  const emulators = await sandboxAddresses(sandbox?.url ?? null);
  const settings = settingsOf(config, sandbox?.url ?? null);
  const directory = openDirectory(config, log, (isAvailable) =>
    metrics.directoryUp.set({ cell: config.cell ?? "" }, isAvailable ? 1 : 0),
  );
  undo.push(async () => directory?.close());
  const traces = await openTraces(config, log);
  undo.push(async () => traces?.close());
  const messageTraces = traces?.messages ?? null;
  const core = await createCore({
    config,
    log,
    db,
    seal,
    settings,
    emulators,
    directory,
    traces: messageTraces,
  });
  undo.push(
    () => core.signals.close(),
    async () => core.moves.close(),
  );
  // Before anything is accepted here, which was certainly not sent before. A running node may remember more.
  if (!(await isNodeRunning(db, null))) await noticeTimeline(core, new PrimaryMemory());
  if (config.sink !== null) await useSink(db, sinkOf(config.sink));
  await guardDemo(core, config, sandbox);

  const running: { workers: Workers | null } = { workers: null };
  const readiness = () => readinessOf(db, running.workers);
  const http = await listenForRequests(config, {
    core,
    log,
    pages,
    readiness,
    traces: traces?.messages,
    ...(sandbox === null ? {} : { phone: phoneOf(sandbox) }),
  });
  undo.push(() => http.close());
  const metricsServer = await listenForMetrics(config, log);
  undo.push(async () => metricsServer?.close());
  settings.installationUrl = withListeningPort(config, http.port).publicUrl;
  settings.publicUrl = cellUrl(settings.installationUrl, config.cell);
  sandbox?.serviceAt(settings.installationUrl);

  const tooOld = Promise.withResolvers<ReleaseTooOldError>();
  const workers = await startWorkers({
    core,
    config,
    log,
    leaseDb,
    schema,
    traces: messageTraces,
    onTooOld: tooOld.resolve,
  });
  running.workers = workers;
  undo.push(() => workers.finish().then(() => workers.release()));

  const url = withListeningPort({ ...config, publicUrlGiven: false }, http.port).publicUrl;
  const database = embedded === null ? "DATABASE_URL" : "embedded";
  log.info({ url, roles: config.roles, database }, "Trunkline is ready");
  await greet({ core, config, log, url, sandbox, emulators, print });
  const parts = { workers, http, metricsServer, core, traces, databases, embedded, sandbox };
  return { url, tooOld: tooOld.promise, stop: once(() => stopInOrder(log, parts)) };
}

/** The embedded PostgreSQL and the sandbox, both at once. */
async function startServers(
  { config, log, print }: Omit<ServiceParts, "migrations">,
  undo: Undo,
): Promise<{ embedded: EmbeddedServer | null; sandbox: SandboxProcess | null }> {
  const starting = [
    startDatabase(config, log),
    config.sandbox ? startSandbox(config, { log, print }) : null,
  ] as const;
  // Each part is stopped once it exists, even if the other one failed.
  for (const part of starting) undo.push(async () => (await part)?.stop());
  const [embedded, sandbox] = await Promise.all(starting);
  await embedded?.claimService();
  embedded?.supervise();
  return { embedded, sandbox };
}

function startSandbox(
  config: Config,
  { log, print }: Pick<ServiceParts, "log" | "print">,
): Promise<SandboxProcess> {
  return startSandboxProcess({
    host: "127.0.0.1",
    port: config.sandboxPort,
    dataDir: config.dataDir,
    onInbox: print,
    onDeath: (reason) =>
      log.error({ reason }, "the sandbox ended: restart the service to have its messengers again"),
  });
}

/** The demo account's keys are known to others: it exists only beside a sandbox. */
async function guardDemo(core: Core, config: Config, sandbox: SandboxProcess | null): Promise<void> {
  if (sandbox === null && (await revokeDemo(core)))
    core.log.warn("the demo account was closed and its keys revoked: this start has no sandbox");
  if (sandbox !== null && (!config.loopback || config.production))
    core.log.warn(
      { host: config.host, publicUrl: config.publicUrl },
      "SANDBOX=1 on a service that others can reach: its messengers are emulated and the demo keys open an account",
    );
}

function readinessOf(
  db: Database,
  workers: Workers | null,
): { ready: boolean; checks: Record<string, boolean> } {
  const checks = { database: db.health().up, workers: workers !== null, ...workers?.checks() };
  return { ready: Object.values(checks).every(Boolean), checks };
}

/** Calls `work` the first time only; later calls get the same promise. */
function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
