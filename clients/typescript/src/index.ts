import { type ErrorCode, OPERATIONS, type Operations } from "./generated.ts";

export type * from "./generated.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://gateway.example`. */
  readonly baseUrl: string;
  /** For `/v2`. */
  readonly accessToken?: string;
  /** For `/v3`. */
  readonly apiKey?: string;
  /** For a partner's accounts and tokens. */
  readonly partner?: { readonly email: string; readonly password: string };
  /** How often a request is repeated when no answer came, or when one asks to wait. Default 2. */
  readonly retries?: number;
  /** How long each attempt may take, until its answer has been read. Default 60,000. */
  readonly timeoutMs?: number;
  /** Default: the platform's own. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Of a POST; without one each call gets its own, so that repeating it is harmless. */
  readonly idempotencyKey?: string;
  /** Ends the call, its repetitions too. */
  readonly signal?: AbortSignal;
}

type Input<Id extends keyof Operations> = Operations[Id]["input"];
type Arguments<Id extends keyof Operations> =
  Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions];

/** A method for every operation of the interface. They throw `TrunklineError` for what the service refuses. */
export type Client = {
  readonly [Id in keyof Operations]: (...args: Arguments<Id>) => Promise<Operations[Id]["output"]>;
};

/** What the service refused. */
export class TrunklineError extends Error {
  override readonly name = "TrunklineError";
  /** HTTP status. */
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  /** More to know, such as invalid fields: `{fields: [{field, message}]}` on v2, `{fields: [name], details}` on v3. */
  readonly data: unknown;
  /** To find the request in the service's log. */
  readonly requestId: string | null;

  constructor(
    answer: Pick<Response, "status" | "headers">,
    body: { error?: string; description?: string; data?: unknown },
  ) {
    super(body.description ?? `The service answered ${answer.status}`);
    this.status = answer.status;
    this.code = body.error ?? "UNKNOWN";
    this.data = body.data;
    this.requestId = answer.headers.get("x-request-id");
  }
}

/** Makes a client. Nothing is asked of the service before a method is called. */
export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(OPERATIONS).map(([id, operation]) => [
    id,
    (input: AnyInput = {}, how: CallOptions = {}) => call(options, operation, { ...input, ...how }),
  ]);
  return Object.fromEntries(methods) as Client;
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}
type AnyOperation = (typeof OPERATIONS)[keyof typeof OPERATIONS];

const FIRST_PAUSE_MS = 500;
/** Whoever has to wait longer gets the refusal at once. */
const LONGEST_WAIT_MS = 60_000;

async function call(
  options: ClientOptions,
  operation: AnyOperation,
  input: AnyInput & CallOptions,
): Promise<unknown> {
  const { retries = 2, timeoutMs = 60_000, fetch: send = fetch } = options;
  const { signal } = input;
  const request = requestOf(options, operation, input);
  for (let attempt = 0; ; attempt++) {
    const answer = await attemptOf(send, request, { signal, timeoutMs }).catch((error: unknown) => {
      if (attempt >= retries || signal?.aborted) throw error;
      return null;
    });
    const asked = askedWaitMs(answer);
    const isLast = attempt >= retries || (asked ?? 0) > LONGEST_WAIT_MS;
    if (answer !== null && (isLast || !asksToWait(answer))) return bodyOf(answer);
    await pause(asked ?? FIRST_PAUSE_MS * 2 ** attempt, signal);
  }
}

interface Answer extends Pick<Response, "ok" | "status" | "headers"> {
  readonly text: string;
}

/** An answer that breaks off, or does not come in time, is none. */
async function attemptOf(
  send: typeof fetch,
  { url, init }: { readonly url: string; readonly init: RequestInit },
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<Answer> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const stop = (): void => ending.abort(signal?.reason);
  const timer = setTimeout(
    () => ending.abort(new DOMException(`No answer within ${timeoutMs} ms`, "TimeoutError")),
    timeoutMs,
  );
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answer = await send(url, { ...init, signal: ending.signal });
    return { ok: answer.ok, status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

function requestOf(
  { baseUrl, ...credentials }: ClientOptions,
  [method, path, credential]: AnyOperation,
  { path: places = {}, query = {}, body, idempotencyKey }: AnyInput & CallOptions,
): { url: string; init: RequestInit } {
  const url = new URL(
    baseUrl.replace(/\/$/, "") +
      path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(places[name] ?? "")),
  );
  for (const [name, value] of Object.entries(query))
    if (value != null) url.searchParams.set(name, String(value));
  const headers = {
    ...authorization(credentials, credential),
    ...(method === "POST" ? { "idempotency-key": idempotencyKey ?? crypto.randomUUID() } : {}),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return {
    url: url.href,
    init: {
      method,
      headers,
      // A redirect would carry the token to another address, and make a GET of a POST.
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  };
}

function authorization(
  { accessToken, apiKey, partner }: Omit<ClientOptions, "baseUrl">,
  credential: AnyOperation[2],
): Record<string, string> {
  if (credential === "none") return {};
  if (credential === "partner") {
    if (partner === undefined) throw new Error("This operation needs the client's option partner");
    const pair = new TextEncoder().encode(`${partner.email}:${partner.password}`);
    return { authorization: `Basic ${btoa(String.fromCharCode(...pair))}` };
  }
  const token = credential === "accessToken" ? accessToken : apiKey;
  if (token === undefined) throw new Error(`This operation needs the client's option ${credential}`);
  return { authorization: `Bearer ${token}` };
}

function asksToWait(answer: Answer): boolean {
  return answer.status === 429 || answer.status === 503;
}

function askedWaitMs(answer: Answer | null): number | null {
  const seconds = Number(answer?.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function bodyOf(answer: Answer): unknown {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.ok) return isJson ? JSON.parse(answer.text) : answer.text;
  throw new TrunklineError(answer, isJson ? refusalIn(answer.text) : {});
}

/** A body that cannot be read leaves the status. */
function refusalIn(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
