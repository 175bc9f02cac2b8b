import { setImmediate as nextTurn } from "node:timers/promises";
import { settleAll } from "./settle-all.ts";

/** How long one slice may block the event loop, unless a single item takes longer. */
const SLICE_MS = 10;

/**
 * Starts the work on each item, in order, and lets other work of the node run every few milliseconds. Resolves when all
 * works have; rejects with the first failure in list order once all have settled. What a work does before its first
 * await keeps the order of the items.
 */
export async function inSlices<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  const works: Promise<unknown>[] = [];
  let until = performance.now() + SLICE_MS;
  for (const [index, item] of items.entries()) {
    const started = work(item, index);
    // It may fail before the last one has started; `settleAll` reports that.
    started.catch(() => undefined);
    works.push(started);
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  await settleAll(works);
}
