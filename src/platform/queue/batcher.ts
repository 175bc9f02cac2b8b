import { type BatchTurn, ownTurns, sharedTurns } from "./batch-turns.ts";
import { FairQueue, type QueueKey } from "./fair-queue.ts";

/** Combines many single calls into few batches: items added during a run go into the next one. */
export interface Batcher<Item, Result> {
  /** Resolves with the item's own result once its run is done. */
  add(item: Item): Promise<Result>;
  /** The number of items waiting or in progress. */
  size(): number;
  /** The number of items waiting for a run: of an owner, and of one of its lanes. */
  waitingOf(belonging: QueueKey): { readonly owner: number; readonly lane: number };
  /** Rejects new items and waits for those already added. */
  close(): Promise<void>;
}

export interface BatcherOptions<Item, Result> {
  /** Returns one result per item, in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxItems: number;
  /** The maximum number of concurrent runs. With more than one, later items may finish before earlier ones. */
  readonly maxConcurrent: number;
  /**
   * Returns whether an error may be caused by a single item. If so, the batch is split in halves that run separately,
   * until the invalid item fails alone. Otherwise all items of the run fail together.
   */
  readonly splitOn?: (error: unknown) => boolean;
  /**
   * The owner and lane of an item: items of one lane run in order; lanes and owners take turns. Without it, all items
   * run in the order in which they were added.
   */
  readonly belongingOf?: (item: Item) => QueueKey;
  /**
   * Owners with more waiting items than this run alone, and beside the others, up to `maxConcurrent` runs; the others
   * share one run at a time. No owner is in two runs at a time, so its lanes keep their order. Needs `queueKeyOf`.
   * Without it, all owners share runs.
   */
  readonly aloneAbove?: number;
  /** A run takes no further items once their weights add up to `maxWeight`. */
  readonly weightOf?: (item: Item) => number;
  readonly maxWeight?: number;
}

const ALL_TOGETHER: QueueKey = { owner: "", lane: "" };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. When idle, a run starts as soon as the event loop has delivered the pending calls; no timer delays
 * it. Items run in the order in which they were added, or fairly by `queueKeyOf`.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { belongingOf, maxWeight = Number.POSITIVE_INFINITY, weightOf = () => 0 } = options;
  const waiting = new FairQueue<Waiting<Item, Result>>(({ item }) => belongingOf?.(item) ?? ALL_TOGETHER);
  const { aloneAbove, maxConcurrent } = options;
  const nextTurn =
    aloneAbove === undefined
      ? sharedTurns(waiting, maxConcurrent)
      : ownTurns(waiting, { aloneAbove, maxConcurrent });
  let running = 0;
  let inProgress = 0;
  let scheduled = false;
  let closed: PromiseWithResolvers<void> | undefined;

  function schedule(): void {
    if (scheduled || running >= options.maxConcurrent || waiting.size === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      start();
    });
  }

  function start(): void {
    for (let turn = nextTurn(); turn !== null; turn = nextTurn()) run(turn);
  }

  function run({ next, end }: BatchTurn<Waiting<Item, Result>>): void {
    const batch = batchOf(next);
    running++;
    inProgress += batch.length;
    runBatch(options, batch).finally(() => {
      running--;
      inProgress -= batch.length;
      end();
      if (waiting.size > 0) schedule();
      else if (running === 0) closed?.resolve();
    });
  }

  function batchOf(next: BatchTurn<Waiting<Item, Result>>["next"]): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    for (let weight = 0; batch.length < options.maxItems && weight < maxWeight; ) {
      const item = next();
      if (item === undefined) break;
      batch.push(item);
      weight += weightOf(item.item);
    }
    return batch;
  }

  return {
    add(item) {
      if (closed !== undefined)
        return Promise.reject(new Error("The service is stopping and accepts no further work"));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      });
    },
    size: () => waiting.size + inProgress,
    waitingOf: (belonging) => waiting.waitingOf(belonging),
    close() {
      closed ??= Promise.withResolvers();
      if (running === 0 && waiting.size === 0) closed.resolve();
      return closed.promise;
    },
  };
}

/** Never rejects: every outcome is passed to the items. */
async function runBatch<Item, Result>(
  options: BatcherOptions<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await options.run(batch.map(({ item }) => item));
    if (results.length !== batch.length)
      throw new Error(`A batch of ${batch.length} items returned ${results.length} results`);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (batch.length === 1 || options.splitOn?.(error) !== true) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const middle = batch.length >> 1;
    await runBatch(options, batch.slice(0, middle));
    await runBatch(options, batch.slice(middle));
  }
}
