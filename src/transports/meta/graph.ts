import type {
  FileResume,
  HttpRequest,
  HttpResponse,
  OutboundFile,
  TransportRequest,
} from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { encodeMultipart } from "../../platform/network/multipart.ts";
import { isJson, type Json } from "../kit/json.ts";
import { noResponse, unreadable } from "../kit/no-response.ts";
import { isFile, resumeHeaders } from "../kit/opened-file.ts";
import { GraphRefusal, readError } from "./error.ts";

export interface GraphSettings {
  readonly graphUrl: string;
  /** "" for the few calls without a version in the path. */
  readonly graphVersion: string;
}
export interface GraphAccess {
  readonly settings: GraphSettings;
  readonly request: TransportRequest;
}

export interface GraphOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a form with the part `file`. */
  readonly upload?: { readonly fields: object; readonly file: OutboundFile };
  readonly signal?: AbortSignal;
}

/** A Graph API client with one token. */
export interface Graph {
  /**
   * Throws `GraphRefusal` if Meta refused, `TransportError` if the outcome is unknown or nothing was sent. Calls are
   * treated as safe to repeat, except `POST /{number}/messages`.
   */
  call(method: "GET" | "POST" | "DELETE", path: string, options?: GraphOptions): Promise<Json>;
  /** Downloads a file from the URL in a media object. Throws like `call`. */
  download(url: string, signal: AbortSignal, resume?: FileResume): Promise<HttpResponse>;
}

const TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 300_000;

/** `messenger`: its display name. */
export function createGraph(
  { settings, request }: GraphAccess,
  token: string | null,
  messenger: string,
): Graph {
  const root = settings.graphUrl.replace(/\/+$/, "");
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };

  async function exchange(http: HttpRequest, isHarmless: boolean): Promise<HttpResponse> {
    try {
      return await request(http);
    } catch (error) {
      throw noResponse(error, messenger, isHarmless);
    }
  }

  return {
    async call(method, path, options = {}) {
      const isHarmless = method !== "POST" || !path.endsWith("/messages");
      const query = new URLSearchParams(options.query).toString();
      const address = [root, settings.graphVersion, path].filter((part) => part !== "").join("/");
      const url = `${address}${query === "" ? "" : `?${query}`}`;
      const { headers, ...rest } = bodyOf(options);
      const http = { method, url, ...rest, headers: { ...authorization, ...headers } };
      return readAnswer(await exchange(http, isHarmless), messenger, isHarmless);
    },
    async download(url, signal, resume) {
      if (!mayHaveToken(url, root))
        throw new TransportError("GENERAL_ERROR", `${messenger} returned an unsafe URL for this file`);
      const answer = await exchange(
        { method: "GET", url, headers: { ...authorization, ...resumeHeaders(resume) }, signal },
        true,
      );
      if (isFile(answer)) return answer;
      await readAnswer(answer, messenger, true);
      throw unreadable(answer.status, messenger, true);
    },
  };
}

/** Files are on other Meta hosts; the token must not be sent over plain HTTP. */
function mayHaveToken(url: string, root: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === "https:" || parsed.origin === new URL(root).origin);
}

function bodyOf({ body, upload, signal }: GraphOptions): Omit<HttpRequest, "method" | "url"> {
  const common = signal === undefined ? {} : { signal };
  if (upload !== undefined)
    return { ...encodeMultipart(upload.fields, upload.file), timeoutMs: UPLOAD_TIMEOUT_MS, ...common };
  if (body === undefined) return { timeoutMs: TIMEOUT_MS, ...common };
  const headers = { "content-type": "application/json" };
  return { headers, body: JSON.stringify(body), timeoutMs: TIMEOUT_MS, ...common };
}

async function readAnswer(answer: HttpResponse, messenger: string, isHarmless: boolean): Promise<Json> {
  const json = await answer.json().catch(() => undefined);
  const error = isJson(json) ? readError(json["error"]) : null;
  if (error !== null) throw new GraphRefusal(answer.status, error);
  if (answer.status === 429)
    throw new GraphRefusal(429, { code: 4, message: "Too many requests", details: "" });
  if (answer.status >= 200 && answer.status < 300 && isJson(json)) return json;
  if (answer.status >= 400 && answer.status < 500)
    throw new GraphRefusal(answer.status, { code: 100, message: `HTTP ${answer.status}`, details: "" });
  throw unreadable(answer.status, messenger, isHarmless);
}
