import { reportAlerts } from "../../core/alert/alerts.ts";
import { endRestrictions } from "../../core/channel/restriction.ts";
import {
  type ChannelCount,
  channelCounts,
  type QueueDepth,
  queueDepths,
  type RestrictedCount,
  restrictedCounts,
} from "../../core/console/queue-depths.ts";
import type { Core } from "../../core/core.ts";
import { reclaimCursors } from "../../core/delivery/cursor/cursors.ts";
import { advanceIdleCursors, CURSOR_BATCH_SIZE } from "../../core/delivery/cursor/ended-days.ts";
import { removeSilentCursors } from "../../core/delivery/cursor/queues.ts";
import { endExpiredSubscriptions } from "../../core/delivery/receiver/grant-end.ts";
import { openDays } from "../../core/event/log-days.ts";
import { removeExpired } from "../../core/export/exports.ts";
import { removeOldFiles } from "../../core/file/files.ts";
import { sendApproved } from "../../core/inbox/proposals.ts";
import { endSnoozes } from "../../core/inbox/work.ts";
import { applyMissedReports } from "../../core/message/early-reports.ts";
import { deleteHistoryBatch } from "../../core/message/forgotten-channels.ts";
import { CANCEL_BATCH, failOrphanedJobs } from "../../core/message/orphaned-jobs.ts";
import { indexForSearch } from "../../core/message/search-index.ts";
import { noticeTimeline } from "../../core/message/timeline.ts";
import type { DueWork } from "../../core/node/due-work.ts";
import { endOldPhoneChecks } from "../../core/phone/lookups.ts";
import { PrimaryMemory } from "../../core/primary-memory.ts";
import { sampleQueues } from "../../core/statistics/samples.ts";
import { INSTALLATION, NO_SUBJECT } from "../../core/statistics/statistics.ts";
import { DirectoryUpkeep } from "./directory.ts";
import { retentionSteps } from "./retention.ts";
import { Upkeep, type UpkeepReport, type UpkeepStep, withStatementLimit } from "./upkeep.ts";
import { UpkeepRecord } from "./upkeep-record.ts";

const DIRECTORY = { everyMs: 1_000, limitMs: 15_000 };
const COMPARISON = { everyMs: 10_000, limitMs: 60_000 };
const QUICK = { everyMs: 1_000, limitMs: 15_000 };
const STRANDED = { everyMs: 5_000, limitMs: 15_000 };
const SLOW = { everyMs: 60_000, limitMs: 60_000 };
const RETENTION = { everyMs: 600_000, limitMs: 60_000 };
const SEARCH = { everyMs: 1_000, limitMs: 15_000 };
const SCHEMA = { everyMs: 5_000, limitMs: 600_000 };
const SCHEMA_AGAIN_MS = 600_000;
const FILES = { everyMs: 60_000, limitMs: 300_000 };
const FILES_AT_A_TIME = 100;
const MESSAGES_AT_A_TIME = 256;
const CHANNELS_AT_A_TIME = 100;
const PROPOSALS_AT_A_TIME = 100;
const CHATS_AT_A_TIME = 100;

export interface SweeperOptions {
  readonly core: Core;
  readonly eventRetentionDays: number;
  readonly auditRetentionDays: number;
  /** 0: forever, the default. */
  readonly messageRetentionDays?: number;
  readonly fileRetentionDays: number;
  /** What this node remembers of the primary; nothing by default. */
  readonly primary?: PrimaryMemory;
  /** Applies the contracts that no node forbids any more, and returns how many are left. Without it there are none. */
  applyContracts?(): Promise<number>;
  /** Whether this node runs the upkeep; always by default. */
  leads?(): boolean;
  /** What was found to be due, so that steps without work cost nothing; null, the default: not known. */
  dueWork?(): DueWork | null;
  onDepths?(depths: readonly QueueDepth[]): void;
  onChannels?(counts: readonly ChannelCount[]): void;
  onRestricted?(counts: readonly RestrictedCount[]): void;
  onStep?(report: UpkeepReport): void;
  /** Called about every ten seconds on the leader: how many steps have not succeeded for too long. */
  onOverdue?(steps: number): void;
}

