import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { parseBounded } from "../foreign/bounded-json.ts";
import { messageOf } from "../message-of.ts";
import { agentsWith } from "./agents.ts";
import { CONNECT_TIMEOUT_MS, CONNECTION_OPTIONS } from "./connection-options.ts";
import { BlockedAddress } from "./guarded-lookup.ts";
import { collectBytes } from "./http-body.ts";

/** Rejects with `HttpFailure` if there is no response; resolves with any response, including 4xx and 5xx. */
export type TransportRequest = (request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** Limit until the response headers, default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Consume exactly one of `json`, `bytes` and `stream`. `json` and `bytes` are limited to 10 MB, `json` also in depth
   * and number of values; its integers that a JavaScript number cannot hold exactly are strings (`parseBounded`). A
   * stream may be destroyed unread; its later errors are ignored.
   */
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
  stream(): Readable;
}

/**
 * There is no usable response. With `sent: false`, the request never reached the other side. `isBlocked`: its address is
 * not public, or its host does not exist, so the same request fails again.
 */
export class HttpFailure extends Error {
  readonly sent: boolean;
  readonly isBlocked: boolean;
  constructor(message: string, options: { sent: boolean; isBlocked?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "HttpFailure";
    this.sent = options.sent;
    this.isBlocked = options.isBlocked ?? false;
  }
}

/** The outcome of one request, for a log; every text is redacted. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  /** Null if there was no response; `failure` then contains the reason. */
  readonly status: number | null;
  /** Until the response headers, or the failure. */
  readonly durationMs: number;
  readonly failure?: string;
  /** The first kilobyte of a response with status 400 or above. */
  readonly answer?: string;
}

export interface HttpClientOptions {
  /** Default: pooled connections without address restrictions. */
  readonly dispatcher?: Dispatcher;
  /** Removes secrets from URLs and responses. */
  readonly redact: (text: string) => string;
  readonly onExchange?: (exchange: HttpExchange) => void;
  /**
   * Called immediately before a request is written; if it returns false, the request fails unsent. Default: always
   * true.
   */
  readonly maySend?: () => boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The largest number of values in a JSON response: the memory of parsed JSON depends on it. */
const MAX_VALUES = 500_000;
const LOGGED_BYTES = 1024;

/** Does not follow redirects; they are returned like any other response. */
export function createHttpClient(options: HttpClientOptions): TransportRequest {
  const dispatcher = trackSending(options.dispatcher ?? defaultDispatcher(), options.maySend);
  return async (request) => {
    const startedAt = performance.now();
    const progress: Progress = { sent: false };
    const report = (outcome: Pick<HttpExchange, "status" | "failure" | "answer">) =>
      options.onExchange?.({
        method: request.method,
        url: options.redact(request.url),
        durationMs: Math.round(performance.now() - startedAt),
        ...outcome,
      });
    try {
      const answer = await send(dispatcher, request, progress);
      if (answer.statusCode < 400) {
        report({ status: answer.statusCode });
        return streamedAnswer(answer);
      }
      const bytes = await collectBytes(answer.body, MAX_BODY_BYTES, { keepPart: true });
      report({ status: answer.statusCode, answer: options.redact(excerpt(bytes)) });
      return bufferedAnswer(answer, bytes);
    } catch (error) {
      const failure = asFailure(error, request, progress, options.redact);
      report({ status: null, failure: failure.message });
      throw failure;
    }
  };
}

/** Assigns pooled connections without address restrictions. */
export const defaultDispatcher: () => Dispatcher = agentsWith({
  ...CONNECTION_OPTIONS,
  connect: { timeout: CONNECT_TIMEOUT_MS },
});

/** Passed through undici as `opaque`. */
interface Progress {
  sent: boolean;
}

/**
 * Records when a request is about to be written to a connected socket; a failure before that means that it was not
 * sent. Also checks `maySend` here, because the process may have been frozen since the request was made.
 */
function trackSending(dispatcher: Dispatcher, maySend: () => boolean = () => true): Dispatcher {
  return dispatcher.compose((dispatch) => (request, handler) => {
    const { opaque, signal } = request as Dispatcher.RequestOptions<Progress> & { signal?: AbortSignal };
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      const sends = signal?.aborted !== true && maySend();
      if (opaque && sends) opaque.sent = true;
      start?.(controller, context);
      if (!sends) controller.abort(new Error("the request may no longer be sent"));
    };
    return dispatch(request, handler);
  });
}

async function send(
  dispatcher: Dispatcher,
  request: HttpRequest,
  progress: Progress,
): Promise<Dispatcher.ResponseData<Progress>> {
  const { origin, pathname, search } = new URL(request.url);
  const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const answer = dispatcher.request<Progress>({
    origin,
    path: pathname + search,
    method: request.method,
    headers: { "user-agent": "trunkline", ...request.headers },
    body: request.body ?? null,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    opaque: progress,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
  return request.signal === undefined ? answer : abortable(answer, request.signal, progress);
}

/** undici handles an abort only once the request has a connection; this makes it immediate. */
function abortable<T>(answer: Promise<T>, signal: AbortSignal, progress: Progress): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const rejectIfUnsent = (): void => {
    if (!progress.sent) reject(signal.reason);
  };
  if (signal.aborted) rejectIfUnsent();
  else signal.addEventListener("abort", rejectIfUnsent, { once: true });
  answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", rejectIfUnsent));
  return promise;
}

function streamedAnswer({ statusCode, headers, body }: Dispatcher.ResponseData<Progress>): HttpResponse {
  const bytes = async () => {
    try {
      return await collectBytes(body, MAX_BODY_BYTES);
    } catch (cause) {
      throw new HttpFailure(`The response could not be read: ${messageOf(cause)}`, { sent: true, cause });
    }
  };
  return {
    status: statusCode,
    headers,
    bytes,
    json: async () => parseJson(await bytes()),
    stream: () => body.on("error", () => undefined),
  };
}

function bufferedAnswer(answer: Dispatcher.ResponseData<Progress>, bytes: Buffer): HttpResponse {
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes: async () => bytes,
    json: async () => parseJson(bytes),
    stream: () => Readable.from([bytes], { objectMode: false }),
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes.toString("utf8"), MAX_VALUES);
  } catch (cause) {
    throw new HttpFailure("The response is not JSON", { sent: true, cause });
  }
}

function excerpt(bytes: Buffer): string {
  return bytes.toString("utf8", 0, LOGGED_BYTES);
}

function asFailure(
  error: unknown,
  request: HttpRequest,
  { sent }: Progress,
  redact: (text: string) => string,
): HttpFailure {
  const isBlocked = error instanceof BlockedAddress;
  const reason = request.signal?.aborted === true ? "aborted" : messageOf(error);
  const message = redact(`${request.method} ${request.url} got no response: ${reason}`);
  return new HttpFailure(message, { sent: sent && !isBlocked, isBlocked, cause: error });
}
