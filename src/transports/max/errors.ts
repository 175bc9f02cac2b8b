import { type Hold, type MessageErrorCode, TransportError } from "../../core/transport/errors.ts";

/** MAX said no: `{"error": key, "message": …}`. The request certainly had no effect. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Such as `not.found`; "" where it has none. */
  readonly key: string;
  readonly words: string;

  constructor(key: string, words: string) {
    super(`MAX refused: ${key} ${words}`.trim());
    this.key = key;
    this.words = words;
  }

  /** Whether MAX's key or words hold one of these, in any case. */
  says(...phrases: readonly string[]): boolean {
    const said = `${this.key} ${this.words}`.toLowerCase();
    return phrases.some((phrase) => said.includes(phrase));
  }
}

/** No answer came. `sent: false` means that the request certainly did not leave. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly sent: boolean;
  constructor(message: string, { sent }: { readonly sent: boolean }) {
    super(message);
    this.sent = sent;
  }
}

interface Rule {
  readonly says: readonly string[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** First match wins. Keys as public clients of MAX name them; those of spam are guesses. */
const RULES: readonly Rule[] = [
  {
    says: ["text.too.long", "too.long", "too long"],
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for MAX",
  },
  {
    says: ["file.too.big", "too.large", "too large"],
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too big for MAX",
  },
  {
    says: ["attachment", "upload"],
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "MAX cannot use this file",
  },
  {
    says: ["linked message", "link.message"],
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message is gone in MAX",
  },
  {
    says: ["message.not.found", "message not found", "edit.timeout"],
    code: "MESSAGE_DELETED",
    sentence: "The message is gone in MAX, or too old to be changed",
  },
  {
    says: ["not.found", "chat.denied", "chat.access", "contact.blocked", "blocked", "privacy"],
    code: "BAD_CONTACT",
    sentence: "MAX has no such chat, or does not let this account write to it",
  },
];

/** How long nothing is sent after "too many". MAX names no time; public clients wait for some minutes. */
const FLOOD_PAUSE_MS = 5 * 60_000;
/** How long nobody new is written to after it, and after a warning of spam. Not MAX's times: they are not known. */
const FLOOD_HOLD_MS = 3_600_000;
const SPAM_HOLD_MS = 24 * 3_600_000;

/** What a refusal means for the message. `data` carries MAX's own words. */
export function toTransportError(refusal: Refusal, now: number = Date.now()): TransportError {
  const about = { data: `${refusal.key}: ${refusal.words}`, cause: refusal };
  if (isFlood(refusal))
    return new TransportError("TOO_MANY_EXT_REQS", "MAX asks to send more slowly", {
      ...about,
      retry: { afterMs: FLOOD_PAUSE_MS, scope: "channel" },
      hold: holdUntil(now + FLOOD_HOLD_MS),
    });
  if (refusal.says("user.restricted", "spam", "restricted"))
    return new TransportError("SPAM", "MAX takes this account for one that writes to strangers", {
      ...about,
      hold: holdUntil(now + SPAM_HOLD_MS),
    });
  const rule = RULES.find(({ says }) => refusal.says(...says));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "MAX refused", about);
}

function holdUntil(ms: number): Hold {
  return { until: new Date(ms), reason: "MAX warned this account: it writes to nobody new for a while" };
}

/** What a failed call means. `isHarmless`: repeating it has no effect of its own, or MAX recognises the repetition. */
export function toFailure(error: unknown, { isHarmless }: { readonly isHarmless: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof Refusal) return toTransportError(error);
  const sent = !(error instanceof NoAnswer) || error.sent;
  return new TransportError("UNKNOWN_ERROR", "MAX did not answer", {
    retry: sent && !isHarmless ? "unknown" : "later",
    cause: error,
  });
}

export function notConnected(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The account is not connected to MAX at the moment", {
    retry: "later",
  });
}

/** Asked too much: of a message, of a login. */
export function isFlood(refusal: Refusal): boolean {
  return refusal.says("limit.violate", "too.many.requests", "login.flood", "flood");
}

/** The account's token is worth nothing any more: ended elsewhere, or the account is blocked. */
export function isUnauthorized(refusal: Refusal): boolean {
  const keys = ["login.token", "login.blocked", "auth.blocked", "profile.blocked"];
  return refusal.says("fail_login_token", "fail_logout_all", ...keys);
}

/** Removing it again has nothing to do. */
export function isGone(refusal: Refusal): boolean {
  return refusal.says("message.not.found", "message not found");
}

/** MAX does not understand this program any more, whatever it asks. */
export function isProtocolMoved(refusal: Refusal): boolean {
  return refusal.says("proto.", "version", "client.outdated");
}

/** An uploaded file is still being processed. */
export function isNotReady(refusal: Refusal): boolean {
  return refusal.says("not.ready", "not.processed");
}
