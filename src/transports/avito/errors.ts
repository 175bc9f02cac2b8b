import { type MessageErrorCode, TransportError } from "../../core/transport/errors.ts";

/** Avito refused the call with HTTP 4xx and a JSON body, so the call had no effect. */
export class Refusal extends Error {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the refused call was an upload. */
  readonly ofUpload: boolean;

  constructor(
    status: number,
    text: string,
    { retryAfterMs, ofUpload = false }: { retryAfterMs?: number; ofUpload?: boolean } = {},
  ) {
    super(`Avito refused: ${status} ${text}`);
    this.name = "Refusal";
    this.status = status;
    this.text = text;
    this.retryAfterMs = retryAfterMs;
    this.ofUpload = ofUpload;
  }
}

/**
 * `/token` refused: the code or refresh token has already been used, or the client secret is wrong (RFC 6749, 5.2).
 */
export class GrantRefusal extends Error {
  readonly code: string;
  constructor(code: string, text: string) {
    super(`Avito refused a token: ${code} ${text}`);
    this.name = "GrantRefusal";
    this.code = code;
  }
}

/** The access token was rejected: 401, or a 403 by the gateway in front of the API. */
export function isTokenRefusal({ status, text }: Refusal): boolean {
  return status === 401 || (status === 403 && /token/i.test(text));
}

/** The account's subscription does not include the messenger API. */
export function isUnpaid({ status }: Refusal): boolean {
  return status === 402;
}

/** Avito does not show a chat to this account: it no longer exists, or the access is an employee's. */
export function isChatRefusal(refusal: Refusal): boolean {
  return refusal.status === 404 || (refusal.status === 403 && !isTokenRefusal(refusal));
}

/** Whether the failure may concern only the chat that was requested: not the token, the payment or the rate. */
export function mayConcernChat(error: unknown): boolean {
  if (error instanceof Refusal) return error.status !== 429 && !isTokenRefusal(error) && !isUnpaid(error);
  return error instanceof TransportError && error.data?.startsWith("HTTP 5") === true;
}

interface Rule {
  readonly applies: (refusal: Refusal) => boolean;
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** The first match applies. */
const RULES: readonly Rule[] = [
  {
    applies: isUnpaid,
    code: "GENERAL_ERROR",
    sentence: "The account's Avito subscription does not include the messenger API",
  },
  { applies: isTokenRefusal, code: "GENERAL_ERROR", sentence: "Avito rejected the channel's access token" },
  {
    applies: ({ status }) => status === 413,
    code: "TOO_BIG_CONTENT",
    sentence: "The picture is too large for Avito",
  },
  {
    applies: ({ status, ofUpload, text }) => ofUpload && status === 400 && /too (large|big)|size/i.test(text),
    code: "TOO_BIG_CONTENT",
    sentence: "The picture is too large for Avito",
  },
  {
    applies: ({ status, ofUpload }) => ofUpload && [400, 415, 422].includes(status),
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Avito cannot process this picture",
  },
  {
    applies: ({ status, text }) => status === 400 && /text/i.test(text) && /long|length|at most/i.test(text),
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Avito",
  },
  {
    applies: isChatRefusal,
    code: "BAD_CONTACT",
    sentence: "The chat does not exist on Avito, or the person has blocked the account",
  },
];

/** Maps a refusal to a message error. `data` contains Avito's own text. */
export function toTransportError(refusal: Refusal): TransportError {
  const data = `${refusal.status}: ${refusal.text}`;
  const { retryAfterMs } = refusal;
  if (retryAfterMs !== undefined)
    return new TransportError("TOO_MANY_EXT_REQS", "Avito is rate limiting the account", {
      // The limit applies to the account.
      retry: { afterMs: retryAfterMs, scope: "channel" },
      data,
      cause: refusal,
    });
  const rule = RULES.find(({ applies }) => applies(refusal));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "Avito refused", {
    retry: "never",
    data,
    cause: refusal,
  });
}
