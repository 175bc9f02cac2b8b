import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, effectiveSettings, resolveSecretKeys, withListeningPort } from "../config.ts";
import type { CoreSettings } from "../core/base.ts";
import { Cache } from "../core/cache.ts";
import { createChannelLogQueue } from "../core/channel/channel-log.ts";
import { followRecordings } from "../core/channel/recordings.ts";
import type { Core } from "../core/core.ts";
import { CallbackBudgets } from "../core/inbound/callback-budgets.ts";
import { createDeadLetterQueue } from "../core/inbound/dead-letters.ts";
import { createLiveTeller } from "../core/live/teller.ts";
import { createAcceptQueue } from "../core/message/accept.ts";
import { createReportQueue } from "../core/message/report-queue.ts";
import { createSignals, signalSends } from "../core/signals.ts";
import type { TransportSetting } from "../core/transport/definition.ts";
import { createRegistry } from "../core/transport/registry.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { type EmbeddedServer, startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { type ReleaseTooOldError, schemaVersion } from "../database/schema.ts";
import { type MetricsServer, startMetricsServer } from "../http/metrics-server.ts";
import { VERSION } from "../http/openapi/document.ts";
import { createHttpServer } from "../http/server.ts";
import { systemClock } from "../platform/clock.ts";
import { createFileStore, type FileStore } from "../platform/file/files.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import * as metrics from "../platform/metrics.ts";
import { createS3Store } from "../platform/s3/store.ts";
import { transports } from "../transports/index.ts";
import { consoleText, createDemo, demoText, revokeDemo } from "./first-start.ts";
import { openSeal, releaseEverything } from "./installation.ts";
import { builtPages } from "./pages.ts";
import {
  type EmulatorAddress,
  type SandboxProcess,
  sandboxAddresses,
  startSandboxProcess,
  type WaitingCode,
} from "./sandbox-process.ts";
import { startWorkers, type Workers } from "./workers.ts";

/** A running service. */
export interface Service {
  readonly url: string;
  /** Resolves when this release does not work with the schema any more: the service has to be stopped. */
  readonly tooOld: Promise<ReleaseTooOldError>;
  /** Finishes pending work within ten seconds, releases everything and resolves. Idempotent. */
  stop(): Promise<void>;
}

/** Pending work gets this long to finish; then everything that does not depend on it is stopped. */
const FINISH_PATIENCE_MS = 8_000;
const STOP_PATIENCE_MS = 10_000;
const CLOSE_PATIENCE_MS = 2_000;

export interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  /** Receives text for a person at the terminal. */
  print(text: string): void;
  /** The directory of the migrations, if not that of this release. */
  readonly migrations?: string;
}

/** Starts the whole service. */
export async function runService(parts: ServiceParts): Promise<Service> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    return await start(parts, undo);
  } catch (error) {
    for (const step of undo.toReversed()) await step().catch(() => undefined);
    throw error;
  }
}

