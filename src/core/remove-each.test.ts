import { expect, it } from "vitest";
import { removeEach } from "./remove-each.ts";

/** Removes from these items, of which the negative ones cannot be removed; returns what remains. */
async function left(items: readonly number[], limit: number): Promise<[number[], number | string]> {
  const remaining = [...items];
  const result = await removeEach<number>({
    limit,
    signal: new AbortController().signal,
    read: async (count, skipped) => remaining.slice(skipped, skipped + count),
    async remove(item) {
      if (item < 0) throw new Error(`cannot remove ${item}`);
      remaining.splice(remaining.indexOf(item), 1);
    },
  }).catch((error: Error) => error.message);
  return [remaining, result];
}

it.each([
  ["none", [], 2, [], 0],
  ["fewer than the limit", [1], 2, [], 1],
  ["as many as the limit", [1, 2, 3], 2, [3], 2],
  ["behind one that stays", [-1, 2, 3], 2, [-1], 2],
  ["behind more than the limit that stay", [-1, -2, -3, 4], 2, [-1, -2, -3], "cannot remove -1"],
  ["only such that stay", [-1, -2], 5, [-1, -2], "cannot remove -1"],
])("%s", async (_, items, limit, remaining, result) => {
  expect(await left(items, limit)).toEqual([remaining, result]);
});

it("ends when its time is over, in the middle of a batch", async () => {
  const controller = new AbortController();
  let tries = 0;
  const remove = async (): Promise<void> => {
    if (++tries === 150) controller.abort();
    throw new Error("the store is away");
  };
  const read = async (count: number) => Array.from({ length: count });
  const all = removeEach({ limit: 100, signal: controller.signal, read, remove });
  await expect(all).rejects.toThrow("the store is away");
  expect(tries).toBe(150);
});
