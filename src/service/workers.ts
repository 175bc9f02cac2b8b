import { join } from "node:path";
import type { Config } from "../config.ts";
import { STATUSES } from "../core/channel-status.ts";
import type { Core } from "../core/core.ts";
import { noticeTimeline } from "../core/message/timeline.ts";
import type { Database } from "../database/database.ts";
import type { ReleaseTooOldError } from "../database/schema.ts";
import { shownAddress } from "../platform/broker/address.ts";
import { createBroker } from "../platform/broker/broker.ts";
import { removeOldDownloads } from "../platform/file/download.ts";
import type { Log } from "../platform/log.ts";
import { MediaProcesses } from "../platform/media/media-processes.ts";
import * as metrics from "../platform/metrics.ts";
import { createGuardedDispatcher } from "../platform/network/safe-fetch.ts";
import { DeadLetterReplayer } from "../work/dead-letter-replayer.ts";
import { Dispatcher } from "../work/delivery/dispatcher.ts";
import { Replayer } from "../work/delivery/replayer.ts";
import { createSinkPoster } from "../work/delivery/sink-poster.ts";
import { DueWorkWatch } from "../work/due-work-watch.ts";
import { Exporter } from "../work/exporter.ts";
import { FileFetcher } from "../work/file-fetcher.ts";
import { type Lease, takeLease } from "../work/lease.ts";
import { Sender } from "../work/send/sender.ts";
import { GroupCalls } from "../work/session/group-calls.ts";
import { PhoneChecker } from "../work/session/phone-checker.ts";
import { SessionRequests } from "../work/session/session-requests.ts";
import { Sessions } from "../work/session/sessions.ts";
import { storeStatistics } from "../work/statistics.ts";
import { createContractStep } from "../work/upkeep/contracts.ts";
import { Leader } from "../work/upkeep/leader.ts";
import { Sweeper } from "../work/upkeep/sweeper.ts";
import type { MessageTraces } from "./tracing/message-traces.ts";

/** Everything that runs beside the HTTP interface, by this node's roles. */
export interface Workers {
  /** By name, whether each works. */
  checks(): Record<string, boolean>;
  /** Accepts no new work and resolves when pending work has ended. */
  finish(): Promise<void>;
  /**
   * Releases this node's channels and queues to other nodes; call it after `finish`, or instead of waiting longer.
   */
  release(): Promise<void>;
}

/** The migrations of this release. */
export interface Schema {
  readonly version: number;
  /** Their directory, if not the default. */
  readonly directory: string | undefined;
}

/** The dependencies of all roles. */
interface Ground {
  readonly core: Core;
  readonly config: Config;
  readonly log: Log;
  readonly schema: Schema;
  readonly traces: MessageTraces | null;
  readonly lease: () => Lease;
  /** For addresses supplied by clients. */
  readonly guarded: ReturnType<typeof createGuardedDispatcher>;
}

type Stop = () => Promise<unknown>;

const EVENT_RETENTION_DAYS = 30;
/** No download takes longer. */
const OLD_DOWNLOAD_MS = 3_600_000;
const WEBHOOK_LIFETIME_MS = 3 * 24 * 3_600_000;

interface Parts {
  readonly core: Core;
  readonly config: Config;
  readonly log: Log;
  /** A separate connection for the lease. */
  readonly leaseDb: Database;
  readonly schema: Schema;
  readonly traces: MessageTraces | null;
  onTooOld(error: ReleaseTooOldError): void;
}

