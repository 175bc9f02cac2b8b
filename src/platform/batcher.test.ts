import { expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

/** Runs that end on demand. */
function manualRuns() {
  const runs: { items: readonly number[]; end: () => void }[] = [];
  let started: (() => void) | undefined;
  return {
    runs,
    run: (items: readonly number[]) =>
      new Promise<readonly number[]>((resolve) => {
        runs.push({ items, end: () => resolve(items.map((item) => item * 10)) });
        started?.();
      }),
    next: () =>
      new Promise<void>((resolve) => {
        started = resolve;
      }),
  };
}

test("items added during a run go into the next one, in order", async () => {
  const { runs, run, next } = manualRuns();
  const batcher = createBatcher({ run, maxItems: 3, maxConcurrent: 1 });
  const first = next();
  const results = [batcher.add(1)];
  await first;
  results.push(...[2, 3, 4, 5].map((item) => batcher.add(item)));
  expect(batcher.size()).toBe(5);
  for (const expected of [[1], [2, 3, 4], [5]]) {
    const current = runs.at(-1);
    expect(current?.items).toEqual(expected);
    const following = expected.includes(5) ? Promise.resolve() : next();
    current?.end();
    await following;
  }
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
  expect(batcher.size()).toBe(0);
});

test("limits the number of concurrent runs", async () => {
  let running = 0;
  let most = 0;
  const batcher = createBatcher({
    maxItems: 2,
    maxConcurrent: 3,
    run: async (items: readonly number[]) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return items;
    },
  });
  const items = Array.from({ length: 50 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items);
  expect(most).toBe(3);
});

test("only the invalid item fails if the error may be caused by an item", async () => {
  const seen: (readonly string[])[] = [];
  const batcher = createBatcher({
    maxItems: 100,
    maxConcurrent: 1,
    splitOn: (error) => error instanceof RangeError,
    run: async (items: readonly string[]) => {
      seen.push(items);
      if (items.includes("bad")) throw new RangeError("bad item");
      return items;
    },
  });
  const outcome = await Promise.allSettled(["a", "b", "bad", "c", "d"].map((item) => batcher.add(item)));
  expect(outcome.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(seen[0]).toHaveLength(5);
});

test("other errors fail the whole batch, once", async () => {
  let runs = 0;
  const batcher = createBatcher({
    maxItems: 100,
    maxConcurrent: 1,
    splitOn: () => false,
    run: async (): Promise<readonly string[]> => {
      runs++;
      throw new Error("connection lost");
    },
  });
  const outcome = await Promise.allSettled(["a", "b"].map((item) => batcher.add(item)));
  expect(outcome.every(({ status }) => status === "rejected")).toBe(true);
  expect(runs).toBe(1);
});

test("close waits for pending items and rejects new ones", async () => {
  const batcher = createBatcher({
    maxItems: 1,
    maxConcurrent: 1,
    run: async (items: readonly number[]) => items,
  });
  const results = Promise.all([1, 2, 3].map((item) => batcher.add(item)));
  await Promise.all([batcher.close(), batcher.close()]);
  expect(batcher.size()).toBe(0);
  expect(await results).toEqual([1, 2, 3]);
  await expect(batcher.add(4)).rejects.toThrow(/stopping/);
  await batcher.close();
});
