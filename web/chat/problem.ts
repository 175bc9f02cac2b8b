import { NoConnection, Refusal } from "../kit/api/client.ts";
import { errorText, words } from "./texts/texts.ts";

/** The text of a failed request for the agent; errors without a text of ours keep the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return words.value.noConnection;
  if (!(error instanceof Refusal)) return words.value.busy;
  return errorText(error.fields[0]?.message ?? "") ?? reasonOf(error.code, error.message);
}

/** The text of a failed message's code; `description`: the service's, for codes without a text of ours. */
export function reasonOf(code: string, description: string): string {
  const isBusy = code === "UNAVAILABLE" || code === "UNKNOWN";
  return isBusy ? words.value.busy : (errorText(code) ?? description);
}
