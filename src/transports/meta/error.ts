import { isJson, numberIn, objectIn, textIn } from "../kit/json.ts";

/** What Meta says went wrong, in an answer or in a status. Its words may change; `code` does not. */
export interface MetaError {
  readonly code: number;
  /** Instagram tells apart by it what has the same code. */
  readonly subcode?: number;
  readonly message: string;
  readonly details: string;
}

/** Meta said no, so the call had no effect. */
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

/** Reads an error of an answer (`{"error": …}`) or of a status; null when it is none. */
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

/** Meta's own words, with the code, for `TransportError.data`. */
export function wordsOf({ code, message, details }: MetaError): string {
  const words = [message, details].filter((part) => part !== "").join(": ");
  return words.includes(String(code)) ? words : `(#${code}) ${words}`.trim();
}

/** Dead tokens, and permissions that were taken away (page "Error codes" of the Graph API). */
const TOKEN_CODES: readonly number[] = [0, 102, 190];
const PERMISSION_CODES: readonly number[] = [3, 10, 33];

/** Whether an error says that the token does not admit us any more. A transport may know exceptions by their subcodes. */
export function isUnauthorized({ code }: MetaError): boolean {
  return TOKEN_CODES.includes(code) || PERMISSION_CODES.includes(code) || (code >= 200 && code < 300);
}
