/** The message of an error, or the thrown value as text. For an `AggregateError`, the messages of all its errors. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
