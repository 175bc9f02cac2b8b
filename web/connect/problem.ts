import { NoConnection, Refusal } from "../kit/api/client.ts";
import { refusals } from "./texts/texts.ts";

/** The text of a failed request for the person; errors without a text of ours keep the service's. */
export function problemOf(error: unknown): string {
  if (error instanceof NoConnection) return refusals.value.noConnection;
  if (!(error instanceof Refusal)) return refusals.value.UNAVAILABLE;
  if (error.code === "UNKNOWN") return refusals.value.UNAVAILABLE;
  const known: Readonly<Record<string, string>> = refusals.value;
  const text = known[error.code] ?? error.message;
  const [field] = error.fields;
  return field === undefined ? text : `${text}: ${field.message}`;
}
