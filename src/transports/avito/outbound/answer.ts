import type { HttpResponse } from "../../../core/transport/connector.ts";
import { isJson, objectIn, textIn } from "../../kit/json.ts";
import { unreadable } from "../../kit/no-response.ts";
import { Refusal } from "../errors.ts";

const MINUTE_MS = 60_000;

/** Returns the JSON of a 200. Throws `Refusal` if Avito refused the call, `TransportError` otherwise. */
export async function readAnswer(
  answer: HttpResponse,
  { isHarmless, ofUpload }: { readonly isHarmless: boolean; readonly ofUpload: boolean },
): Promise<unknown> {
  const { status } = answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const isRead = isJson(body) || Array.isArray(body);
  if (status === 200 && isRead) return body;
  if (status === 429)
    throw new Refusal(status, messageFrom(body), { retryAfterMs: waitMs(answer), ofUpload });
  // An HTML page from a proxy says nothing about the call, except that a 413 means that the body was too large.
  if (status >= 400 && status < 500 && (isRead || status === 413))
    throw new Refusal(status, messageFrom(body), { ofUpload });
  throw unreadable(status, "Avito", isHarmless);
}

/** The documented error is `{error: {code, message, fields}}`; gateways send `{result: {message}}` or `{message}`. */
function messageFrom(body: unknown): string {
  const error = objectIn(body, "error") ?? objectIn(body, "result") ?? body;
  const faults = objectIn(error, "fields");
  const message =
    textIn(error, "message") ?? textIn(body, "error_description") ?? textIn(body, "error") ?? "";
  return faults === undefined ? message : `${message} ${JSON.stringify(faults)}`;
}

/**
 * Milliseconds until the next call is allowed: Retry-After, or the start of the next minute, because Avito counts
 * calls per minute.
 */
export function waitMs({ headers }: Pick<HttpResponse, "headers">, now: number = Date.now()): number {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : MINUTE_MS - (now % MINUTE_MS) + 1;
}