export async function startWorkers(parts: Parts): Promise<Workers> {
  const { core, config, log, schema } = parts;
  const guarded = createGuardedDispatcher({ allowNetworks: core.settings.allowNetworks });
  let sending: Sending | null = null;
  let delivering: Delivering | null = null;
  const lease = await takeNodeLease(parts, () => sending);
  const ground: Ground = { ...parts, guarded, lease: () => lease };
  const has = (role: Config["roles"][number]): boolean => config.roles.includes(role);
  const stops: Stop[] = [];
  const watch = new DueWorkWatch({
    db: core.db,
    log,
    signals: core.signals,
    lease: () => lease,
    isInVain(topic, work) {
      if (topic === "channels") return sending?.sessions.isLookInVain(work) !== false;
      if (topic === "webhooks") return delivering?.dispatcher.isPollInVain(work) === true;
      const { latestDueFile } = work;
      return (
        topic === "files" && latestDueFile !== null && sending?.fetcher.hasLookedFor(latestDueFile) === true
      );
    },
  });
  if (config.roles.some((role) => role !== "api")) watch.start();
  stops.push(() => watch.stop());
  if (has("sessions")) {
    sending = startSending(ground);
    stops.push(sending.stop);
  }
  if (has("delivery")) {
    delivering = startDelivering(ground);
    stops.push(delivering.stop);
  }
  // After the others, which still count while they stop.
  const storeRest = storeStatistics(core, { name: config.nodeName, directory: config.dataDir });
  const leader = has("jobs")
    ? new Leader({
        db: core.db,
        log,
        lease: () => lease,
        knownLeader: () => watch.latest()?.leader ?? null,
        onLost: metrics.forgetUpkeep,
      })
    : null;
  if (leader !== null) stops.push(startJobs(ground, leader, watch));
  metrics.observeNode(() => ({
    leaseHeld: lease.isValid(),
    concurrency: lease.concurrency,
    schemaVersion: schema.version,
    leads: leader?.leads() ?? false,
    channelsOwned: sending?.sessions.owned().length ?? 0,
    channelsWaiting: sending?.sessions.waiting ?? 0,
    databaseUp: core.db.health().up,
    connections: core.db.usage(),
  }));
  return {
    checks: () => ({ lease: lease.isValid() }),
    async finish() {
      await Promise.allSettled(stops.map((stop) => stop()));
      await storeRest();
    },
    async release() {
      await lease
        .release()
        .catch((error: unknown) =>
          log.warn({ err: error }, "the lease could not be released; it will expire"),
        );
      await guarded.destroy();
    },
  };
}

/** The node's lease; without it the role "sessions" rests. */
function takeNodeLease(
  { core, config, log, leaseDb, schema, onTooOld }: Parts,
  sending: () => Sending | null,
): Promise<Lease> {
  return takeLease({
    db: leaseDb,
    log,
    name: config.nodeName,
    roles: config.roles,
    leaseMs: config.nodeLeaseMs,
    sealingKey: core.seal.fingerprint,
    schemaVersion: schema.version,
    async onLost() {
      metrics.leaseLosses.inc();
      await sending()?.sessions.suspend();
      await sending()?.sender.settle();
    },
    onRegained: () => sending()?.sessions.resume(),
    onTooOld,
    onOthers: (hasOthers) => core.signals.setOthers(hasOthers),
    // What this node remembers may contradict the node that noticed it first.
    onNewPrimary(primary) {
      noticeTimeline(core, primary).catch((error: unknown) =>
        log.debug({ err: error }, "the database's timeline is not known yet"),
      );
    },
  });
}

interface Sending {
  readonly sessions: Sessions;
  readonly sender: Sender;
  readonly fetcher: FileFetcher;
  readonly stop: Stop;
}

/** The role "sessions". */
function startSending({ core, config, log, lease, guarded, traces }: Ground): Sending {
  const sessions = new Sessions({
    core,
    lease,
    onReady: (channelId) => sender.channelReady(channelId),
    settle: async (channelId) => {
      await Promise.all([sender.settleChannel(channelId), groups.settle(channelId)]);
    },
  });
  const temporaryDirectory = join(config.dataDir, "tmp");
  void removeOldDownloads(temporaryDirectory, OLD_DOWNLOAD_MS).catch((error: unknown) =>
    log.debug({ err: error }, "old downloads could not be removed"),
  );
  const sender = new Sender({
    core,
    lease,
    sessions,
    pacing: config.pacing,
    dispatcher: guarded,
    temporaryDirectory,
    media: new MediaProcesses(),
    onSend(transport, result, durationMs, job, cause) {
      metrics.sends.inc({ transport, result });
      metrics.sendDuration.observe({ transport }, durationMs / 1000);
      traces?.sent(transport, result, durationMs, job, cause);
    },
    onStored: traces === null ? undefined : (finishes, ms) => traces.stored(finishes, ms),
  });
  const fetcher = new FileFetcher({ core, sessions });
  const groups = new GroupCalls({
    core,
    lease,
    pacing: config.pacing,
    dispatcher: guarded,
    temporaryDirectory,
    onFirstContacts: (channelId, ids) => sender.countFirstContacts(channelId, ids),
  });
  const requests = new SessionRequests({ core, lease, sessions, groups });
  const letters = new DeadLetterReplayer({ core, sessions });
  const phones = new PhoneChecker({ core, sessions, lease, isPaced: config.pacing });
  for (const each of [sessions, sender, fetcher, requests, letters, phones]) each.start();
  return {
    sessions,
    sender,
    fetcher,
    async stop() {
      await Promise.all([sender.stop(), groups.stop()]);
      await Promise.all([fetcher.stop(), requests.stop(), letters.stop(), phones.stop(), sessions.stop()]);
    },
  };
}

