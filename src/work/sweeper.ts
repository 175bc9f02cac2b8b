import { forgetSomeHistory } from "../core/channel/forgotten.ts";
import {
  type ChannelCount,
  channelCounts,
  type QueueDepth,
  queueDepths,
} from "../core/console/queue-depths.ts";
import type { Core } from "../core/core.ts";
import { openDays } from "../core/event/log-days.ts";
import { removeExpired } from "../core/export/exports.ts";
import { removeOldFiles } from "../core/file/files.ts";
import { applyForgottenReports } from "../core/message/early-reports.ts";
import { reclaimCursors, removeIdleCursors } from "../core/webhook/cursors.ts";
import { endExpiredSubscriptions } from "../core/webhook/grant-end.ts";
import { forgettingSteps } from "./forgetting.ts";
import { CANCEL_BATCH, cancelStranded } from "./stranded.ts";
import { Upkeep, type UpkeepReport, type UpkeepStep, withStatementLimit } from "./upkeep.ts";

const QUICK_MS = 1_000;
const SLOW_MS = 60_000;
const FILES_AT_A_TIME = 100;

export interface SweeperOptions {
  readonly core: Core;
  readonly eventRetentionDays: number;
  readonly auditRetentionDays: number;
  /** 0: for ever, the default. */
  readonly messageRetentionDays?: number;
  readonly fileRetentionDays: number;
  onDepths?(depths: readonly QueueDepth[]): void;
  onChannels?(counts: readonly ChannelCount[]): void;
  onStep?(report: UpkeepReport): void;
}

/**
 * Clears up after nodes that died and channels that ended, and forgets what is past its time. Any node may do it. What
 * others wait for runs beside what may take long, and the removal of files beside both: their store may be away.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #core: Core;
  readonly #upkeeps: readonly Upkeep[];
  #isStopping = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#core = options.core;
    const { log } = options.core;
    const upkeep = (everyMs: number, steps: readonly UpkeepStep[]): Upkeep =>
      new Upkeep({ steps, everyMs, log, onStep: (report) => options.onStep?.(report) });
    this.#upkeeps = [
      upkeep(QUICK_MS, this.#quickSteps()),
      upkeep(SLOW_MS, this.#slowSteps()),
      upkeep(SLOW_MS, this.#fileSteps()),
    ];
  }

  start(): void {
    for (const upkeep of this.#upkeeps) upkeep.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#upkeeps.map((upkeep) => upkeep.stop()));
  }

  #quickSteps(): UpkeepStep[] {
    return [
      once("reclaim webhook queues", async () => {
        if ((await reclaimCursors(this.#core.db)) > 0) this.#core.wakes.wake("webhooks");
      }),
      once("work in new words", () => this.#core.db.query("select gin_clean_pending_list('messages_words')")),
      once("cancel stranded messages", async () => {
        while (!this.#isStopping && (await cancelStranded(this.#core)) === CANCEL_BATCH);
      }),
    ];
  }

  #slowSteps(): UpkeepStep[] {
    const { db } = this.#core;
    return [
      once("apply early reports", () => applyForgottenReports(this.#core)),
      once("open the logs of the day", () => openDays(db)),
      once("end subscriptions of expired grants", () => endExpiredSubscriptions(db)),
      ...forgettingSteps(db, this.#options),
      { name: "forget deleted channels", run: () => withStatementLimit(db, forgetSomeHistory) },
      once("remove idle webhook_cursors", () => removeIdleCursors(db)),
      once("count queues", async () => this.#options.onDepths?.(await withStatementLimit(db, queueDepths))),
      once("count channels", async () =>
        this.#options.onChannels?.(await withStatementLimit(db, channelCounts)),
      ),
    ];
  }

  #fileSteps(): UpkeepStep[] {
    const [days, limit] = [this.#options.fileRetentionDays, FILES_AT_A_TIME];
    return [
      once("remove old files", async () => {
        while (!this.#isStopping && (await removeOldFiles(this.#core, { days, limit })) === limit);
      }),
      once("remove old exports", async () => {
        while (!this.#isStopping && (await removeExpired(this.#core, limit)) === limit);
      }),
    ];
  }
}

/** A step that does all there is to do. */
function once(name: string, work: () => Promise<unknown>): UpkeepStep {
  return { name, run: () => work().then(() => false) };
}
