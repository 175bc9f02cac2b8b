import type { HttpAnswer, HttpRequest, TransportRequest } from "../../core/transport/connector.ts";
import { isJson, type Json } from "../kit/json.ts";
import { noAnswer, unreadable } from "../kit/no-answer.ts";
import { Refusal } from "./errors.ts";

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Json;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface MaxbotClient {
  /**
   * Calls the API, e.g. `call("POST", "/messages", {…})`. Throws `Refusal` when MAX said no, `TransportError` when the
   * outcome is unknown or nothing was sent.
   */
  call(method: HttpRequest["method"], path: string, options?: CallOptions): Promise<Json>;
  /** A request to another host that MAX named, without the token. Throws `TransportError` when no answer comes. */
  fetch(request: HttpRequest): Promise<HttpAnswer>;
  /** Takes the token out of words that are shown or logged. */
  redact(words: string): string;
}

export interface Access {
  readonly credentials: { readonly access_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** How long to wait after a 429; MAX names no time. */
const FLOOD_WAIT_MS = 2_000;

/** A client of one bot. The token travels in a header of its own, without a scheme (dev.max.ru, "Authorization"). */
export function createClient({ credentials, settings, request }: Access): MaxbotClient {
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (words: string): string => words.replaceAll(credentials.access_token, "***");

  async function exchange(http: HttpRequest, harmless: boolean): Promise<HttpAnswer> {
    try {
      return await request(http);
    } catch (error) {
      throw noAnswer(error, "MAX", harmless);
    }
  }

  return {
    redact,
    fetch: (http) => exchange(http, true),
    async call(method, path, { query = {}, body, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
      const isHarmless = method !== "POST" || path !== "/messages";
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const answer = await exchange(
        {
          method,
          url: `${root}${path}${search.size > 0 ? `?${search}` : ""}`,
          headers: {
            authorization: credentials.access_token,
            ...(body && { "content-type": "application/json" }),
          },
          ...(body && { body: JSON.stringify(body) }),
          ...(signal && { signal }),
          timeoutMs,
        },
        isHarmless,
      );
      return readAnswer(answer, isHarmless, redact);
    },
  };
}

async function readAnswer(
  answer: HttpAnswer,
  isHarmless: boolean,
  redact: (words: string) => string,
): Promise<Json> {
  const { status, headers } = answer;
  const body: unknown = await answer.json().catch(() => undefined);
  if (status === 200 && isJson(body)) return body;
  if (status === 429)
    throw new Refusal(status, ...wordsOf(body, status, redact), waitMs(headers["retry-after"]));
  // A proxy's page tells nothing, except that a body was too large to pass.
  if (status >= 400 && status < 500 && (isJson(body) || status === 413))
    throw new Refusal(status, ...wordsOf(body, status, redact));
  throw unreadable(status, "MAX", isHarmless);
}

function wordsOf(
  body: unknown,
  status: number,
  redact: (words: string) => string,
): [code: string, words: string] {
  const { code, message } = isJson(body) ? body : {};
  return [
    typeof code === "string" ? code : `HTTP ${status}`,
    typeof message === "string" ? redact(message) : "",
  ];
}

function waitMs(header: string | string[] | undefined): number {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : FLOOD_WAIT_MS;
}
