import { NoConnection, Refusal } from "../kit/api/client.ts";
import { refusals } from "./words.ts";

/** A failed request in words for the person; what has no words of ours keeps the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return refusals.value.noConnection;
  if (!(error instanceof Refusal)) return refusals.value.UNAVAILABLE;
  const known: Readonly<Record<string, string>> = refusals.value;
  const [field] = error.fields;
  return known[error.code] ?? field?.message ?? error.message;
}
