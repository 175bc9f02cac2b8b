import { HttpFailure } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { messageOf } from "../../platform/message-of.ts";

/**
 * What a failed `link.request` means. `isHarmless`: the call only reads, or does no harm twice. `messenger` is its name
 * for people. With `redact` the error itself, whose message may hold an address with a secret, is not kept.
 */
export function noAnswer(
  error: unknown,
  messenger: string,
  isHarmless: boolean,
  redact?: (words: string) => string,
): TransportError {
  const sent = !(error instanceof HttpFailure) || error.sent;
  return new TransportError("UNKNOWN_ERROR", `${messenger} did not answer`, {
    retry: sent && !isHarmless ? "unknown" : "later",
    cause: redact === undefined ? error : new Error(redact(messageOf(error))),
  });
}

/** What an answer means that is neither a yes nor a no in the messenger's words, such as a proxy's page or a 5xx. */
export function unreadable(status: number, messenger: string, isHarmless: boolean): TransportError {
  return new TransportError("UNKNOWN_ERROR", `${messenger}'s answer cannot be read`, {
    retry: isHarmless ? "later" : "unknown",
    data: `HTTP ${status}`,
  });
}
