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

test("an owner with much runs alone, beside the others, and in order", async () => {
  const runs: { readonly items: readonly string[]; readonly end: () => void }[] = [];
  const batcher = createBatcher<string, string>({
    maxItems: 4,
    maxConcurrent: 2,
    aloneAbove: 2,
    queueKeyOf: (item) => ({ owner: item.charAt(0), lane: "" }),
    run: (items) => new Promise((resolve) => runs.push({ items, end: () => resolve(items) })),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const add = (...items: string[]): Promise<string>[] => items.map((item) => batcher.add(item));
  const results = add("a0", "a1", "a2", "a3", "a4", "b0", "c0", "b1");
  await settled();
  expect(runs.map(({ items }) => items)).toEqual([
    ["b0", "b1", "c0"],
    ["a0", "a1", "a2", "a3"],
  ]);
  results.push(...add("b2", "d0", "e0", "e1", "e2"));
  await settled();
  // The shared run is under way, and so is the only one that an owner may have alone.
  expect(runs).toHaveLength(2);
  expect(batcher.waitingOf({ owner: "a", lane: "" })).toEqual({ owner: 1, lane: 1 });
  runs[0]?.end();
  await settled();
  expect(runs[2]?.items).toEqual(["d0", "b2"]);
  runs[1]?.end();
  await settled();
  expect(runs[3]?.items).toEqual(["e0", "e1", "e2"]);
  runs[2]?.end();
  await settled();
  expect(runs[4]?.items).toEqual(["a4"]);
  for (const { end } of runs) end();
  expect(await Promise.all(results)).toHaveLength(13);
  expect(batcher.size()).toBe(0);
});
