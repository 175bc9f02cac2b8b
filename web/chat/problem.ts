import { NoConnection, Refusal } from "../kit/api/client.ts";
import { errors } from "./texts/texts.ts";

/** A failed request in words for the agent; what has no words of ours keeps the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return errors.value.noConnection;
  if (!(error instanceof Refusal)) return errors.value.UNAVAILABLE;
  return reasonOf(error.code, error.fields[0]?.message ?? error.message);
}

/** A code of a failed message in words; `description`: the service's, where the code has none of ours. */
export function reasonOf(code: string, description: string): string {
  const known: Readonly<Record<string, string>> = errors.value;
  return known[code] ?? description;
}
