/**
 * Waits until all promises settle, then rejects with the first failure in list order, so that no promise is pending
 * after the rejection.
 */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
