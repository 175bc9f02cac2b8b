import { GraphError } from "../../meta/graph-error.ts";
import { errorText } from "./error-table.ts";

/** An error of WhatsApp by its code, with Meta's text: `(#131047) Re-engagement message`. */
export function whatsAppError(code: number, details?: string): GraphError {
  const text = errorText(code);
  return new GraphError(`(#${code}) ${text.title}`, {
    status: text.status,
    type: "OAuthException",
    code,
    details: details ?? text.details,
    ...(text.transient && { transient: true }),
  });
}
