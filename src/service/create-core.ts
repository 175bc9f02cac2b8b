import { join } from "node:path";
import type { Config } from "../config.ts";
import type { CoreSettings } from "../core/base.ts";
import { cellUrl } from "../core/cell.ts";
import { composeCore } from "../core/compose.ts";
import type { Core } from "../core/core.ts";
import type { Directory } from "../core/directory/directory.ts";
import { createSignals, notifySends } from "../core/signals.ts";
import type { TransportSetting } from "../core/transport/definition.ts";
import { createRegistry } from "../core/transport/registry.ts";
import type { Database } from "../database/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createFileStore, type FileStore } from "../platform/file/files.ts";
import { newId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import * as metrics from "../platform/metrics.ts";
import { createS3Store } from "../platform/s3/store.ts";
import { transports } from "../transports/index.ts";
import type { EmulatorAddress } from "./sandbox-process.ts";
import type { MessageTraces } from "./tracing/message-traces.ts";

/** By name; empty without a sandbox. */
export type Emulators = ReadonlyMap<string, EmulatorAddress>;

/** The settings of core. Both addresses may still change until the service listens. */
export type StartSettings = { -readonly [K in keyof CoreSettings]: CoreSettings[K] };

/** `sandboxUrl`: whose receiver webhooks may reach; null without a sandbox. */
export function settingsOf(config: Config, sandboxUrl: string | null): StartSettings {
  return {
    publicUrl: cellUrl(config.publicUrl, config.cell),
    installationUrl: config.publicUrl,
    cell: config.cell,
    callbacks: config.callbacks,
    rateLimitPerMinute: config.rateLimitPerMinute,
    rateLimitWindowMinutes: config.rateLimitWindowMinutes,
    allowNetworks: [...config.allowNetworks, ...(sandboxUrl === null ? [] : [networkOf(sandboxUrl)])],
    exits: config.exits,
    webhookContentType: config.webhookContentType,
    messageRetentionDays: config.messageRetentionDays,
    alerts: config.alerts,
    console: config.console,
    quotas: {
      accounts: config.quotaAccounts,
      channels: config.quotaChannels,
      unlinkedChannels: config.quotaUnlinkedChannels,
      fileBytes: config.quotaFileBytes,
      waitingSends: config.quotaWaitingSends,
      subscriptions: config.quotaSubscriptions,
      employees: config.quotaEmployees,
      contacts: config.quotaContacts,
      deals: config.quotaDeals,
      crmBytes: config.quotaCrmBytes,
      cannedAnswers: config.quotaCannedAnswers,
      historyMessages: config.quotaHistoryMessages,
    },
  };
}

/** The network of the demo account's receiver. */
function networkOf(sandboxUrl: string): string {
  return `127.0.0.1/32:${new URL(sandboxUrl).port}`;
}

export async function createCore(parts: {
  config: Config;
  log: Log;
  db: Database;
  seal: Core["seal"];
  settings: CoreSettings;
  emulators: Emulators;
  directory: Directory | null;
  /** Default: nothing is traced. */
  traces?: MessageTraces | null;
}): Promise<Core> {
  const { config, log, db, seal, settings, emulators, directory, traces = null } = parts;
  metrics.reportExits([...new Set(Object.values(settings.exits).flat())]);
  const signals = await createSignals(db, newId());
  const base = {
    db,
    log,
    seal,
    settings,
    signals,
    clock: systemClock,
    files: openFiles(config),
    transports: createRegistry(transports, transportSettings(config, emulators)),
  };
  const core = composeCore(base, {
    directory,
    onAccepted(messages, waiting) {
      metrics.messagesAccepted.inc(messages.length);
      notifySends(
        signals,
        waiting.map(({ channel_id: channelId, chat }) => ({ channelId, chat })),
      );
    },
    hasOthers: () => signals.hasOthers(),
    onReport: ({ kind }) => metrics.inboundEvents.inc({ kind }),
    onPublished: traces === null ? undefined : (facts, ms) => traces.published(facts, ms),
    onUnknownReport: (labels) => metrics.unknownReports.inc(labels),
  });
  return traces === null ? core : { ...core, accept: traces.accepting(core.accept) };
}

function openFiles({ s3, dataDir }: Config): FileStore {
  return s3 === null ? createFileStore({ directory: join(dataDir, "files") }) : createS3Store(s3);
}

/** The operator's settings; with a sandbox, the messengers' addresses are those of the emulators. */
function transportSettings(config: Config, emulators: Emulators): Config["transportSettings"] {
  return Object.fromEntries(
    transports.map(({ definition: { id, settings } }) => {
      const emulator = emulators.get(id);
      const replaced = Object.entries<TransportSetting>(settings).flatMap(([name, { env, address }]) => {
        const value = emulator?.settings?.[env] ?? (address === true ? emulator?.url : undefined);
        return value === undefined ? [] : [[name, value]];
      });
      return [id, { ...config.transportSettings[id], ...Object.fromEntries(replaced) }];
    }),
  );
}
