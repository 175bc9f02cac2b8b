/**
 * Removes up to `limit` items, one by one in their order, until `signal` aborts. Returns the number of removed items. An
 * item that cannot be removed does not stop the others: it is skipped, and if that leaves fewer than `limit`, the first
 * such failure is thrown at the end. `read` returns at most `count` items after the first `skipped` ones.
 */
export async function removeEach<T>(options: {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly read: (count: number, skipped: number) => Promise<readonly T[]>;
  readonly remove: (item: T) => Promise<void>;
}): Promise<number> {
  const { limit, signal, read, remove } = options;
  let [removed, skipped] = [0, 0];
  let failure: unknown;
  while (removed < limit && !signal.aborted) {
    const items = await read(limit - removed, skipped);
    if (items.length === 0) break;
    for (const item of items) {
      if (signal.aborted) break;
      await remove(item).then(
        () => removed++,
        (error: unknown) => {
          if (skipped++ === 0) failure = error;
        },
      );
    }
  }
  if (skipped > 0 && removed < limit) throw failure;
  return removed;
}
