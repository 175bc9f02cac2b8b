import type { FairQueue, QueueKey } from "./fair-queue.ts";

/** The items of one run of a batcher: `next` takes them from the queue, one by one. Call `end` after the run. */
export interface BatchTurn<Item> {
  next(): Item | undefined;
  end(): void;
}

type Owner = QueueKey["owner"];

/** Returns the next run, or null if none may start now. Every run takes items of all owners, which alternate. */
export function sharedTurns<Item>(
  queue: FairQueue<Item>,
  maxConcurrent: number,
): () => BatchTurn<Item> | null {
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
export function ownTurns<Item>(
  queue: FairQueue<Item>,
  { aloneAbove, maxConcurrent }: { readonly aloneAbove: number; readonly maxConcurrent: number },
): () => BatchTurn<Item> | null {
  const runs = { alone: 0, shared: 0 };

  function turnOf(owners: readonly Owner[], kind: keyof typeof runs): BatchTurn<Item> {
    const held: Owner[] = [];
    runs[kind]++;
    return {
      next() {
        for (let owner = owners[held.length - 1]; ; owner = owners[held.length - 1]) {
          const item = owner === undefined ? undefined : queue.shiftOf(owner);
          const following = owners[held.length];
          if (item !== undefined || following === undefined) return item;
          queue.hold(following);
          held.push(following);
        }
      },
      end() {
        runs[kind]--;
        for (const owner of held) queue.release(owner);
      },
    };
  }

  return () => {
    const turns = [...queue.turns()];
    const few = turns.flatMap(([owner, waiting]) => (waiting > aloneAbove ? [] : [owner]));
    if (runs.shared === 0 && few.length > 0) return turnOf(few, "shared");
    const [many] = turns.find(([, waiting]) => waiting > aloneAbove) ?? [];
    return many === undefined || runs.alone >= maxConcurrent - 1 ? null : turnOf([many], "alone");
  };
}