async function start(
  { config, log, print, migrations }: ServiceParts,
  undo: (() => Promise<unknown>)[],
): Promise<Service> {
  const pages = builtPages(log);
  undo.push(() => pages.stop());
  const starting = [startDatabase(config, log), config.sandbox ? startSandbox(config, print) : null] as const;
  // Each part is stopped once it exists, even if the other one failed.
  for (const part of starting) undo.push(async () => (await part)?.stop());
  const [embedded, sandbox] = await Promise.all(starting);
  await embedded?.claimService();
  embedded?.supervise();

  const connection = embedded?.connection ?? config.databaseUrl ?? "";
  const applicationName = `trunkline ${config.nodeName}`;
  const db = openDatabase({ connection, max: config.databasePoolMax, log, applicationName });
  undo.push(() => db.close());
  // A pool of its own, so that busy connections cannot cost the node its lease and all sessions. `db` reports outages
  // of the database.
  const quiet = log.child({}, { level: "error" });
  const leaseDb = openDatabase({
    connection,
    max: 1,
    log: quiet,
    applicationName: `${applicationName} lease`,
  });
  undo.push(() => leaseDb.close());
  const schema = { version: await bringUpToDate(db, log, migrations), directory: migrations };
  const seal = await openSeal(db, await resolveSecretKeys(config));
  // The directory is claimed, so all nodes registered in this database are dead.
  if (embedded !== null) await releaseEverything(db);

  const addresses =
    sandbox === null ? new Map<string, EmulatorAddress>() : await sandboxAddresses(sandbox.url);
  const settings: { -readonly [K in keyof CoreSettings]: CoreSettings[K] } = {
    publicUrl: config.publicUrl,
    callbacks: config.callbacks,
    rateLimitPerMinute: config.rateLimitPerMinute,
    rateLimitWindowMinutes: config.rateLimitWindowMinutes,
    allowNetworks: [...config.allowNetworks, ...(sandbox === null ? [] : networkOf(sandbox))],
    webhookContentType: config.webhookContentType,
    quotas: {
      channels: config.quotaChannels,
      unlinkedChannels: config.quotaUnlinkedChannels,
      fileBytes: config.quotaFileBytes,
      waitingSends: config.quotaWaitingSends,
      subscriptions: config.quotaSubscriptions,
      employees: config.quotaEmployees,
    },
  };
  const core = await createCore({ config, log, db, seal, settings, addresses });
  undo.push(() => core.wakes.close());
  if (sandbox === null && (await revokeDemo(core)))
    log.warn("the demo account was closed and its keys revoked: this start has no sandbox");
  if (sandbox !== null && !config.loopback)
    log.warn(
      { host: config.host, publicUrl: config.publicUrl },
      "SANDBOX=1 on a service that others can reach: its messengers are emulated and the demo keys open an account",
    );

  let workers: Workers | null = null;
  const readiness = () => readinessOf(db, workers);
  const { registry, httpDuration } = metrics;
  const http = createHttpServer({
    core,
    readiness,
    log,
    metrics: { registry: config.metricsListen === null ? registry : null, httpDuration },
    trustedProxies: config.trustedProxies,
    pages,
    installation: {
      version: VERSION,
      settings: effectiveSettings(
        process.env,
        transports.map(({ definition }) => definition),
      ),
    },
  });
  await listen(http, config);
  undo.push(() => http.close());
  const metricsServer = await listenForMetrics(config, log);
  undo.push(async () => metricsServer?.close());
  settings.publicUrl = withListeningPort(config, portOf(http.addresses())).publicUrl;
  const tooOld = Promise.withResolvers<ReleaseTooOldError>();
  workers = await startWorkers({ core, config, log, leaseDb, schema, onTooOld: tooOld.resolve });
  undo.push(async () => {
    await workers?.finish();
    await workers?.release();
  });

  const url = withListeningPort({ ...config, publicUrlGiven: false }, portOf(http.addresses())).publicUrl;
  log.info(
    { url, roles: config.roles, database: embedded === null ? "DATABASE_URL" : "embedded" },
    "Trunkline is ready",
  );
  if (sandbox !== null) {
    sandbox.offerCodes(() => waitingCodes(db));
    const demo = await createDemo(core, addresses.get("inbox")?.url ?? "").catch((error: unknown) => {
      log.error({ err: error }, "the demo account could not be created; the next start tries again");
      return undefined;
    });
    const phone = `${sandbox.url}/phone`;
    const admin = addresses.get("telegram")?.admin ?? "";
    if (demo) print(demoText(demo, { service: url, admin, inbox: `${sandbox.url}/inbox`, phone }));
    else if (demo === null)
      print(
        `\nThe phone of the sandbox: ${phone}\n"npm run cli -- account list" shows the demo account, "channel list" its channel, and "token create --account ID --kind access" makes a new key.\n`,
      );
  }
  const console = await consoleText(core, config).catch((error: unknown) => {
    // The node serves by now, and must not end because the database is away for a moment.
    log.warn({ err: error }, 'the console\'s link could not be made; "trunkline operator link" makes one');
    return null;
  });
  if (console !== null) print(console);
  return {
    url,
    tooOld: tooOld.promise,
    stop: stopOnce(log, { workers, http, metricsServer, core, databases: [db, leaseDb], embedded, sandbox }),
  };
}

