/** Accounts with at least `share` of these tasks under way. */
export function fullAccounts(works: Iterable<{ readonly accountId: number }>, share: number): number[] {
  const byAccount = Map.groupBy(works, ({ accountId }) => accountId);
  return [...byAccount].filter(([, own]) => own.length >= share).map(([accountId]) => accountId);
}
