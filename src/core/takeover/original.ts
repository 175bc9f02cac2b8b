import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { fields, text } from "../../platform/foreign/foreign-json.ts";
import {
  createHttpClient,
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type TransportRequest,
} from "../../platform/network/http-client.ts";
import { messengerDispatcher } from "../../platform/network/messenger-dispatcher.ts";
import type { ProxyRoute } from "../../platform/network/proxy/proxy.ts";
import { proxyDispatcher } from "../../platform/network/proxy/proxy-dispatcher.ts";
import { TakeoverFailed } from "./failure.ts";

/** Where the original is, and how we may ask it. */
export interface OriginalAccess {
  /** Base of `/v3`, without a trailing slash. */
  readonly v3Url: string;
  /** Base of `/v2`. */
  readonly v2Url: string;
  readonly apiKey: string;
  /** The client access token, for `/v2`; null: only what `/v3` tells is taken over. */
  readonly token: string | null;
  /** Null: direct connections. */
  readonly proxy: ProxyRoute | null;
  /** Private networks that links of the original may lead to. */
  readonly allowNetworks: readonly string[];
  /** The most that is asked a minute. */
  readonly requestsPerMinute: number;
  /** Called when a failed request and the pause after it take more than a few seconds. */
  readonly onPause: (reason: string) => void;
}

/** A route that the credentials do not allow, or that the original does not have. The part is left out. */
export class NotGiven extends Error {
  override readonly name = "NotGiven";
}

const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 120_000;
/** The interface's counter is reset each minute. */
const LIMIT_PAUSE_MS = 60_000;
const SHOWN_PAUSE_MS = 5_000;
const MAX_REDIRECTS = 5;

/**
 * The original's API. Requests are spread over the minute, because the account's CRM has the same allowance. A refused or
 * failed request is repeated: after the time that the original names, otherwise after growing pauses.
 */
export class Original {
  readonly #access: OriginalAccess;
  readonly #request: TransportRequest;
  /** Reaches the original, and public addresses that it names. */
  readonly dispatcher: Dispatcher;
  #nextAt = 0;

  constructor(access: OriginalAccess) {
    this.#access = access;
    const targets = {
      hosts: [access.v3Url, access.v2Url].map((url) => new URL(url).host),
      allowNetworks: access.allowNetworks,
      authorities: "",
    };
    const secrets = [access.apiKey, access.token].filter((secret) => secret !== null && secret !== "");
    this.dispatcher =
      access.proxy === null ? messengerDispatcher(targets) : proxyDispatcher(access.proxy, targets);
    this.#request = createHttpClient({
      dispatcher: this.dispatcher,
      redact: (shown) =>
        secrets.reduce<string>((safe, secret) => safe.replaceAll(secret ?? "", "[key]"), shown),
    });
  }

  /** Whether routes of `/v2` can be asked. */
  get hasToken(): boolean {
    return this.#access.token !== null;
  }

  /** The JSON of a route such as `/v3/users`. Throws `NotGiven`, and `TakeoverFailed` if the credentials are refused. */
  get(path: string): Promise<unknown> {
    return this.#json({ method: "GET", path });
  }

  post(path: string, body: object): Promise<unknown> {
    return this.#json({ method: "POST", path, body });
  }

  patch(path: string, body: object): Promise<unknown> {
    return this.#json({ method: "PATCH", path, body });
  }

  delete(path: string, body: object): Promise<unknown> {
    return this.#json({ method: "DELETE", path, body });
  }

  /** The content of a link that the original has given. The credentials are not sent there. */
  async open(link: string): Promise<Readable> {
    let url = link;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const answer = await this.#repeated(
        "the link of the dump",
        { method: "GET", url },
        async (response) => response,
      );
      if (answer.status < 300) return answer.stream();
      const { location } = answer.headers;
      if (answer.status >= 400 || typeof location !== "string" || !URL.canParse(location, url))
        throw new TakeoverFailed(`The link of the dump responds with ${answer.status}`);
      answer.stream().destroy();
      url = new URL(location, url).href;
    }
    throw new TakeoverFailed("The link of the dump redirects too often");
  }

  async #json({ method, path, body }: ApiRequest): Promise<unknown> {
    const isV2 = path.startsWith("/v2/");
    const { v2Url, v3Url, token, apiKey } = this.#access;
    if (isV2 && token === null) throw new NotGiven(`${path} needs the client access token (--token)`);
    const what = `${method} ${path}`;
    const request = {
      method,
      url: `${isV2 ? v2Url : v3Url}${path}`,
      headers: {
        authorization: `Bearer ${isV2 ? token : apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return this.#repeated(what, request, async (answer) => {
      if (answer.status >= 300) throw await refusal(answer, what, isV2 ? "--token" : "--api-key");
      return method === "PATCH" ? answer.bytes() : answer.json();
    });
  }

  /**
   * What is read of the first response that is neither 429 nor a failure of the original, nor broken off, nor, where JSON is
   * expected, a page of something in between.
   */
  async #repeated<T>(
    what: string,
    request: HttpRequest,
    read: (answer: HttpResponse) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#turn();
      const began = performance.now();
      const outcome = await this.#outcome(request, read);
      if ("value" in outcome) return outcome.value;
      const reason = `${what} ${outcome.failure}`;
      if (outcome.isFinal) throw new TakeoverFailed(reason);
      if (attempt === MAX_ATTEMPTS) throw new TakeoverFailed(`${reason}; tried ${attempt} times`);
      const ms = Math.min(MAX_PAUSE_MS, outcome.pauseMs || FIRST_PAUSE_MS * 2 ** (attempt - 1));
      if (performance.now() - began + ms >= SHOWN_PAUSE_MS)
        this.#access.onPause(`${reason}; going on in ${Math.ceil(ms / 1000)} s`);
      await sleep(ms);
    }
  }

  /** Throws what `read` throws, except that there is no usable response. */
  async #outcome<T>(
    request: HttpRequest,
    read: (answer: HttpResponse) => Promise<T>,
  ): Promise<{ readonly value: T } | Failure> {
    try {
      const answer = await this.#request(request);
      if (answer.status !== 429 && answer.status < 500) return { value: await read(answer) };
      return { failure: `responds with ${answer.status}`, pauseMs: demandedMs(answer), isFinal: false };
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      return { failure: `fails: ${error.message}`, pauseMs: 0, isFinal: error.isBlocked };
    }
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + 60_000 / this.#access.requestsPerMinute;
    if (at > now) await sleep(at - now);
  }
}

/** A request without a usable response. */
interface Failure {
  readonly failure: string;
  /** How long the original wants us to wait; 0: it does not say. */
  readonly pauseMs: number;
  /** Whether the same request fails again. */
  readonly isFinal: boolean;
}

interface ApiRequest {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly body?: object;
}

/** 0: the original names no time. */
function demandedMs({ status, headers }: HttpResponse): number {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000 || 1;
  return status === 429 ? LIMIT_PAUSE_MS : 0;
}

const refusalOf = fields({ error: text, description: text });

async function refusal(answer: HttpResponse, what: string, option: string): Promise<Error> {
  const { error, description } = refusalOf(await answer.json().catch(() => null)) ?? {};
  const reason = [error, description].filter((part) => part !== undefined).join(": ");
  const shown = `${what} responds with ${answer.status}${reason === "" ? "" : ` (${reason})`}`;
  if (answer.status === 401) return new TakeoverFailed(`The original refuses the key of ${option}: ${shown}`);
  return answer.status === 403 || answer.status === 404 ? new NotGiven(shown) : new TakeoverFailed(shown);
}