/** Returns the schema version of this release. */
async function bringUpToDate(db: Database, log: Log, directory: string | undefined): Promise<number> {
  const { applied, version } = await migrate(db, { directory, log });
  if (applied.length > 0) log.info({ applied }, "the database was migrated");
  const theirs = await schemaVersion(db);
  if (theirs > version)
    log.info(
      { database: theirs, release: version },
      "a later release has migrated the database; this one works with it",
    );
  return version;
}

/** Throws an error that is clear to the person who set HOST and PORT. */
async function listen(http: ReturnType<typeof createHttpServer>, { host, port }: Config): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    throw new Error(`Cannot listen at HOST ${host}, PORT ${port}: ${String(error)}. Set others.`, {
      cause: error,
    });
  }
}

async function listenForMetrics({ metricsListen: at }: Config, log: Log): Promise<MetricsServer | null> {
  if (at === null) return null;
  try {
    const server = await startMetricsServer(metrics.registry, at);
    log.info({ url: server.url }, "metrics have a listener of their own");
    return server;
  } catch (error) {
    throw new Error(`Cannot listen at METRICS_LISTEN ${at.host}:${at.port}: ${String(error)}. Set another.`, {
      cause: error,
    });
  }
}

async function startDatabase(config: Config, log: Log): Promise<EmbeddedServer | null> {
  return config.databaseUrl === undefined ? startEmbedded({ dataDir: config.dataDir, log }) : null;
}

async function startSandbox(config: Config, print: (text: string) => void): Promise<SandboxProcess> {
  return startSandboxProcess({
    host: "127.0.0.1",
    port: config.sandboxPort,
    dataDir: config.dataDir,
    onInbox: print,
  });
}

/** For the sandbox's phone, which plays the owner of these accounts. */
function waitingCodes(db: Database): Promise<WaitingCode[]> {
  return db.query<{ id: string; messenger: string; label: string; qr: string }>(
    `select id, transport as messenger, coalesce(nullif(name, ''), '…' || right(id::text, 6)) as label, qr from channels
     where reason = 'qr' and qr is not null and deleted_at is null
       and (qr_expires_at is null or qr_expires_at > now()) order by created_at desc limit 20`,
    [],
  );
}

/** The network of the demo account's receiver. */
function networkOf({ url }: SandboxProcess): string[] {
  return [`127.0.0.1/32:${new URL(url).port}`];
}

async function createCore(parts: {
  config: Config;
  log: Log;
  db: Database;
  seal: Core["seal"];
  settings: CoreSettings;
  addresses: ReadonlyMap<string, EmulatorAddress>;
}): Promise<Core> {
  const { config, log, db, seal, settings, addresses } = parts;
  const wakes = await createSignals(db, newId());
  const core: Core = {
    db,
    log,
    seal,
    settings,
    wakes,
    clock: systemClock,
    files: openFiles(config),
    transports: createRegistry(transports, transportSettings(config, addresses)),
    accept: createAcceptQueue(
      db,
      (messages, waiting) => {
        metrics.messagesAccepted.inc(messages.length);
        signalSends(
          wakes,
          waiting.map(({ channel_id: channelId, chat }) => ({ channelId, chat })),
        );
      },
      settings.quotas.waitingSends,
    ),
    reports: createReportQueue(
      () => core,
      ({ kind }) => metrics.inboundEvents.inc({ kind }),
    ),
    live: createLiveTeller(db, wakes, log),
    channelLog: createChannelLogQueue(db, log),
    recordings: followRecordings({
      db,
      wakes,
      clock: systemClock,
      onError: (error) => log.warn({ err: error }, "the recordings of channels could not be read"),
    }),
    deadLetters: createDeadLetterQueue(db, log),
    callbackBudgets: new CallbackBudgets(),
    caches: {
      chats: new Cache({ maxEntries: 100_000 }),
      avatars: new Cache({ maxEntries: 100_000, ttlMs: 3_600_000 }),
      channels: new Cache({ maxEntries: 10_000, ttlMs: 1_000 }),
    },
  };
  return core;
}

