import { isJson, numberIn, objectIn, textIn } from "../kit/json.ts";

/**
 * An error object of Meta's, from a response or a message status. `message` may change between versions; `code` does
 * not.
 */
export interface MetaError {
  readonly code: number;
  /** Distinguishes Instagram errors that share a code. */
  readonly subcode?: number;
  readonly message: string;
  readonly details: string;
}

/** Meta refused the call, so it had no effect. */
export class GraphRefusal extends Error {
  readonly status: number;
  readonly error: MetaError;

  constructor(status: number, error: MetaError) {
    super(`Meta refused: ${status} ${error.code} ${error.message}`);
    this.name = "GraphRefusal";
    this.status = status;
    this.error = error;
  }
}

/** Parses an error object from a response (`{"error": …}`) or a status; null if the value is not one. */
export function readError(value: unknown): MetaError | null {
  const code = numberIn(value, "code");
  if (!isJson(value) || code === undefined) return null;
  const subcode = numberIn(value, "error_subcode");
  const details = textIn(objectIn(value, "error_data") ?? {}, "details") ?? textIn(value, "error_user_msg");
  return {
    code,
    ...(subcode === undefined ? {} : { subcode }),
    message: textIn(value, "message") ?? textIn(value, "title") ?? "",
    details: details ?? "",
  };
}

/** Meta's error text with its code, for `TransportError.data`. */
export function wordsOf({ code, message, details }: MetaError): string {
  const words = [message, details].filter((part) => part !== "").join(": ");
  return words.includes(String(code)) ? words : `(#${code}) ${words}`.trim();
}

/** Codes for invalid tokens and for revoked permissions (page "Error codes" of the Graph API). */
const TOKEN_CODES: readonly number[] = [0, 102, 190];
const PERMISSION_CODES: readonly number[] = [3, 10, 33];

/** Whether the error means that the token no longer grants access. A transport may except some subcodes. */
export function isUnauthorized({ code }: MetaError): boolean {
  return TOKEN_CODES.includes(code) || PERMISSION_CODES.includes(code) || (code >= 200 && code < 300);
}