/**
 * Cleans up after dead nodes and ended channels, and deletes what is past its retention. Only the leader does it.
 * Seven groups, and two more with a directory, run concurrently, so that no group delays another: steps that others wait for, stranded messages, slow steps, the deletion
 * of old rows, the search index, the removal of files, whose store may be unavailable, and contracts of the schema,
 * which may take long.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #core: Core;
  readonly #primary: PrimaryMemory;
  readonly #upkeeps: readonly Upkeep[];
  readonly #record: UpkeepRecord;

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#core = options.core;
    this.#primary = options.primary ?? new PrimaryMemory();
    const { db, log } = options.core;
    const leads = (): boolean => options.leads?.() ?? true;
    const groups = [
      { timing: QUICK, steps: this.#quickSteps() },
      { timing: STRANDED, steps: [this.#strandedStep()] },
      { timing: SEARCH, steps: [this.#searchStep()] },
      { timing: SLOW, steps: this.#slowSteps() },
      { timing: RETENTION, steps: [this.#idleCursorStep(), ...retentionSteps(db, options)] },
      { timing: FILES, steps: this.#fileSteps() },
      { timing: SCHEMA, steps: [this.#schemaStep()] },
      ...this.#directoryGroups(),
    ];
    this.#record = new UpkeepRecord({
      db,
      log,
      leads,
      steps: groups.flatMap(({ timing, steps }) => steps.map(({ name }) => ({ name, ...timing }))),
      onOverdue: (steps) => options.onOverdue?.(steps),
    });
    const onStep = (report: UpkeepReport): void => {
      this.#record.note(report);
      options.onStep?.(report);
    };
    this.#upkeeps = groups.map(({ timing, steps }) => new Upkeep({ ...timing, steps, log, leads, onStep }));
  }

  start(): void {
    for (const upkeep of this.#upkeeps) upkeep.start();
    this.#record.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#upkeeps.map((upkeep) => upkeep.stop()), this.#record.stop()]);
  }

  /** Groups of their own: the directory may be away. */
  #directoryGroups() {
    const { directory } = this.#core;
    if (directory === null) return [];
    const upkeep = new DirectoryUpkeep(this.#core, directory);
    return [
      { timing: DIRECTORY, steps: upkeep.quick() },
      { timing: COMPARISON, steps: upkeep.paced() },
    ];
  }

  #quickSteps(): UpkeepStep[] {
    return [
      once("reclaim webhook queues", async () => {
        if (!this.#mayBeDue("leftCursors")) return 0;
        const rows = await reclaimCursors(this.#core.db);
        if (rows > 0) this.#core.signals.notify("webhooks");
        return rows;
      }),
      batches("end snoozes of chats", CHATS_AT_A_TIME, async () =>
        this.#mayBeDue("snoozes") ? endSnoozes(this.#core, CHATS_AT_A_TIME) : 0,
      ),
      batches("send approved proposals", PROPOSALS_AT_A_TIME, async () =>
        this.#mayBeDue("proposals") ? sendApproved(this.#core, PROPOSALS_AT_A_TIME) : 0,
      ),
      once("notice a promoted standby", async () => {
        if (this.#mayBeDue("newTimeline")) await noticeTimeline(this.#core, this.#primary);
      }),
    ];
  }

  /** It looks at all channels with waiting messages. */
  #strandedStep(): UpkeepStep {
    return batches("cancel stranded messages", CANCEL_BATCH, async () =>
      this.#mayBeDue("sends") ? failOrphanedJobs(this.#core) : 0,
    );
  }

  #mayBeDue(kind: "sends" | "search" | "snoozes" | "proposals" | "leftCursors" | "newTimeline"): boolean {
    return this.#options.dueWork?.()?.[kind] ?? true;
  }

  #searchStep(): UpkeepStep {
    const { db } = this.#core;
    return batches("index messages for search", MESSAGES_AT_A_TIME, async () =>
      this.#mayBeDue("search") ? indexForSearch(db, MESSAGES_AT_A_TIME) : 0,
    );
  }

  #slowSteps(): UpkeepStep[] {
    const { db, statistics } = this.#core;
    return [
      once("apply early reports", () => applyMissedReports(this.#core)),
      batches("end old phone checks", CHANNELS_AT_A_TIME, () =>
        endOldPhoneChecks(this.#core, CHANNELS_AT_A_TIME),
      ),
      batches("end restrictions of channels", CHANNELS_AT_A_TIME, () =>
        endRestrictions(this.#core, CHANNELS_AT_A_TIME),
      ),
      once("open the logs of the day", () => openDays(db)),
      once("end subscriptions of expired grants", () => endExpiredSubscriptions(db)),
      {
        name: "forget deleted channels",
        run: async () => ({ rows: 0, hasMore: await withStatementLimit(db, deleteHistoryBatch) }),
      },
      once("remove silent webhook_cursors", () =>
        withStatementLimit(db, (tx) => removeSilentCursors(tx, null)),
      ),
      once("count queues", async () => {
        const depths = await withStatementLimit(db, queueDepths);
        for (const { queue, jobs } of depths)
          statistics.add({
            ...{ accountId: INSTALLATION, kind: "queue", subject: NO_SUBJECT },
            ...{ label: queue, value: jobs },
          });
        this.#options.onDepths?.(depths);
      }),
      once("send alerts", () => reportAlerts(this.#core)),
      once("count waiting messages", () => withStatementLimit(db, (tx) => sampleQueues(tx, statistics))),
      once("count channels", async () =>
        this.#options.onChannels?.(await withStatementLimit(db, channelCounts)),
      ),
      once("count restricted channels", async () =>
        this.#options.onRestricted?.(await withStatementLimit(db, restrictedCounts)),
      ),
    ];
  }

  #idleCursorStep(): UpkeepStep {
    const { db } = this.#core;
    return batches("advance idle webhook_cursors", CURSOR_BATCH_SIZE, () =>
      withStatementLimit(db, advanceIdleCursors),
    );
  }

  /** Once nothing is left, the schema is looked at seldom: only a promoted standby may lack what it had. */
  #schemaStep(): UpkeepStep {
    const apply = this.#options.applyContracts;
    let nextAt = Number.NEGATIVE_INFINITY;
    return once("apply contracts of the schema", async () => {
      if (apply === undefined || performance.now() < nextAt) return;
      if ((await apply()) === 0) nextAt = performance.now() + SCHEMA_AGAIN_MS;
    });
  }

  #fileSteps(): UpkeepStep[] {
    const [days, limit] = [this.#options.fileRetentionDays, FILES_AT_A_TIME];
    return [
      batches("remove old files", limit, (signal) => removeOldFiles(this.#core, { days, limit, signal })),
      batches("remove old exports", limit, (signal) => removeExpired(this.#core, { limit, signal })),
    ];
  }
}

/** A step that does all its work in one run. `work` may return the number of changed rows. */
function once(name: string, work: () => Promise<unknown>): UpkeepStep {
  return {
    name,
    async run() {
      const rows = await work();
      return { rows: typeof rows === "number" ? rows : 0, hasMore: false };
    },
  };
}

/** A step that repeats `work` while it finds a full batch, until its time is over. */
function batches(name: string, size: number, work: (signal: AbortSignal) => Promise<number>): UpkeepStep {
  return {
    name,
    async run(signal) {
      let [rows, found] = [0, size];
      while (found === size && !signal.aborted) {
        found = await work(signal);
        rows += found;
      }
      return { rows, hasMore: found === size };
    },
  };
}
