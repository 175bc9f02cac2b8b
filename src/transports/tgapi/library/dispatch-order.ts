import type { BaseTelegramClient } from "@mtcute/core/client.js";

interface Pending {
  readonly update: { readonly _: string };
}

/** What is used of the library's manager of updates, whose types hide it. */
interface Manager {
  readonly pendingUnorderedUpdates: { readonly length: number; popFront(): Pending };
  _onUpdate(pending: Pending, requested: unknown, postponed?: boolean, unordered?: boolean): Promise<void>;
}

/**
 * The library dispatches what a difference holds at the end of its turn. If the answer arrives while the turn waits for
 * something else, an update that was pushed behind the difference fits at once, and is dispatched first. Dispatches what
 * is left of differences before any other update (mtcute 0.30.3, `highlevel/updates/manager.js`).
 */
export function dispatchInOrder({ updates }: Pick<BaseTelegramClient, "updates">): void {
  if (updates === undefined) return;
  const manager = updates as unknown as Manager;
  const dispatch = manager._onUpdate.bind(manager);
  const { pendingUnorderedUpdates: fromDifferences } = manager;
  manager._onUpdate = async (pending, requested, postponed, unordered) => {
    while (unordered !== true && fromDifferences.length > 0)
      await dispatch(fromDifferences.popFront(), requested, false, true);
    await dispatch(pending, requested, postponed, unordered);
  };
}
