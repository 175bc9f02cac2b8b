import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** MAX refused the call, so it had no effect: `{code, message}` with HTTP 4xx (dev.max.ru, "Errors"). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly text: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, text: string, retryAfterMs?: number) {
    super(`MAX refused: ${status} ${code} ${text}`);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.text = text;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether MAX's code or message contains one of these phrases, ignoring case. */
  says(...phrases: readonly string[]): boolean {
    const said = `${this.code} ${this.text}`.toLowerCase();
    return phrases.some((phrase) => said.includes(phrase));
  }
}

interface Rule {
  readonly applies: (refusal: Refusal) => boolean;
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** The first match applies. */
const RULES: readonly Rule[] = [
  {
    applies: (refusal) => refusal.says("message.not.found"),
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message no longer exists",
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
    sentence: "The dialog does not exist on MAX, or the person has stopped the bot",
  },
  {
    applies: (refusal) => refusal.says("text: size", "text is too long", "text.too.long"),
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for MAX",
  },
  {
    applies: (refusal) => refusal.status === 413 || refusal.says("too large", "file.too.big"),
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too large for MAX",
  },
  {
    applies: (refusal) =>
      refusal.status === 415 ||
      refusal.says("errors.process.attachment", "attachment.not.ready", "forbidden"),
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "MAX cannot process this file",
  },
];

/** Maps a refusal to a message error. `data` contains MAX's own text. */
export function toTransportError(refusal: Refusal, floodScope: "chat" | "channel" = "chat"): TransportError {
  const data = `${refusal.code}: ${refusal.text}`;
  if (refusal.retryAfterMs !== undefined) {
    const retry: RetryPolicy = { afterMs: refusal.retryAfterMs, scope: floodScope };
    return new TransportError("TOO_MANY_EXT_REQS", "MAX is rate limiting the bot", {
      retry,
      data,
      cause: refusal,
    });
  }
  const rule = RULES.find(({ applies }) => applies(refusal));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "MAX refused", {
    retry: "never",
    data,
    cause: refusal,
  });
}

/** The token is wrong or revoked (`verify.token`). */
export function isUnauthorized(refusal: Refusal): boolean {
  return refusal.status === 401;
}

/** MAX is still processing an uploaded file; the same call succeeds some seconds later. */
export function isNotReady(refusal: Refusal): boolean {
  return refusal.says("attachment.not.ready", "not.processed");
}

/** MAX could not use the link to a picture; uploading the picture may succeed. */
export function isLinkRefusal(refusal: Refusal): boolean {
  return (
    !isNotReady(refusal) &&
    (refusal.status === 415 || refusal.says("errors.process.attachment", "payload", "url"))
  );
}
