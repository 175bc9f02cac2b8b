import type { Core } from "../core/core.ts";
import { type Event, publishAndCommit, wakeReceivers } from "../core/event/publish.ts";
import { type ChangeOutcome, recordChangeOutcome } from "../core/message/change.ts";
import { applySoon } from "../core/message/early-reports.ts";
import { recordOutcomes, type SendOutcome } from "../core/message/outcome.ts";
import {
  dropJobs,
  type JobKey,
  type LaneRelease,
  type Postponed,
  postponeJobs,
  releaseLanes,
} from "../core/message/send-lanes.ts";
import { repeatUntilStored } from "../core/repeat.ts";
import { isDataFault, type Transaction } from "../database/database.ts";
import { type Batcher, createBatcher } from "../platform/batcher.ts";
import { soundDate } from "../platform/foreign-date.ts";

/** What is stored after a job. */
export type Finish =
  | { readonly kind: "outcome"; readonly outcome: SendOutcome }
  | { readonly kind: "change"; readonly change: ChangeOutcome }
  | ({ readonly kind: "again" } & Postponed)
  | { readonly kind: "drop"; readonly job: JobKey }
  | { readonly kind: "release"; readonly release: LaneRelease };

/**
 * Group commit for outcomes, in the order in which they were added. While the database is away it keeps trying:
 * what a messenger said must not be lost. `onMore` is called when a released lane has more to do.
 */
export function createFinishQueue(core: Core, { onMore }: { onMore(): void }): Batcher<Finish, void> {
  return createBatcher<Finish, void>({
    maxItems: 256,
    maxConcurrent: 1,
    // Whatever the database refuses for one, the others' outcomes are known and must stay so.
    splitOn: () => true,
    async run(finishes) {
      const result = await storeSomehow(core, finishes);
      wakeReceivers(core, result.told);
      applySoon(core, finishes.flatMap(sentChat));
      for (const finish of finishes)
        if (finish.kind === "change") core.wakes.wake("outcomes", String(finish.change.job.id));
      if (result.more) onMore();
      return finishes.map(() => undefined);
    },
  });
}

function sentChat(finish: Finish): string[] {
  return finish.kind === "outcome" && finish.outcome.result.kind === "sent" ? [finish.outcome.chat] : [];
}

interface Stored {
  /** Accounts. */
  readonly told: readonly number[];
  readonly more: boolean;
}

/**
 * A send whose outcome the tables refuse must not hold up its chat, nor leave again. What was sent stays sent, without
 * what the messenger says of it; a failure ends as unknown.
 */
async function storeSomehow(core: Core, finishes: readonly Finish[]): Promise<Stored> {
  const attempt = (what: readonly Finish[]): Promise<Stored> =>
    repeatUntilStored(
      () => core.db.tx((tx) => store(core, tx, what)),
      () => false,
    );
  try {
    return await attempt(finishes);
  } catch (error) {
    const [only] = finishes;
    if (!isDataFault(error) || finishes.length > 1 || only?.kind !== "outcome") throw error;
    const { channelId, messageId } = only.outcome;
    core.log.error({ err: error, channelId, messageId }, "the outcome of a send cannot be stored");
    return attempt([{ kind: "outcome", outcome: { ...only.outcome, result: storable(core, only.outcome) } }]);
  }
}

function storable(core: Core, { messageId, result }: SendOutcome): SendOutcome["result"] {
  if (result.kind === "failed") return UNSTORABLE;
  const sentAt = soundDate(result.sentAt, core.clock.now());
  return { ...result, externalId: `unnamed:${messageId}`, sentAt };
}

const UNSTORABLE: SendOutcome["result"] = {
  kind: "failed",
  error: {
    code: "UNKNOWN_ERROR",
    description: "The messenger's answer could not be stored; it may have arrived",
  },
};

async function store(core: Core, tx: Transaction, finishes: readonly Finish[]): Promise<Stored> {
  const outcomes = finishes.flatMap((finish) => (finish.kind === "outcome" ? [finish.outcome] : []));
  const events: Event[] = await recordOutcomes(core, tx, outcomes);
  for (const finish of finishes) {
    if (finish.kind === "change") events.push(...(await recordChangeOutcome(core, tx, finish.change)));
  }
  const [more, told] = await Promise.all([
    releaseLanes(
      tx,
      finishes.flatMap((finish) => (finish.kind === "release" ? [finish.release] : [])),
    ),
    postponeJobs(
      tx,
      finishes.flatMap((finish) => (finish.kind === "again" ? [postponedOf(finish)] : [])),
    ),
    dropJobs(
      tx,
      finishes.flatMap((finish) => (finish.kind === "drop" ? [finish.job] : [])),
    ),
    publishAndCommit(tx, events),
  ]).then(([released, , , published]) => [released, published] as const);
  return { told, more };
}

function postponedOf({ job, epoch, attempts, unsure }: Postponed): Postponed {
  return { job, epoch, attempts, unsure };
}
