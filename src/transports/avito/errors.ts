import { type MessageErrorCode, TransportError } from "../../core/transport/errors.ts";

/** Avito said no, so the call certainly had no effect: HTTP 4xx with a JSON body. */
export class Refusal extends Error {
  readonly status: number;
  readonly words: string;
  readonly retryAfterMs: number | undefined;
  /** The call that was refused was an upload. */
  readonly ofUpload: boolean;

  constructor(
    status: number,
    words: string,
    { retryAfterMs, ofUpload = false }: { retryAfterMs?: number; ofUpload?: boolean } = {},
  ) {
    super(`Avito refused: ${status} ${words}`);
    this.name = "Refusal";
    this.status = status;
    this.words = words;
    this.retryAfterMs = retryAfterMs;
    this.ofUpload = ofUpload;
  }
}

/** `/token` gave none: the code or refresh token has served, or the application's secret is wrong (RFC 6749, 5.2). */
export class GrantRefusal extends Error {
  readonly code: string;
  constructor(code: string, words: string) {
    super(`Avito gave no token: ${code} ${words}`);
    this.name = "GrantRefusal";
    this.code = code;
  }
}

/** The access token is not taken: 401, or the 403 of the gateway before the API. */
export function isTokenRefusal({ status, words }: Refusal): boolean {
  return status === 401 || (status === 403 && /token/i.test(words));
}

/** The account has no subscription that includes the messenger's API. */
export function isUnpaid({ status }: Refusal): boolean {
  return status === 402;
}

interface Rule {
  readonly applies: (refusal: Refusal) => boolean;
  readonly code: MessageErrorCode;
  readonly sentence: string;
}

/** First match wins. */
const RULES: readonly Rule[] = [
  {
    applies: isUnpaid,
    code: "GENERAL_ERROR",
    sentence: "Avito's subscription does not include the messenger's API",
  },
  { applies: isTokenRefusal, code: "GENERAL_ERROR", sentence: "Avito does not accept the channel's access" },
  {
    applies: ({ status }) => status === 413,
    code: "TOO_BIG_CONTENT",
    sentence: "The picture is too big for Avito",
  },
  {
    applies: ({ status, ofUpload, words }) =>
      ofUpload && status === 400 && /too (large|big)|size/i.test(words),
    code: "TOO_BIG_CONTENT",
    sentence: "The picture is too big for Avito",
  },
  {
    applies: ({ status, ofUpload }) => ofUpload && [400, 415, 422].includes(status),
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Avito cannot use this picture",
  },
  {
    applies: ({ status, words }) =>
      status === 400 && /text/i.test(words) && /long|length|at most/i.test(words),
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Avito",
  },
  {
    applies: ({ status }) => status === 403 || status === 404,
    code: "BAD_CONTACT",
    sentence: "Avito has no such chat, or the person has blocked the account",
  },
];

/** What a refusal means for the message. `data` carries Avito's own words. */
export function toTransportError(refusal: Refusal): TransportError {
  const data = `${refusal.status}: ${refusal.words}`;
  const { retryAfterMs } = refusal;
  if (retryAfterMs !== undefined)
    return new TransportError("TOO_MANY_EXT_REQS", "Avito asks to wait", {
      // The limit is the account's.
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
