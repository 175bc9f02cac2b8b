import { type Belonging, FairQueue } from "./fair-queue.ts";

/** Turns many single calls into few: what arrives while runs are under way goes into the next one. */
export interface Batcher<Item, Result> {
  /** Resolves with the item's own result once the run that carried it is done. */
  add(item: Item): Promise<Result>;
  /** Items waiting or under way. */
  size(): number;
  /** Items that wait for a run, of an owner and of one of its lanes. */
  waitingOf(belonging: Belonging): { readonly owner: number; readonly lane: number };
  /** Refuses new items and waits for those already added. */
  close(): Promise<void>;
}

export interface BatcherOptions<Item, Result> {
  /** Answers in the order of the items, one result each. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxItems: number;
  /** Runs under way at a time. With more than one, later items may be done before earlier ones. */
  readonly maxConcurrent: number;
  /**
   * Says that an error may be one item's fault: then the halves of the batch run separately, until the bad item
   * fails alone. Without it, or when it answers false, all items of the run fail together.
   */
  readonly splitOn?: (error: unknown) => boolean;
  /**
   * To whom an item belongs: those of one lane run in their order, lanes and owners take turns. Without it, all items run
   * in the order in which they were added.
   */
  readonly belongingOf?: (item: Item) => Belonging;
  /** A run takes no further item once these weights add up to `maxWeight`. */
  readonly weightOf?: (item: Item) => number;
  readonly maxWeight?: number;
}

const ALL_TOGETHER: Belonging = { owner: "", lane: "" };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. When idle, a run starts as soon as the event loop has handed over what it already has;
 * nothing ever waits for a timer. Items go out in the order in which they were added, or in turns by `belongingOf`.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { belongingOf, maxWeight = Number.POSITIVE_INFINITY, weightOf = () => 0 } = options;
  const waiting = new FairQueue<Waiting<Item, Result>>(({ item }) => belongingOf?.(item) ?? ALL_TOGETHER);
  let running = 0;
  let underWay = 0;
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
    while (running < options.maxConcurrent && waiting.size > 0) {
      const batch = nextBatch();
      running++;
      underWay += batch.length;
      runBatch(options, batch).finally(() => {
        running--;
        underWay -= batch.length;
        if (waiting.size > 0) schedule();
        else if (running === 0) closed?.resolve();
      });
    }
  }

  function nextBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    for (let weight = 0; batch.length < options.maxItems && weight < maxWeight; ) {
      const next = waiting.shift();
      if (next === undefined) break;
      batch.push(next);
      weight += weightOf(next.item);
    }
    return batch;
  }

  return {
    add(item) {
      if (closed !== undefined)
        return Promise.reject(new Error("The service is stopping and takes nothing more"));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      });
    },
    size: () => waiting.size + underWay,
    waitingOf: (belonging) => waiting.waitingOf(belonging),
    close() {
      closed ??= Promise.withResolvers();
      if (running === 0 && waiting.size === 0) closed.resolve();
      return closed.promise;
    },
  };
}

/** Never rejects: every outcome goes to the items. */
async function runBatch<Item, Result>(
  options: BatcherOptions<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await options.run(batch.map(({ item }) => item));
    if (results.length !== batch.length)
      throw new Error(`A batch of ${batch.length} items came back with ${results.length} results`);
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