function openFiles({ s3, dataDir }: Config): FileStore {
  return s3 === null ? createFileStore({ directory: join(dataDir, "files") }) : createS3Store(s3);
}

/** The operator's settings; with a sandbox, the messengers' addresses are those of the emulators. */
function transportSettings(
  config: Config,
  addresses: ReadonlyMap<string, EmulatorAddress>,
): Config["transportSettings"] {
  return Object.fromEntries(
    transports.map(({ definition: { id, settings } }) => {
      const emulator = addresses.get(id);
      const replaced = Object.entries<TransportSetting>(settings).flatMap(([name, { env, address }]) => {
        const value = emulator?.settings?.[env] ?? (address === true ? emulator?.url : undefined);
        return value === undefined ? [] : [[name, value]];
      });
      return [id, { ...config.transportSettings[id], ...Object.fromEntries(replaced) }];
    }),
  );
}

function readinessOf(
  db: Database,
  workers: Workers | null,
): { ready: boolean; checks: Record<string, boolean> } {
  const checks = { database: db.health().up, workers: workers !== null, ...workers?.checks() };
  return { ready: Object.values(checks).every(Boolean), checks };
}

function portOf(addresses: ReturnType<ReturnType<typeof createHttpServer>["addresses"]>): number {
  const [first] = addresses;
  return typeof first === "object" ? first.port : 0;
}

interface Parts {
  readonly workers: Workers;
  readonly http: ReturnType<typeof createHttpServer>;
  readonly metricsServer: MetricsServer | null;
  readonly core: Core;
  readonly databases: readonly Database[];
  readonly embedded: EmbeddedServer | null;
  readonly sandbox: SandboxProcess | null;
}

function stopOnce(log: Log, parts: Parts): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= stopParts(log, parts);
    return stopping;
  };
}

/** First stops accepting work, then waits for pending work, then stops what it depends on. */
async function stopParts(
  log: Log,
  { workers, http, metricsServer, core, databases, embedded, sandbox }: Parts,
): Promise<void> {
  log.info("stopping: finishing what is in flight");
  const began = performance.now();
  const left = (): number => Math.max(0, began + STOP_PATIENCE_MS - performance.now());
  const finished = [http.close(), workers.finish()];
  if (!(await endsWithin(FINISH_PATIENCE_MS, finished))) log.warn("stopping without what does not end");
  const stored = Promise.allSettled([
    core.accept.close(),
    core.reports.close(),
    core.live.close(),
    core.channelLog.close(),
    core.deadLetters.close(),
  ]);
  // Without a lease, a contract of a later release may take away what these statements need.
  const released = stored.then(() => workers.release());
  if (!(await endsWithin(left(), [released]))) log.warn("stopping without storing everything");
  await endsWithin(Math.min(left(), CLOSE_PATIENCE_MS), [
    core.wakes.close().then(() => Promise.all(databases.map((each) => each.close()))),
  ]);
  await metricsServer?.close();
  await embedded
    ?.stop()
    .catch((error: unknown) =>
      log.error({ err: error }, "the embedded PostgreSQL could not be left in order"),
    );
  await sandbox?.stop();
  log.info("stopped");
}

/** Whether all of it ended in time, with or without errors. */
async function endsWithin(ms: number, work: readonly PromiseLike<unknown>[]): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([Promise.allSettled(work).then(() => true), late]);
  timer.abort();
  return inTime;
}
