import { isDataFault, movedAccountOf } from "../../database/database.ts";
import { createBatcher } from "../../platform/queue/batcher.ts";
import type { Base } from "../base.ts";
import type { HasAvatars } from "../chat/avatars.ts";
import type { HasChats } from "../chat/chats.ts";
import { FirstPictures } from "../chat/first-pictures.ts";
import type { HasLogReaders } from "../event/log-readers.ts";
import type { Fact } from "../payload/facts.ts";
import { retryUntilStored } from "../retry.ts";
import type { HasEarlyReports } from "./early-reports.ts";
import { PictureGate } from "./picture-gate.ts";
import { recordReports } from "./record.ts";
import type { Report } from "./report.ts";

/**
 * Group commit of messengers' reports: `add` resolves when the report is stored. One transaction at a time per
 * account, retried until the database accepts it, so that reports of one chat are stored in the order in which they
 * were added. Accounts with few reports share a transaction; an account with many gets its own, so that no account
 * waits for the reports of another. Channels of an account are served round-robin. A report about many messages is stored
 * in several transactions, between which those of others run. Rejects with the database's error (`isDataFault`) only the
 * report that the tables refuse. A queue that closes without a database rejects what waits.
 */
export interface ReportQueue {
  add(report: Report): Promise<void>;
  /** Numbers of reports that wait to be stored, of an account and of one of its channels. */
  waitingOf(of: Pick<Report, "accountId" | "channelId">): {
    readonly account: number;
    readonly channel: number;
  };
  close(): Promise<void>;
}

export interface HasReports {
  readonly reports: ReportQueue;
}

/** Approximate limit of the characters of text that one transaction stores. */
const MAX_WEIGHT = 4_000_000;
/** An account with more waiting reports than this gets transactions of its own. */
const FEW = 16;
/** Each transaction takes one of the node's database connections (ten by default). */
const MAX_TRANSACTIONS = 3;

/** Called after each commit with what was published, and how long storing took. */
export type OnPublished = (facts: readonly Fact[], durationMs: number) => void;

/** `onStored` is called once for each stored report. */
export function createReportQueue(
  core: () => Base & HasAvatars & HasChats & HasEarlyReports & HasLogReaders,
  onStored: (report: Report) => void,
  onPublished?: OnPublished,
): ReportQueue {
  let closing = false;
  /** Why a report was given up; a later one of its chat must not be stored before it. */
  let givenUp: { readonly because: unknown } | null = null;
  const isForItself = (error: unknown): boolean => isDataFault(error) || movedAccountOf(error) !== null;
  const batcher = createBatcher<Report, Report | null>({
    maxItems: 256,
    maxConcurrent: MAX_TRANSACTIONS,
    aloneAbove: FEW,
    queueKeyOf: ({ accountId, channelId }) => ({ owner: accountId, lane: channelId }),
    weightOf: ({ event }) => textLength(event),
    maxWeight: MAX_WEIGHT,
    splitOn: isForItself,
    async run(reports) {
      if (givenUp !== null) throw givenUp.because;
      const began = performance.now();
      const { left, facts } = await retryUntilStored(
        () => recordReports(core(), reports),
        () => closing,
      ).catch((error: unknown) => {
        if (!isForItself(error)) givenUp = { because: error };
        throw error;
      });
      for (const [index, report] of reports.entries()) if (left[index] === null) onStored(report);
      onPublished?.(facts, performance.now() - began);
      return left;
    },
  });
  const store = async (report: Report): Promise<void> => {
    for (let left: Report | null = report; left !== null; ) left = await batcher.add(left);
  };
  const pictures = new FirstPictures(core);
  const gate = new PictureGate(core, pictures);
  return {
    add: (report) => gate.pass(report, store),
    waitingOf({ accountId, channelId }) {
      const { owner, lane } = batcher.waitingOf({ owner: accountId, lane: channelId });
      const held = gate.waitingOf({ accountId, channelId });
      return { account: owner + held.account, channel: lane + held.channel };
    },
    close() {
      closing = true;
      pictures.close();
      return batcher.close();
    },
  };
}

function textLength(event: Report["event"]): number {
  if (event.kind !== "message" && event.kind !== "edited") return 0;
  const body = event.kind === "message" ? event.message.body : event.body;
  if ("text" in body) return body.text.length;
  return body.type === "vcard" ? body.vcard.length : 0;
}
