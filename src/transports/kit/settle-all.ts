/** Waits for all to end; then rejects with the first failure in their order, so that nothing goes on behind a rejection. */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}
