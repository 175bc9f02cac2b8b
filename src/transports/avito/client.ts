import type { HttpRequest, HttpResponse, TransportRequest } from "../../core/transport/connector.ts";
import { noResponse } from "../kit/no-response.ts";
import { isTokenRefusal, Refusal } from "./errors.ts";
import { readAnswer } from "./outbound/answer.ts";

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Builds the body and headers for each attempt, for example of an upload. */
  readonly makeBody?: () => Pick<HttpRequest, "headers" | "body">;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The call is not safe to repeat. */
  readonly sends?: boolean;
}

export interface AvitoClient {
  /**
   * Calls the API and returns the unvalidated JSON. If the token is rejected, retries once with a new one. Throws
   * `Refusal` if Avito refused the call, `GrantRefusal` if no token can be obtained, `TransportError` otherwise.
   */
  call(method: "GET" | "POST", path: string, options?: CallOptions): Promise<unknown>;
  /**
   * Sends a request without the token to another server that Avito named. Throws `TransportError` if there is no
   * response.
   */
  fetch(request: HttpRequest): Promise<HttpResponse>;
}

/** Where tokens come from. An open channel can renew them; other callers have a single one. */
export interface TokenSource {
  current(): Promise<string>;
  replace(refused: string): Promise<string | null>;
}

export interface Access {
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export function createClient({ settings, request }: Access, tokens: TokenSource): AvitoClient {
  const root = settings.apiUrl.replace(/\/+$/, "");

  async function attempt(
    method: "GET" | "POST",
    path: string,
    token: string,
    options: CallOptions,
  ): Promise<unknown> {
    const { query = {}, body, makeBody, signal, timeoutMs = DEFAULT_TIMEOUT_MS, sends = false } = options;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const made = makeBody?.() ?? jsonBody(body);
    const answer = await request({
      method,
      url: `${root}${path}${search.size > 0 ? `?${search}` : ""}`,
      timeoutMs,
      ...made,
      headers: { ...made.headers, authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw noResponse(error, "Avito", !sends);
    });
    return readAnswer(answer, { isHarmless: !sends, ofUpload: makeBody !== undefined });
  }

  return {
    async fetch(http) {
      return request(http).catch((error: unknown) => {
        throw noResponse(error, "Avito", true);
      });
    },
    async call(method, path, options = {}) {
      const token = await tokens.current();
      try {
        return await attempt(method, path, token, options);
      } catch (error) {
        if (!(error instanceof Refusal) || !isTokenRefusal(error)) throw error;
        const next = await tokens.replace(token);
        if (next === null) throw error;
        return attempt(method, path, next, options);
      }
    },
  };
}

function jsonBody(body: unknown): Pick<HttpRequest, "headers" | "body"> {
  if (body === undefined) return {};
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** A source for callers that may not renew the token. */
export function oneToken(token: string): TokenSource {
  return { current: async () => token, replace: async () => null };
}
