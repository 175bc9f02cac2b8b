import { type Cooldown, type MessageErrorCode, TransportError } from "../../core/transport/errors.ts";
import { accessEnded } from "../kit/failures.ts";

/** MAX refused the request with `{"error": key, "message": …}`, so it had no effect. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Such as `not.found`; "" if there is none. */
  readonly key: string;
  readonly words: string;

  constructor(key: string, words: string) {
    super(`MAX refused: ${key} ${words}`.trim());
    this.key = key;
    this.words = words;
  }

  /** Whether MAX's key or message contains one of these phrases, ignoring case. */
  says(...phrases: readonly string[]): boolean {
    const said = `${this.key} ${this.words}`.toLowerCase();
    return phrases.some((phrase) => said.includes(phrase));
  }
}

interface Unanswered {
  readonly sent: boolean;
  readonly isConnected?: boolean;
}

/** There was no response. With `sent: false`, the request was not sent. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly sent: boolean;
  /** Whether only this response is overdue or unreadable; otherwise the connection is lost. */
  readonly isConnected: boolean;
  constructor(message: string, { sent, isConnected = false }: Unanswered) {
    super(message);
    this.sent = sent;
    this.isConnected = isConnected;
  }
}

interface Rule {
  readonly says: readonly string[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** The first match applies. The keys are those in public MAX clients; those for spam are guesses. */
const RULES: readonly Rule[] = [
  {
    says: ["text.too.long", "too.long", "too long"],
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for MAX",
  },
  {
    says: ["file.too.big", "too.large", "too large"],
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too large for MAX",
  },
  {
    says: ["attachment", "upload"],
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "MAX cannot process this file",
  },
  {
    says: ["linked message", "link.message"],
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message no longer exists on MAX",
  },
  {
    says: ["message.not.found", "message not found", "edit.timeout"],
    code: "MESSAGE_DELETED",
    sentence: "The message no longer exists on MAX, or can no longer be changed",
  },
  {
    says: ["not.found", "chat.denied", "chat.access", "contact.blocked", "blocked", "privacy"],
    code: "BAD_CONTACT",
    sentence: "The chat does not exist on MAX, or this account may not write to it",
  },
];

/** The pause after "too many requests". MAX states none; public clients wait for some minutes. */
const FLOOD_PAUSE_MS = 5 * 60_000;
/**
 * The cooldown of first contacts after it, and after a spam warning. These are not MAX's times, which are unknown.
 */
const FLOOD_HOLD_MS = 3_600_000;
const SPAM_HOLD_MS = 24 * 3_600_000;

/** Maps a refusal to a message error. `data` contains MAX's own text. */
export function toTransportError(refusal: Refusal, now: number = Date.now()): TransportError {
  const about = { data: `${refusal.key}: ${refusal.words}`, cause: refusal };
  if (isFlood(refusal))
    return new TransportError("TOO_MANY_EXT_REQS", "MAX is rate limiting the account", {
      ...about,
      retry: { afterMs: FLOOD_PAUSE_MS, scope: "channel" },
      cooldown: holdUntil(now + FLOOD_HOLD_MS, "precaution"),
    });
  if (refusal.says("user.restricted", "spam", "restricted"))
    return new TransportError("SPAM", "MAX suspects this account of writing to strangers", {
      ...about,
      cooldown: holdUntil(now + SPAM_HOLD_MS, "estimate"),
    });
  if (isUnauthorized(refusal)) return accessEnded("MAX", refusal);
  const rule = RULES.find(({ says }) => refusal.says(...says));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "MAX refused", about);
}

function holdUntil(ms: number, basis: NonNullable<Cooldown["basis"]>): Cooldown {
  return { until: new Date(ms), reason: "MAX warned this account: first contacts are paused", basis };
}

/** Maps a failed call. `isHarmless`: repeating it has no effect, or MAX deduplicates it. */
export function toFailure(error: unknown, { isHarmless }: { readonly isHarmless: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof Refusal) return toTransportError(error);
  const sent = !(error instanceof NoResponse) || error.sent;
  return new TransportError("UNKNOWN_ERROR", "MAX did not respond", {
    retry: sent && !isHarmless ? "unknown" : "later",
    cause: error,
  });
}

export function notConnected(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The account is currently not connected to MAX", {
    retry: "later",
  });
}

/** MAX is throttling messages or logins. */
export function isFlood(refusal: Refusal): boolean {
  return refusal.says("limit.violate", "too.many.requests", "login.flood", "flood");
}

/** The same request may succeed later: MAX is throttling the account, or has a fault of its own. */
export function isPassing(refusal: Refusal): boolean {
  return isFlood(refusal) || refusal.says("internal", "unavailable", "timeout", "try.again");
}

/** The account's token is no longer valid: the session was ended elsewhere, or the account is blocked. */
export function isUnauthorized(refusal: Refusal): boolean {
  const keys = ["login.token", "login.blocked", "auth.blocked", "profile.blocked"];
  return refusal.says("fail_login_token", "fail_logout_all", ...keys);
}

/** The message no longer exists, so there is nothing to delete. */
export function isGone(refusal: Refusal): boolean {
  return refusal.says("message.not.found", "message not found");
}

/** MAX no longer accepts this program's protocol or version. */
export function isProtocolMoved(refusal: Refusal): boolean {
  return refusal.says("proto.", "version", "client.outdated");
}

/** MAX is still processing an uploaded file. */
export function isNotReady(refusal: Refusal): boolean {
  return refusal.says("not.ready", "not.processed");
}
