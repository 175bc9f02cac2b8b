import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** MAX said no, so the call certainly had no effect: `{code, message}` with HTTP 4xx (dev.max.ru, "Errors"). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly words: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, words: string, retryAfterMs?: number) {
    super(`MAX refused: ${status} ${code} ${words}`);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.words = words;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether MAX's code or words hold one of these, in any case. */
  says(...phrases: readonly string[]): boolean {
    const said = `${this.code} ${this.words}`.toLowerCase();
    return phrases.some((phrase) => said.includes(phrase));
  }
}

interface Rule {
  readonly applies: (refusal: Refusal) => boolean;
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** First match wins. */
const RULES: readonly Rule[] = [
  {
    applies: (refusal) => refusal.says("message.not.found"),
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message is gone",
  },
  {
    applies: (refusal) =>
      refusal.says(
        "chat.denied",
        "chat.not.found",
        "dialog.not.found",
        "dialog.suspended",
        "unknown recipient",
      ) || refusal.status === 403,
    code: "BAD_CONTACT",
    sentence: "MAX has no such dialog, or the person has stopped the bot",
  },
  {
    applies: (refusal) => refusal.says("text: size", "text is too long", "text.too.long"),
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for MAX",
  },
  {
    applies: (refusal) => refusal.status === 413 || refusal.says("too large", "file.too.big"),
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too big for MAX",
  },
  {
    applies: (refusal) =>
      refusal.status === 415 ||
      refusal.says("errors.process.attachment", "attachment.not.ready", "forbidden"),
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "MAX cannot use this file",
  },
];

/** What a refusal means for the message. `data` carries MAX's own words. */
export function toTransportError(refusal: Refusal, floodScope: "chat" | "channel" = "chat"): TransportError {
  const data = `${refusal.code}: ${refusal.words}`;
  if (refusal.retryAfterMs !== undefined) {
    const retry: RetryPolicy = { afterMs: refusal.retryAfterMs, scope: floodScope };
    return new TransportError("TOO_MANY_EXT_REQS", "MAX asks to wait", { retry, data, cause: refusal });
  }
  const rule = RULES.find(({ applies }) => applies(refusal));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "MAX refused", {
    retry: "never",
    data,
    cause: refusal,
  });
}

/** The token is wrong or withdrawn (`verify.token`). */
export function isUnauthorized(refusal: Refusal): boolean {
  return refusal.status === 401;
}

/** An uploaded file is still being processed; the same call works some seconds later. */
export function isNotReady(refusal: Refusal): boolean {
  return refusal.says("attachment.not.ready", "not.processed");
}

/** MAX itself could not use the link of a picture; uploading the same picture may work. */
export function isLinkRefusal(refusal: Refusal): boolean {
  return (
    !isNotReady(refusal) &&
    (refusal.status === 415 || refusal.says("errors.process.attachment", "payload", "url"))
  );
}
