/** Failures of one call; further ones are most likely those of a store that is away. */
const MAX_FAILED = 1_000;

/**
 * Removes up to `limit` items one by one, the first in order first, and returns how many it has removed. An item that
 * cannot be removed keeps none of the others: it is passed over, and the first such failure is thrown after them. `read`
 * returns at most `count` items after the first `passed` ones, which could not be removed.
 */
export async function removeEach<T>(options: {
  readonly limit: number;
  readonly read: (count: number, passed: number) => Promise<readonly T[]>;
  readonly remove: (item: T) => Promise<void>;
}): Promise<number> {
  const { limit, read, remove } = options;
  const failures: unknown[] = [];
  let removed = 0;
  while (removed < limit && failures.length < MAX_FAILED) {
    const items = await read(limit - removed, failures.length);
    if (items.length === 0) break;
    for (const item of items)
      await remove(item).then(
        () => removed++,
        (error: unknown) => failures.push(error),
      );
  }
  if (failures.length > 0 && removed < limit) throw failures[0];
  return removed;
}
