import { NoConnection, Refusal } from "../kit/api/client.ts";
import { errorText, words } from "./texts/texts.ts";

/** A failed request in words for the agent; what has no words of ours keeps the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return words.value.noConnection;
  if (!(error instanceof Refusal)) return words.value.busy;
  return reasonOf(error.code, error.fields[0]?.message ?? error.message);
}

/** A code of a failed message in words; `description`: the service's, where the code has none of ours. */
export function reasonOf(code: string, description: string): string {
  return code === "UNAVAILABLE" ? words.value.busy : (errorText(code) ?? description);
}
