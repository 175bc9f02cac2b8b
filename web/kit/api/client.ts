import { online } from "../offline.tsx";
import type { ErrorCode, Operations, Route } from "./generated.ts";

type Input<Id extends keyof Operations> = Operations[Id]["input"];

/** The service's form of an error. */
interface ErrorBody {
  readonly error?: ErrorCode;
  readonly description?: string;
  readonly data?: { readonly fields?: []; readonly reason?: string };
  readonly reason?: string;
}

/** A refusal of the service. */
export class Refusal extends Error {
  /** `UNKNOWN`: not the service's error, but that of a proxy. */
  readonly code: ErrorCode | "UNKNOWN";
  /** The service, or the proxy in front of it, is overloaded or away: a repetition may succeed. */
  readonly isTemporary: boolean;
  /** Seconds to wait before a retry makes sense. */
  readonly retryAfter: number | null;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  /** Of an error with several causes. */
  readonly reason: string | null;

  constructor(answer: Response, body: ErrorBody | null) {
    const { error, description, data }: ErrorBody = isErrorBody(body) ? body : {};
    super(description ?? `The service answered ${answer.status}`);
    // A proxy may take smaller files than the service.
    this.code = error ?? (answer.status === 413 ? "BODY_TOO_LARGE" : "UNKNOWN");
    this.isTemporary = [429, 502, 503, 504].includes(answer.status);
    this.fields = data?.fields ?? [];
    this.reason = data?.reason ?? null;
    const seconds = Number(answer.headers.get("retry-after"));
    this.retryAfter = seconds > 0 ? seconds : null;
  }
}

function isErrorBody(body: ErrorBody | null): body is ErrorBody {
  return /^[A-Z\d_]+$/.test(String(body?.error));
}

/** There was no response, or it broke off. */
export class NoConnection extends Error {}

interface CallOptions {
  readonly token?: string | undefined;
  /** A session in a cookie, with its CSRF token; `background`: not caused by a user action. */
  readonly cookie?: { readonly csrf: string; readonly background: boolean };
  /** Cookies are sent and kept; by default they are not, because a page may be in a frame without them. */
  readonly withCookies?: true;
  readonly signal?: AbortSignal;
}

/** The requests of one page. */
export interface Client<Known extends keyof Operations> {
  /** One request. Throws `Refusal`, `NoConnection`, and `AbortError` when the signal aborts. */
  call<Id extends Known>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Operations[Id]["output"]>;
  /**
   * Method and address of a request, relative to the page `…/app/channels`, because the service may have a path
   * prefix.
   */
  requestOf<Id extends Known>(id: Id, input: Input<Id>): Request;
}

interface Request {
  readonly method: string;
  readonly address: string;
}

/** `routes`: the operations used by the page; only those are bundled. */
export function clientOf<Known extends keyof Operations>(
  routes: Readonly<Record<Known, Route>>,
): Client<Known> {
  const requestOf: Client<Known>["requestOf"] = (id, input) => requestTo(routes[id], input);
  return { requestOf, call: (id, input, options) => send(requestOf(id, input), input, options) };
}

async function send<Output>(
  { method, address }: Request,
  input: object,
  { token, cookie, withCookies = cookie === undefined ? undefined : true, signal }: CallOptions = {},
): Promise<Output> {
  const { body } = input as Parts;
  return reach(address, {
    method,
    credentials: withCookies === undefined ? "omit" : "same-origin",
    cache: "no-store",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { "x-csrf-token": cookie.csrf }),
      ...(cookie?.background === true ? { "x-background": "1" } : {}),
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function requestTo([method, template]: Route, input: object): Request {
  const { path = {}, query = {} } = input as Parts;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search =
    given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  return { method, address: `.${filled.slice("/app".length)}${search}` };
}

interface Parts {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

/** The body of a response. Throws if that of a success is incomplete; a proxy's refusal may have any body. */
export function jsonOf(answer: Response) {
  return answer.ok ? answer.json() : answer.json().catch(() => ({}));
}

async function reach<Output>(url: string, init: RequestInit): Promise<Output> {
  try {
    const answer = await fetch(url, init);
    const json = await jsonOf(answer);
    init.signal?.throwIfAborted();
    online.value = true;
    if (!answer.ok) throw new Refusal(answer, json);
    return json;
  } catch (error) {
    if (init.signal?.aborted === true || error instanceof Refusal) throw error;
    online.value = false;
    throw new NoConnection("The service cannot be reached");
  }
}

/** Resolves after a while, or at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
