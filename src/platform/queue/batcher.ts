import { type BatchRun, ownRuns, sharedRuns } from "./batch-runs.ts";
import { FairQueue, type QueueKey } from "./fair-queue.ts";

/** Combines many single calls into few batches: items added during a run go into the next one. */
export interface Batcher<Item, Result> {
  /** Resolves with the item's own result once its run is done. */
  add(item: Item): Promise<Result>;
  /** The number of items waiting or in progress. */
  size(): number;
  /** The number of items waiting for a run: of an owner, and of one of its lanes. */
  waitingOf(key: QueueKey): { readonly owner: number; readonly lane: number };
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
   * The owner and lane of an item: items of one lane run in order; lanes and owners alternate. Without it, all items
   * run in the order in which they were added.
   */
  readonly queueKeyOf?: (item: Item) => QueueKey;
  /**
   * Owners with more waiting items than this run alone, concurrently with the others, up to `maxConcurrent` runs; the
   * others share one run at a time. No owner is in two runs at a time, so its lanes keep their order. Needs
   * `queueKeyOf`. Without it, all owners share runs.
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
  const runs = new Runs(options);
  return {
    add: (item) =>
      runs.isClosed
        ? Promise.reject(new Error("The service is stopping and accepts no further work"))
        : new Promise((resolve, reject) => runs.push({ item, resolve, reject })),
    size: () => runs.size,
    waitingOf: (key) => runs.waitingOf(key),
    close: () => runs.close(),
  };
}

/** The items of a batcher, and its runs. */
class Runs<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #waiting: FairQueue<Waiting<Item, Result>>;
  readonly #next: () => BatchRun<Waiting<Item, Result>> | null;
  #running = 0;
  #inProgress = 0;
  #isScheduled = false;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: BatcherOptions<Item, Result>) {
    const { queueKeyOf, aloneAbove, maxConcurrent } = options;
    this.#options = options;
    this.#waiting = new FairQueue(({ item }) => queueKeyOf?.(item) ?? ALL_TOGETHER);
    this.#next =
      aloneAbove === undefined
        ? sharedRuns(this.#waiting, maxConcurrent)
        : ownRuns(this.#waiting, { aloneAbove, maxConcurrent });
  }

  get size(): number {
    return this.#waiting.size + this.#inProgress;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  push(item: Waiting<Item, Result>): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  waitingOf(key: QueueKey): { readonly owner: number; readonly lane: number } {
    return this.#waiting.waitingOf(key);
  }

  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    if (this.#running === 0 && this.#waiting.size === 0) this.#closed.resolve();
    return this.#closed.promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#options.maxConcurrent || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (let run = this.#next(); run !== null; run = this.#next()) this.#start(run);
    });
  }

  #start({ next, end }: BatchRun<Waiting<Item, Result>>): void {
    const batch = this.#batchOf(next);
    this.#running++;
    this.#inProgress += batch.length;
    runBatch(this.#options, batch).finally(() => {
      this.#running--;
      this.#inProgress -= batch.length;
      end();
      if (this.#waiting.size > 0) this.#schedule();
      else if (this.#running === 0) this.#closed?.resolve();
    });
  }

  #batchOf(next: BatchRun<Waiting<Item, Result>>["next"]): Waiting<Item, Result>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weightOf = () => 0 } = this.#options;
    const batch: Waiting<Item, Result>[] = [];
    for (let weight = 0; batch.length < maxItems && weight < maxWeight; ) {
      const item = next();
      if (item === undefined) break;
      batch.push(item);
      weight += weightOf(item.item);
    }
    return batch;
  }
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
