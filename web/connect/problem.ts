import { NoConnection, Refusal } from "../kit/api/client.ts";
import { refusals } from "./texts/texts.ts";

/** The text of a failed request for the person; errors without a text of ours keep the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return refusals.value.noConnection;
  if (!(error instanceof Refusal)) return refusals.value.UNAVAILABLE;
  if (error.code === "UNKNOWN") return refusals.value.UNAVAILABLE;
  const text = refusalText(error.code) ?? error.message;
  const [field] = error.fields;
  if (field === undefined) return text;
  return refusalText(field.message) ?? `${text}: ${field.message}`;
}

/** The text for a code, or for the service's message about a field. */
export function refusalText(key: string): string | undefined {
  const known: Readonly<Record<string, string>> = refusals.value;
  return known[key];
}
