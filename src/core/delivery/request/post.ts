import { type Dispatcher, request } from "undici";
import { connectionFailure } from "../../../platform/network/connection-failure.ts";
import { type Answer, retryAfterMs } from "./policy.ts";

/** Bytes of a receiver's response that are kept for the log. */
export const KEPT_BYTES = 4096;
const KEPT_HEADERS = 50;

/** One request to a receiver. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Bytes of the response that are read; default `KEPT_BYTES`. */
  readonly answerBytes?: number;
}

/** A receiver's response, as far as it was read; null if there was none. */
export interface Said {
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
}

/**
 * Posts to a receiver. Never throws; redirects are treated like any other response; the whole exchange is limited to
 * `timeoutMs`.
 */
export async function post(
  delivery: Delivery,
  options: { readonly dispatcher: Dispatcher; readonly timeoutMs: number },
): Promise<Answer & Said> {
  try {
    const answer = await request(delivery.url, {
      method: "POST",
      headers: delivery.headers,
      body: delivery.body,
      dispatcher: options.dispatcher,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      signal: AbortSignal.timeout(options.timeoutMs),
    });
    const text = await beginningOf(answer.body, delivery.answerBytes ?? KEPT_BYTES);
    const header = answer.headers["retry-after"];
    const wait = retryAfterMs(Array.isArray(header) ? header[0] : header, new Date());
    const headers = shownHeaders(answer.headers);
    return { status: answer.statusCode, failure: null, retryAfterMs: wait, text, headers };
  } catch (error) {
    const failure = connectionFailure(error);
    return { status: null, failure, retryAfterMs: null, text: null, headers: null };
  }
}

const SECRET = /authorization|cookie|token|secret|api-?key/i;

/** Headers for the log: secrets masked, their number and lengths limited. */
export function shownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const shown = Object.entries(headers).slice(0, KEPT_HEADERS);
  return Object.fromEntries(
    shown.map(([name, value = ""]) => [name, SECRET.test(name) ? "***" : String(value).slice(0, 500)]),
  );
}

/** The status decides, so a body that never ends or breaks off is harmless. */
async function beginningOf(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  maxBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // What arrived before is enough.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
}
