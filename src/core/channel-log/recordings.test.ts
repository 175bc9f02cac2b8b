import { expect, test } from "vitest";
import type { Database } from "../../database/database.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Signals } from "../signals.ts";
import { followRecordings } from "./recordings.ts";

test("a read that a later one overtakes changes nothing", async () => {
  const reads: ((rows: object[]) => void)[] = [];
  const db = { query: () => new Promise((resolve) => reads.push(resolve)) } as unknown as Database;
  let notify = (): void => undefined;
  const signals = {
    on(_topic: string, handler: () => void) {
      notify = handler;
      return () => undefined;
    },
  } as unknown as Signals;
  const onError = (error: unknown): never => {
    throw error;
  };
  const recordings = followRecordings({ db, signals, clock: systemClock, onError });
  notify();
  const [first, second] = reads;
  second?.([{ id: "channel", until: new Date(Date.now() + 60_000) }]);
  first?.([]);
  await Promise.resolve();
  expect(recordings.take("channel")).toBe(true);
});
