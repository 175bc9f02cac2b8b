/** What an error says, or what was thrown instead of one. Of an `AggregateError` all that its errors say. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
