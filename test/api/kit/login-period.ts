const PERIOD_MS = 900_000;

/**
 * Wrong passwords are counted per quarter of an hour: work during which one has ended is done again, after `reset`. It must
 * not count what was counted before.
 */
export async function withinPeriod<T>(
  work: () => Promise<T>,
  reset: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T> {
  for (;;) {
    const periodOf = () => Math.floor(Date.now() / PERIOD_MS);
    const before = periodOf();
    const [result] = await Promise.allSettled([work()]);
    const isOver = periodOf() !== before;
    if (!isOver && result.status === "fulfilled") return result.value;
    // What was counted in two periods may fail as well.
    if (!isOver && result.status === "rejected") throw result.reason;
    await reset();
  }
}
