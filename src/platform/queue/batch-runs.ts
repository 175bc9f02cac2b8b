import type { FairQueue, QueueKey } from "./fair-queue.ts";

/** The items of one run of a batcher: `next` takes them from the queue, one by one. Call `end` after the run. */
export interface BatchRun<Item> {
  next(): Item | undefined;
  end(): void;
}

type Owner = QueueKey["owner"];

/** Returns the next run, or null if none may start now. Every run takes items of all owners, which alternate. */
export function sharedRuns<Item>(queue: FairQueue<Item>, maxConcurrent: number): () => BatchRun<Item> | null {
  let running = 0;
  return () => {
    if (running >= maxConcurrent || queue.size === 0) return null;
    running++;
    return { next: () => queue.shift(), end: () => void running-- };
  };
}

/**
 * The same with two kinds of runs. Owners with up to `aloneAbove` waiting items share one run at a time; an owner with
 * more has runs of its own, up to `maxConcurrent - 1` at a time. No owner is in two runs at a time.
 */
export function ownRuns<Item>(
  queue: FairQueue<Item>,
  { aloneAbove, maxConcurrent }: { readonly aloneAbove: number; readonly maxConcurrent: number },
): () => BatchRun<Item> | null {
  const runs = { alone: 0, shared: 0 };

  function runOf(owners: readonly Owner[], kind: keyof typeof runs): BatchRun<Item> {
    const suspended: Owner[] = [];
    runs[kind]++;
    return {
      next() {
        for (let owner = owners[suspended.length - 1]; ; owner = owners[suspended.length - 1]) {
          const item = owner === undefined ? undefined : queue.shiftOf(owner);
          const following = owners[suspended.length];
          if (item !== undefined || following === undefined) return item;
          queue.suspend(following);
          suspended.push(following);
        }
      },
      end() {
        runs[kind]--;
        for (const owner of suspended) queue.resume(owner);
      },
    };
  }

  return () => {
    const waiting = [...queue.owners()];
    const few = waiting.flatMap(([owner, count]) => (count > aloneAbove ? [] : [owner]));
    if (runs.shared === 0 && few.length > 0) return runOf(few, "shared");
    const [many] = waiting.find(([, count]) => count > aloneAbove) ?? [];
    return many === undefined || runs.alone >= maxConcurrent - 1 ? null : runOf([many], "alone");
  };
}
