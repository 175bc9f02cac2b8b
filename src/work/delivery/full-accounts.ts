/** Accounts of which so many of these works are under way, or more. */
export function fullAccounts(works: Iterable<{ readonly accountId: number }>, share: number): number[] {
  const byAccount = Map.groupBy(works, ({ accountId }) => accountId);
  return [...byAccount].filter(([, own]) => own.length >= share).map(([accountId]) => accountId);
}
