import { type Hold, TransportError } from "../../core/transport/errors.ts";
import { BadSignature } from "./strict-signatures.ts";

/** WhatsApp's server did not take a message: `<ack class="message" error="…">`. 463 is the business of `restricted`. */
export function ackError(code: string): TransportError {
  const data = `ack ${code}`;
  switch (code) {
    case "404":
      return new TransportError("BAD_CONTACT", "There is no WhatsApp account with this number", { data });
    case "401":
    case "403":
      return new TransportError("BAD_CONTACT", "WhatsApp does not let this account write to this chat", {
        data,
      });
    case "429":
      return tooFast(data);
    default:
      return new TransportError("GENERAL_ERROR", "WhatsApp did not take the message", { data });
  }
}

/**
 * WhatsApp takes the account for a spammer (`<ack error="463">`): each repetition counts as another approach to a stranger
 * and makes it worse, so the message is not repeated and nobody new is written to until then.
 */
export function restricted(until: Date): TransportError {
  const hold = holdUntil(until);
  return new TransportError("SPAM", hold.reason, { data: "ack 463", hold });
}

export function holdUntil(until: Date): Hold {
  return { until, reason: "WhatsApp does not let this account start new chats at the moment" };
}

/** WhatsApp names no time to wait; some minutes are what its own programs wait. */
const TOO_FAST_PAUSE_MS = 5 * 60_000;

function tooFast(data: string): TransportError {
  return new TransportError("TOO_MANY_EXT_REQS", "WhatsApp asks to send more slowly", {
    retry: { afterMs: TOO_FAST_PAUSE_MS, scope: "channel" },
    data,
  });
}

export function notConnected(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The account is not connected to WhatsApp at the moment", {
    retry: "later",
  });
}

export function nobodyThere(): TransportError {
  return new TransportError("BAD_CONTACT", "There is no WhatsApp account with this number");
}

/** The library's error: a Boom, whose `output.statusCode` says what WhatsApp answered. */
interface LibraryError {
  readonly message?: string;
  readonly output?: { readonly statusCode?: number };
  readonly data?: unknown;
}

/**
 * What a failed call of the library means. `sent` says whether the message may have left: repeating it is harmless, but
 * it must end as unknown if that never works.
 */
export function toTransportError(error: unknown, { sent }: { readonly sent: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (isBadSignature(cause))
    return new TransportError("GENERAL_ERROR", "The keys of this contact are not genuine", { cause });
  const { message = "", output, data } = cause as LibraryError;
  const status = output?.statusCode;
  // An answer to a query carries WhatsApp's number in `data`.
  const answered = typeof data === "number" ? data : status;
  if (answered === 429 || message.includes("rate-overlimit")) return tooFast("429");
  if (answered === 401 || answered === 403 || answered === 404 || answered === 406)
    return new TransportError("BAD_CONTACT", "WhatsApp does not let this account write to this chat", {
      data: String(answered),
      cause,
    });
  if (message.startsWith("Media upload failed"))
    return new TransportError("UNKNOWN_ERROR", "The file could not be handed to WhatsApp", {
      retry: "later",
      cause,
    });
  return new TransportError("UNKNOWN_ERROR", "WhatsApp did not answer", {
    retry: sent ? "unknown" : "later",
    cause,
  });
}

export function isBadSignature(error: Error): boolean {
  return error instanceof BadSignature || /signature/i.test(error.message);
}
