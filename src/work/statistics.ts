import { statfs } from "node:fs/promises";
import type { Base } from "../core/base.ts";
import { LogThrottle } from "../core/log-throttle.ts";
import { type HasStatistics, INSTALLATION, NO_SUBJECT } from "../core/statistics/statistics.ts";
import { alignedInterval } from "../platform/aligned-interval.ts";

const EVERY_MS = 60_000;
const REPEATS_AFTER_MS = 600_000;

interface Node {
  readonly name: string;
  /** Where its data are. */
  readonly directory: string;
}

/** Stores what this node has counted, once a minute; the returned function stores the rest. */
export function storeStatistics(
  { db, log, statistics }: Base & HasStatistics,
  { name, directory }: Node,
): () => Promise<void> {
  const throttle = new LogThrottle({ maxEntries: 1, ttlMs: REPEATS_AFTER_MS });
  const store = async (): Promise<void> => {
    await statistics.flush(db).catch((error: unknown) => {
      const level = throttle.shouldLog("") ? "warn" : "debug";
      log[level]({ err: error }, "the statistics could not be stored; they are added to the next ones");
    });
  };
  const sampleDisk = async (): Promise<void> => {
    const { blocks, bfree, bavail } = await statfs(directory);
    const used = blocks - bfree;
    const value = used + bavail === 0 ? 0 : (100 * used) / (used + bavail);
    statistics.add({
      ...{ accountId: INSTALLATION, kind: "disk", subject: NO_SUBJECT },
      ...{ label: name, value },
    });
  };
  let storing = Promise.resolve();
  const stopTimer = alignedInterval(() => {
    storing = storing.then(() => sampleDisk().catch(() => undefined)).then(store);
  }, EVERY_MS);
  return async () => {
    stopTimer();
    await storing;
    await store();
  };
}
