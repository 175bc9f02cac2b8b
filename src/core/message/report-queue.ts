import { isDataFault } from "../../database/database.ts";
import { createBatcher } from "../../platform/batcher.ts";
import type { Core } from "../core.ts";
import { repeatUntilStored } from "../repeat.ts";
import { type Report, recordReports } from "./record.ts";

/**
 * Group commit for what messengers report: `add` resolves when the report is stored. One transaction at a time, and
 * again until the database takes it, so that reports of one chat are stored in the order in which they were added.
 * Rejects with the database's error (`isDataFault`) for the one report that the tables refuse.
 */
export interface ReportQueue {
  add(report: Report): Promise<void>;
  close(): Promise<void>;
}

/** `onStored` is called once for each stored event. */
export function createReportQueue(core: () => Core, onStored: (event: Report["event"]) => void): ReportQueue {
  let closing = false;
  const batcher = createBatcher<Report, void>({
    maxItems: 256,
    maxConcurrent: 1,
    splitOn: isDataFault,
    async run(reports) {
      await repeatUntilStored(
        () => recordReports(core(), reports),
        () => closing,
      );
      for (const { event } of reports) onStored(event);
      return reports.map(() => undefined);
    },
  });
  return {
    add: batcher.add,
    close() {
      closing = true;
      return batcher.close();
    },
  };
}
