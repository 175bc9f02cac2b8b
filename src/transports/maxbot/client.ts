import type { HttpRequest, HttpResponse, TransportRequest } from "../../core/transport/connector.ts";
import { isJson, type Json } from "../kit/json.ts";
import { noResponse, unreadable } from "../kit/no-response.ts";
import { Refusal } from "./errors.ts";

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Json;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface MaxbotClient {
  /**
   * Calls the API, e.g. `call("POST", "/messages", {…})`. Throws `Refusal` if MAX refused the call, `TransportError`
   * if the outcome is unknown or nothing was sent.
   */
  call(method: HttpRequest["method"], path: string, options?: CallOptions): Promise<Json>;
  /**
   * Sends a request without the token to another host that MAX named. Throws `TransportError` if there is no
   * response.
   */
  fetch(request: HttpRequest): Promise<HttpResponse>;
  /** Removes the token from text that is shown or logged. */
  redact(text: string): string;
}

export interface Access {
  readonly credentials: { readonly access_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** The delay after a 429 without Retry-After. */
const FLOOD_WAIT_MS = 2_000;

/**
 * A client for one bot. The token is sent in the Authorization header without a scheme (dev.max.ru, "Authorization").
 */
export function createClient({ credentials, settings, request }: Access): MaxbotClient {
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (text: string): string => text.replaceAll(credentials.access_token, "***");

  async function exchange(http: HttpRequest, harmless: boolean): Promise<HttpResponse> {
    try {
      return await request(http);
    } catch (error) {
      throw noResponse(error, "MAX", harmless);
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
  answer: HttpResponse,
  isHarmless: boolean,
  redact: (text: string) => string,
): Promise<Json> {
  const { status, headers } = answer;
  const body: unknown = await answer.json().catch(() => undefined);
  if (status === 200 && isJson(body)) return body;
  if (status === 429)
    throw new Refusal(status, ...codeAndText(body, status, redact), waitMs(headers["retry-after"]));
  // An HTML page from a proxy says nothing about the call, except that a 413 means that the body was too large.
  if (status >= 400 && status < 500 && (isJson(body) || status === 413))
    throw new Refusal(status, ...codeAndText(body, status, redact));
  throw unreadable(status, "MAX", isHarmless);
}

function codeAndText(
  body: unknown,
  status: number,
  redact: (text: string) => string,
): [code: string, text: string] {
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
