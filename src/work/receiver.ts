import { type Dispatcher, request } from "undici";
import { type Answer, retryAfterMs } from "../core/webhook/policy.ts";

/** How much of a receiver's answer is kept for the log. */
export const KEPT_BYTES = 4096;

export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How much of the answer is read. */
  readonly answerBytes: number;
}

/** Posts to a receiver. Never throws; redirects are answers like any other; the whole exchange ends in `timeoutMs`. */
export async function post(
  delivery: Delivery,
  options: { readonly dispatcher: Dispatcher; readonly timeoutMs: number },
): Promise<Answer & { readonly text: string | null }> {
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
    const text = await beginningOf(answer.body, delivery.answerBytes);
    const header = answer.headers["retry-after"];
    const wait = retryAfterMs(Array.isArray(header) ? header[0] : header, new Date());
    return { status: answer.statusCode, failure: null, retryAfterMs: wait, text };
  } catch (error) {
    return { status: null, failure: reasonOf(error), retryAfterMs: null, text: null };
  }
}

/** The status decides, so a body that never ends or breaks off does no harm. */
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no complete answer in time";
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  return `${code}${error.message || (error.cause instanceof Error ? error.cause.message : error.name)}`;
}
