import { HttpFailure } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";

/**
 * Converts a failed `link.request` into a `TransportError`. `isHarmless`: the call only reads, or is safe to repeat.
 * `messenger` is the display name. `redact` removes secrets, such as those in URLs, from the error's message; the
 * original error is then not kept as the cause. A file at a blocked address is never asked for again; a send is, because
 * the messenger may name another server for its file.
 */
export function noResponse(
  error: unknown,
  messenger: string,
  isHarmless: boolean,
  redact?: (words: string) => string,
): TransportError {
  const cause = redact === undefined ? error : new Error(redact(messageOf(error)));
  if (isHarmless && error instanceof HttpFailure && error.isBlocked)
    return new TransportError("GENERAL_ERROR", "The address is not public", { retry: "never", cause });
  const sent = !(error instanceof HttpFailure) || error.sent;
  return new TransportError("UNKNOWN_ERROR", `${messenger} did not respond`, {
    retry: sent && !isHarmless ? "unknown" : "later",
    cause,
  });
}

/**
 * The error for a response that is neither a success nor a refusal by the messenger, such as a proxy's error page or
 * a 5xx.
 */
export function unreadable(status: number, messenger: string, isHarmless: boolean): TransportError {
  return new TransportError("UNKNOWN_ERROR", `${messenger} returned an unreadable response`, {
    retry: isHarmless ? "later" : "unknown",
    data: `HTTP ${status}`,
  });
}
