import { type Cooldown, TransportError } from "../../core/transport/errors.ts";
import { BadSignature } from "./keys/strict-signatures.ts";

/** The server refused a message: `<ack class="message" error="…">`. For 463 see `restricted`. */
export function ackError(code: string): TransportError {
  const data = `ack ${code}`;
  switch (code) {
    case "404":
      return new TransportError("BAD_CONTACT", "There is no WhatsApp account with this number", { data });
    case "401":
    case "403":
      return new TransportError("BAD_CONTACT", "WhatsApp does not allow this account to write to this chat", {
        data,
      });
    case "429":
      return tooFast(data);
    default:
      return new TransportError("GENERAL_ERROR", "WhatsApp refused the message", { data });
  }
}

/** When a restriction ends, and whether WhatsApp said so. */
export type EndOfRestriction = Required<Pick<Cooldown, "until" | "basis">>;

/**
 * WhatsApp suspects the account of spam (`<ack error="463">`). Each retry counts as another contact with a stranger
 * and makes it worse, so the message is not retried, and first contacts pause until the given time.
 */
export function restricted(end: EndOfRestriction): TransportError {
  const cooldown = holdUntil(end);
  return new TransportError("SPAM", cooldown.reason, { data: "ack 463", cooldown });
}

export function holdUntil(end: EndOfRestriction): Cooldown {
  return { ...end, reason: "WhatsApp currently does not allow this account to start new chats" };
}

/** WhatsApp states no delay; its own programs wait some minutes. */
const TOO_FAST_PAUSE_MS = 5 * 60_000;

function tooFast(data: string): TransportError {
  return new TransportError("TOO_MANY_EXT_REQS", "WhatsApp is rate limiting the account", {
    retry: { afterMs: TOO_FAST_PAUSE_MS, scope: "channel" },
    data,
  });
}

export function notConnected(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The account is currently not connected to WhatsApp", {
    retry: "later",
  });
}

export function nobodyThere(): TransportError {
  return new TransportError("BAD_CONTACT", "There is no WhatsApp account with this number");
}

/** An error of the library: a Boom whose `output.statusCode` is WhatsApp's status. */
interface LibraryError {
  readonly message?: string;
  readonly output?: { readonly statusCode?: number };
  readonly data?: unknown;
}

/**
 * Maps a failed library call. `sent`: whether the message may have been sent. A retry is harmless, but if all retries
 * fail, the outcome must be unknown.
 */
export function toTransportError(error: unknown, { sent }: { readonly sent: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (isBadSignature(cause))
    return new TransportError("GENERAL_ERROR", "The keys of this contact are invalid", { cause });
  const { message = "", output, data } = cause as LibraryError;
  const status = output?.statusCode;
  // For a query, WhatsApp's error number is in `data`.
  const answered = typeof data === "number" ? data : status;
  if (answered === 429 || message.includes("rate-overlimit")) return tooFast("429");
  if (answered === 401 || answered === 403 || answered === 404 || answered === 406)
    return new TransportError("BAD_CONTACT", "WhatsApp does not allow this account to write to this chat", {
      data: String(answered),
      cause,
    });
  if (message.startsWith("Media upload failed"))
    return new TransportError("UNKNOWN_ERROR", "The file could not be uploaded to WhatsApp", {
      retry: "later",
      cause,
    });
  return new TransportError("UNKNOWN_ERROR", "WhatsApp did not respond", {
    retry: sent ? "unknown" : "later",
    cause,
  });
}

/** Whether a query failed because its connection ended, for which the library may reject with the close code. */
export function isLost(error: unknown): boolean {
  return !(error instanceof Error) || (error as LibraryError).output?.statusCode === 428;
}

export function isBadSignature(error: Error): boolean {
  return error instanceof BadSignature || /signature/i.test(error.message);
}
