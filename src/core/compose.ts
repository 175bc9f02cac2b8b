import { createOpenIdProvider } from "../platform/network/openid.ts";
import { TokenCache } from "./account/authenticate.ts";
import { Logins } from "./account/login.ts";
import { RateLimit } from "./account/rate-limit.ts";
import type { Base } from "./base.ts";
import { Cache } from "./cache.ts";
import { VaultNumbers } from "./channel/credentials/vault.ts";
import { createChannelLogQueue } from "./channel-log/channel-log.ts";
import { followRecordings } from "./channel-log/recordings.ts";
import { type ChatKey, followRenames } from "./chat/chats.ts";
import { TYPING_PAUSE_MS } from "./chat/typing.ts";
import { createHourNumbers } from "./console/numbers.ts";
import type { Core } from "./core.ts";
import { createDeadLetterQueue } from "./dead-letter/dead-letters.ts";
import { createUnknownReports } from "./dead-letter/unknown-reports.ts";
import { endSubscriptions } from "./delivery/receiver/grant-end.ts";
import { createWebhookTurns } from "./delivery/receiver/settings.ts";
import type { Directory } from "./directory/directory.ts";
import { createLiveNotifier } from "./event/live-notifier.ts";
import { LogReaders } from "./event/log-readers.ts";
import { createFileLookups } from "./file/files.ts";
import { createHistoryTurns } from "./history/take-history.ts";
import { createAppLinkLog } from "./inbound/app-link.ts";
import { CallbackBudgets } from "./inbound/callback/callback-budgets.ts";
import { createCallbackChannels } from "./inbound/callback/callback-channels.ts";
import { createConnections } from "./inbound/link.ts";
import { MarkBudgets } from "./inbox/mark-budgets.ts";
import { createAcceptQueue } from "./message/accept.ts";
import { createEarlyReports } from "./message/early-reports.ts";
import type { Report } from "./message/report.ts";
import { createReportQueue, type OnPublished } from "./message/report-queue.ts";
import { Moves } from "./move/moves.ts";
import { createPasswordTurns } from "./operator/password-turns.ts";
import { endSessionsOfLink } from "./page-ticket/sessions.ts";
import { Statistics } from "./statistics/statistics.ts";

/** What the process that runs core is told and may replace. */
export interface CoreOptions {
  /** See `createAcceptQueue`. Default: nobody is told. */
  readonly onAccepted?: Parameters<typeof createAcceptQueue>[1];
  /** Whether other nodes may accept messages too. Default: yes. */
  readonly hasOthers?: () => boolean;
  /** Called once for each stored event of a messenger. */
  readonly onReport?: (event: Report["event"]) => void;
  /** See `createReportQueue`. */
  readonly onPublished?: OnPublished | undefined;
  readonly onUnknownReport?: Parameters<typeof createUnknownReports>[0]["onReport"];
  /** Refills the budgets of callbacks; monotonic milliseconds. */
  readonly callbackClock?: () => number;
  /** Default: this cell is the only one. */
  readonly directory?: Directory | null;
}

const nobody = (): void => undefined;

/**
 * Makes all that the domains keep in memory, and connects those that cause something in domains above them. Called once
 * per node.
 */
export function composeCore(base: Base, options: CoreOptions = {}): Core {
  const { db, log, clock, signals, settings } = base;
  const {
    onAccepted = nobody,
    onReport = nobody,
    onPublished,
    onUnknownReport = nobody,
    hasOthers,
    callbackClock,
    directory = null,
  } = options;
  const chats = new Cache<string, ChatKey>({ maxEntries: 100_000 });
  // A chat of a commit that is missing there has to be stored again with its next message.
  db.onNewTimeline(() => chats.clear());
  followRenames({ signals }, chats);
  const deadLetters = createDeadLetterQueue(db, log);
  const statistics = new Statistics(clock);
  const core: Core = {
    ...base,
    onGrantEnd: endSubscriptions,
    endSessionsOfLink,
    accept: createAcceptQueue(db, onAccepted, {
      maxWaiting: settings.quotas.waitingSends,
      ...(hasOthers === undefined ? {} : { hasOthers }),
    }),
    reports: createReportQueue(
      () => core,
      (report) => {
        countInbound(statistics, report);
        onReport(report.event);
      },
      onPublished,
    ),
    live: createLiveNotifier(db, signals, log),
    logReaders: new LogReaders(() => clock.monotonicMs()),
    channelLog: createChannelLogQueue(db, log),
    recordings: followRecordings({
      db,
      signals,
      clock,
      onError: (error) => log.warn({ err: error }, "the recordings of channels could not be read"),
    }),
    deadLetters,
    unknownReports: createUnknownReports({ deadLetters, log, onReport: onUnknownReport }),
    callbackBudgets: new CallbackBudgets(callbackClock),
    callbackChannels: createCallbackChannels(db),
    appLinkLog: createAppLinkLog(),
    connections: createConnections(),
    vaultNumbers: new VaultNumbers(),
    historyTurns: createHistoryTurns(),
    earlyReports: createEarlyReports(),
    fileLookups: createFileLookups(db),
    webhookTurns: createWebhookTurns(),
    addressKeys: new WeakMap(),
    rateLimit: new RateLimit(base),
    tokens: new TokenCache(base),
    logins: new Logins({ ...base, directory }),
    passwordTurns: createPasswordTurns(),
    provider:
      settings.console.provider === null
        ? null
        : createOpenIdProvider(settings.console.provider, settings.allowNetworks),
    statistics,
    hourNumbers: createHourNumbers(),
    moves: new Moves(base),
    directory,
    markBudgets: new MarkBudgets(() => clock.monotonicMs()),
    caches: {
      chats,
      avatars: new Cache({ maxEntries: 100_000, ttlMs: 3_600_000 }),
      channels: new Cache({ maxEntries: 10_000, ttlMs: 1_000 }),
      typing: new Cache({ maxEntries: 20_000, ttlMs: TYPING_PAUSE_MS }),
      channelReads: new Map(),
    },
  };
  // What is remembered of an account that comes back would be that of the time before it left.
  core.moves.onChange(() => {
    for (const cache of [core.caches.chats, core.caches.avatars, core.caches.channels]) cache.clear();
    core.tokens.forget("");
  });
  return core;
}

function countInbound(statistics: Statistics, { accountId, channelId, event }: Report): void {
  if (event.kind === "message" && event.message.direction === "in")
    statistics.add({ accountId, kind: "inbound", subject: channelId, label: "" });
}
