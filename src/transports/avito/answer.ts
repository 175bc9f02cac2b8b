import type { HttpAnswer } from "../../core/transport/connector.ts";
import { isJson, objectIn, textIn } from "../kit/json.ts";
import { unreadable } from "../kit/no-answer.ts";
import { Refusal } from "./errors.ts";

const MINUTE_MS = 60_000;

/** The JSON of a 200. Throws `Refusal` for a no in Avito's words, else `TransportError`. */
export async function readAnswer(
  answer: HttpAnswer,
  { isHarmless, ofUpload }: { readonly isHarmless: boolean; readonly ofUpload: boolean },
): Promise<unknown> {
  const { status } = answer;
  const body: unknown = await answer.json().catch(() => undefined);
  const isRead = isJson(body) || Array.isArray(body);
  if (status === 200 && isRead) return body;
  if (status === 429) throw new Refusal(status, wordsOf(body), { retryAfterMs: waitMs(answer), ofUpload });
  // A proxy's page tells nothing, except that a body was too large to pass.
  if (status >= 400 && status < 500 && (isRead || status === 413))
    throw new Refusal(status, wordsOf(body), { ofUpload });
  throw unreadable(status, "Avito", isHarmless);
}

/** `{error: {code, message, fields}}` as described; gateways say `{result: {message}}` or `{message}`. */
function wordsOf(body: unknown): string {
  const error = objectIn(body, "error") ?? objectIn(body, "result") ?? body;
  const faults = objectIn(error, "fields");
  const words = textIn(error, "message") ?? textIn(body, "error_description") ?? textIn(body, "error") ?? "";
  return faults === undefined ? words : `${words} ${JSON.stringify(faults)}`;
}

/** How long until another call is taken: what Avito says, else until its next minute, since it counts by minutes. */
export function waitMs({ headers }: Pick<HttpAnswer, "headers">, now: number = Date.now()): number {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : MINUTE_MS - (now % MINUTE_MS) + 1;
}