interface Delivering {
  readonly dispatcher: Dispatcher;
  readonly stop: Stop;
}

/** The role "delivery". */
function startDelivering({ core, config, lease, guarded, traces }: Ground): Delivering {
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const broker = config.sink === null ? null : createBroker({ ...config.sink, timeoutMs });
  const sink = createSinkPoster(core, {
    broker,
    onPublish(result, events, durationMs) {
      metrics.sinkEvents.inc({ result }, events);
      if (config.sink !== null)
        metrics.sinkUp.set({ address: shownAddress(config.sink.address) }, result === "failed" ? 0 : 1);
      metrics.sinkDuration.observe(durationMs / 1000);
    },
  });
  const dispatcher = new Dispatcher({
    core,
    lease,
    sink,
    dispatcher: guarded,
    schedule: { delaysMs: config.webhookSchedule, lifetimeMs: WEBHOOK_LIFETIME_MS },
    timeoutMs,
    maxItems: config.webhookMaxItems,
    maxBytes: config.webhookMaxBytes,
    pauseAfterMs: config.webhookPauseAfter,
    onPost(result, durationMs, to, posted, attempt) {
      metrics.webhookPosts.inc({ result });
      metrics.webhookItems.inc({ result }, posted.batch.events.length);
      metrics.webhookDuration.observe(durationMs / 1000);
      traces?.posted(to, posted, attempt);
    },
  });
  const replayer = new Replayer({
    core,
    lease,
    sink,
    dispatcher: guarded,
    timeoutMs,
    onReplay: (to, posted) => traces?.posted(to, posted, null),
  });
  dispatcher.start();
  replayer.start();
  return {
    dispatcher,
    async stop() {
      await Promise.all([dispatcher.stop(), replayer.stop()]);
      await broker?.close();
    },
  };
}

function startJobs(
  { core, config, lease, schema: { directory } }: Ground,
  leader: Leader,
  watch: DueWorkWatch,
): Stop {
  const sweeper = new Sweeper({
    core,
    primary: lease().primary,
    eventRetentionDays: EVENT_RETENTION_DAYS,
    auditRetentionDays: config.auditRetentionDays,
    messageRetentionDays: config.messageRetentionDays,
    fileRetentionDays: config.inboundFileRetentionDays,
    applyContracts: createContractStep({
      db: core.db,
      log: core.log,
      directory,
    }),
    leads: () => leader.leads(),
    dueWork: () => watch.latest(),
    onDepths(depths) {
      for (const { queue, jobs, delay } of depths) {
        metrics.queueDepth.set({ queue }, jobs);
        metrics.queueDelay.set({ queue }, delay);
      }
    },
    onChannels(counts) {
      metrics.channels.reset();
      // With zeros, an alert sees the growth from none.
      for (const transport of core.transports.keys())
        for (const status of STATUSES) metrics.channels.set({ transport, status }, 0);
      for (const { channels, ...labels } of counts) metrics.channels.set(labels, channels);
    },
    onRestricted(counts) {
      metrics.restrictedChannels.reset();
      for (const { channels, ...labels } of counts) metrics.restrictedChannels.set(labels, channels);
    },
    onStep({ step, failure, rows, seconds }) {
      metrics.upkeepSeconds.set({ step }, seconds);
      metrics.upkeepRows.inc({ step }, rows);
      if (failure !== null) metrics.upkeepFailures.inc({ step });
      else metrics.upkeepDone.set({ step }, Date.now() / 1000);
    },
    onOverdue: (steps) => metrics.upkeepOverdue.set(steps),
  });
  const exporter = new Exporter({ core, lease, retentionMs: config.exportRetentionDays * 86_400_000 });
  leader.start();
  sweeper.start();
  exporter.start();
  return async () => {
    await Promise.all([sweeper.stop(), exporter.stop()]);
    await leader.stop();
  };
}
