import type { Core } from "../../core/core.ts";
import { publishRequestsAndCommit } from "../../core/crm/publish-requests.ts";
import type { Published } from "../../core/event/log.ts";
import { announce } from "../../core/event/publish.ts";
import { type ChangeOutcome, recordChangeOutcome } from "../../core/message/change.ts";
import { applyToSent } from "../../core/message/early-reports.ts";
import { recordOutcomes, type SendOutcome } from "../../core/message/outcome.ts";
import { recordOutcomeAtOnce } from "../../core/message/outcome-at-once.ts";
import { settleResolvedChats } from "../../core/message/resolved-chat.ts";
import {
  type DelayedJob,
  delayJobs,
  dropJobs,
  type JobKey,
  type Postponed,
  postponeJobs,
} from "../../core/message/send-jobs.ts";
import type { Fact } from "../../core/payload/facts.ts";
import { retryUntilStored } from "../../core/retry.ts";
import { isDataFault, type Transaction } from "../../database/database.ts";
import { plausibleDate } from "../../platform/foreign/foreign-date.ts";
import { type Batcher, createBatcher } from "../../platform/queue/batcher.ts";

/** The outcome to store after a job. */
export type Finish =
  | { readonly kind: "outcome"; readonly outcome: SendOutcome }
  | { readonly kind: "change"; readonly change: ChangeOutcome }
  | ({ readonly kind: "again" } & Postponed)
  | { readonly kind: "drop"; readonly job: JobKey }
  | ({ readonly kind: "hold" } & DelayedJob);

export type OnStored = (finishes: readonly Finish[], durationMs: number) => void;

/** An account with more pending outcomes than this gets transactions of its own. */
const FEW = 16;
/** Each transaction takes one of the node's database connections (ten by default). */
const MAX_TRANSACTIONS = 3;

/**
 * Group commit of outcomes; those of one account are stored in the order in which they were added. Accounts with few
 * outcomes share a transaction, an account with many gets its own. Retries while the database is unavailable: what a
 * messenger reported must not be lost. `onStored` is called after each commit, with how long storing took.
 */
export function createFinishQueue(core: Core, onStored?: OnStored): Batcher<Finish, void> {
  return createBatcher<Finish, void>({
    maxItems: 256,
    maxConcurrent: MAX_TRANSACTIONS,
    aloneAbove: FEW,
    queueKeyOf: (finish) => ({ owner: accountOf(finish), lane: "" }),
    // If the database refuses one outcome, the others are still stored.
    splitOn: () => true,
    async run(finishes) {
      const began = performance.now();
      const resolved = await settleResolvedChats(core, outcomesOf(finishes));
      announce(core, await storeSomehow(core, finishes));
      onStored?.(finishes, performance.now() - began);
      applyToSent(core, [...finishes.flatMap(sentChat), ...resolved]);
      for (const finish of finishes)
        if (finish.kind === "change") core.signals.notify("outcomes", String(finish.change.job.id));
      return finishes.map(() => undefined);
    },
  });
}

function accountOf(finish: Finish): number {
  if (finish.kind === "outcome") return finish.outcome.accountId;
  return (finish.kind === "change" ? finish.change.job : finish.job).accountId;
}

function outcomesOf(finishes: readonly Finish[]): SendOutcome[] {
  return finishes.flatMap((finish) => (finish.kind === "outcome" ? [finish.outcome] : []));
}

function sentChat(finish: Finish): string[] {
  return finish.kind === "outcome" && finish.outcome.result.kind === "sent" ? [finish.outcome.chat] : [];
}

/**
 * A send whose outcome the tables refuse must not block its chat, nor be sent again. A sent message stays sent,
 * without the messenger's details; a failure is stored as unknown. Returns what was published.
 */
async function storeSomehow(core: Core, finishes: readonly Finish[]): Promise<readonly Published[]> {
  const attempt = (what: readonly Finish[]): Promise<readonly Published[]> =>
    retryUntilStored(
      async () => (await storeAtOnce(core, what)) ?? core.db.tx((tx) => store(core, tx, what)),
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
  const sentAt = plausibleDate(result.sentAt, core.clock.now());
  return { ...result, externalId: `unnamed:${messageId}`, sentAt };
}

const UNSTORABLE: SendOutcome["result"] = {
  kind: "failed",
  error: {
    code: "UNKNOWN_ERROR",
    description: "The messenger's response could not be stored; the message may have arrived",
  },
};

/** At a low load nearly every batch is one outcome. Null: it needs a transaction. */
async function storeAtOnce(core: Core, finishes: readonly Finish[]): Promise<readonly Published[] | null> {
  const [only, ...others] = finishes;
  if (only?.kind !== "outcome" || others.length > 0) return null;
  return recordOutcomeAtOnce(core, only.outcome);
}

async function store(
  core: Core,
  tx: Transaction,
  finishes: readonly Finish[],
): Promise<readonly Published[]> {
  const of = <Kind extends Finish["kind"]>(kind: Kind): Extract<Finish, { kind: Kind }>[] =>
    finishes.filter((finish): finish is Extract<Finish, { kind: Kind }> => finish.kind === kind);
  const outcomes = of("outcome").map(({ outcome }) => outcome);
  const facts: Fact[] = await recordOutcomes(core, tx, outcomes);
  for (const { change } of of("change")) facts.push(...(await recordChangeOutcome(core, tx, change)));
  const drops = of("drop").map(({ job }) => job);
  const rest = [postponeJobs(tx, of("again")), delayJobs(tx, of("hold")), dropJobs(tx, drops)];
  const [told] = await Promise.all([publishRequestsAndCommit(tx, facts, core.logReaders), ...rest]);
  return told;
}
