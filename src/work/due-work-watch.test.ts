import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DueWork } from "../core/node/due-work.ts";
import { PrimaryMemory } from "../core/primary-memory.ts";
import type { Database } from "../database/database.ts";
import { DueWorkWatch, type DueWorkWatchOptions } from "./due-work-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A watch over a database that answers with `answer()`, and what it did: the topics that it woke, whether it watches. */
function build(
  answer: () => Promise<Partial<DueWork>>,
  { isInVain = () => false }: Pick<DueWorkWatchOptions, "isInVain"> = {},
) {
  const woken: string[] = [];
  const watching: boolean[] = [];
  const db: Pick<Database, "query"> = { query: async <Row extends object>() => [(await answer()) as Row] };
  const lease = {
    nodeId: "node",
    isValid: () => true,
    concurrency: 1,
    primary: new PrimaryMemory(),
    release: async () => undefined,
  };
  const watch = new DueWorkWatch({
    db: db as Database,
    log: { debug: () => undefined } as never,
    signals: {
      wake: (topic) => void woken.push(topic),
      setWatched: (is) => void watching.push(is),
    },
    lease: () => lease,
    isInVain,
  });
  watch.start();
  return { watch, woken, isWatching: () => watching.at(-1) ?? false };
}

test("wakes the workers of what is due, once a second", async () => {
  const due = [{ sends: true, files: true }, {}, { webhooks: true }];
  const { woken, isWatching } = build(async () => due.shift() ?? {});
  expect(isWatching()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([woken, isWatching()]).toEqual([["sends", "files"], true]);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(woken).toEqual(["sends", "files"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(woken).toEqual(["sends", "files", "webhooks"]);
});

test("does not wake a worker that has found nothing to do in the same work", async () => {
  const { woken } = build(async () => ({ sends: true, files: true, latestDueFile: 7 }), {
    isInVain: (topic, { latestDueFile }) => topic === "files" && latestDueFile === 7,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(woken).toEqual(["sends"]);
});

test("does not watch while the database refuses", async () => {
  let isAway = false;
  const { watch, isWatching } = build(async () => {
    if (isAway) throw new Error("away");
    return { leader: "other" };
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([watch.latest()?.leader, isWatching()]).toEqual(["other", true]);
  isAway = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([watch.latest(), isWatching()]).toEqual([null, false]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isWatching()).toBe(true);
});

test("does not watch while the database does not answer", async () => {
  const answers = [Promise.resolve({}), new Promise<never>(() => undefined)];
  const { watch, isWatching } = build(() => answers.shift() ?? Promise.resolve({}));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([watch.latest(), isWatching()]).toEqual([{}, true]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect([watch.latest(), isWatching()]).toEqual([null, false]);
});
