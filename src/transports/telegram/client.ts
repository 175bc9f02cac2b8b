import type { ApiMethods, Opts } from "@grammyjs/types";
import type {
  HttpRequest,
  HttpResponse,
  OutboundFile,
  TransportRequest,
} from "../../core/transport/connector.ts";
import type { TransportError } from "../../core/transport/errors.ts";
import { encodeMultipart } from "../../platform/network/multipart.ts";
import { noResponse, unreadable } from "../kit/no-response.ts";
import { isFile, noSuchFile } from "../kit/opened-file.ts";
import { parseAnswer } from "./answer.ts";

/** A file is passed as a URL, a file id or `attach://file` (Bot API, "Sending files"). */
type Methods = ApiMethods<string>;
type Method = keyof Methods;
export type Params<M extends Method> = Opts<string>[M];

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Uploaded as the form part `file`, which the parameters reference as `attach://file`. */
  readonly upload?: OutboundFile;
}

export interface TelegramClient {
  readonly botId: string;
  /**
   * Calls a Bot API method. Throws `Refusal` if Telegram refused the call, `TransportError` if the outcome is unknown
   * or nothing was sent.
   */
  call<M extends Method>(
    method: M,
    params: Params<M>,
    options?: CallOptions,
  ): Promise<ReturnType<Methods[M]>>;
  /** Like `call`, for a method chosen at run time; the result is not validated. */
  invoke(method: Method, params: object, options?: CallOptions): Promise<unknown>;
  /** Opens a file by the path that `getFile` returned. Throws like `call`. */
  download(
    filePath: string,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse>;
  /** Removes the token from text that is shown or logged. */
  redact(text: string): string;
}

interface Access {
  readonly credentials: { readonly telegram_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Long enough for a large file. */
const UPLOAD_TIMEOUT_MS = 300_000;
/** Methods that are safe to repeat, so that a call without a response may be retried. */
const HARMLESS: ReadonlySet<Method> = new Set([
  "getMe",
  "getUpdates",
  "getFile",
  "getWebhookInfo",
  "getUserProfilePhotos",
  "setWebhook",
  "deleteWebhook",
]);

/** A client for one bot. Its errors never contain the token, although every URL does. */
export function createClient({ credentials, settings, request }: Access): TelegramClient {
  const token = credentials.telegram_token;
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (text: string): string => redactToken(text, token);

  async function exchange(http: HttpRequest, harmless: boolean): Promise<HttpResponse> {
    try {
      return await request(http);
    } catch (error) {
      throw noResponse(error, "Telegram", harmless, redact);
    }
  }

  async function invoke(method: Method, params: object, options: CallOptions = {}): Promise<unknown> {
    const harmless = HARMLESS.has(method);
    const answer = await exchange(toRequest(`${root}/bot${token}/${method}`, params, options), harmless);
    return readAnswer(answer, harmless, redact);
  }

  return {
    botId: token.slice(0, token.indexOf(":")),
    redact,
    invoke,
    async call(method, params, options) {
      return (await invoke(method, params, options)) as ReturnType<Methods[typeof method]>;
    },
    async download(filePath, signal, headers = {}) {
      const url = `${root}/file/bot${token}/${filePath.split("/").map(encodeURIComponent).join("/")}`;
      const answer = await exchange({ method: "GET", url, headers, ...(signal && { signal }) }, true);
      if (isFile(answer)) return answer;
      // A 404 here means a missing file. An invalid token also gets a 404, but `getFile` would have failed first.
      if (answer.status === 404) throw await fileGone(answer);
      await readAnswer(answer, true, redact);
      throw unreadable(answer.status, "Telegram", true);
    },
  };
}

function toRequest(url: string, params: object, { signal, timeoutMs, upload }: CallOptions): HttpRequest {
  const body =
    upload === undefined
      ? { headers: { "content-type": "application/json" }, body: JSON.stringify(params) }
      : encodeMultipart(params, upload);
  const limitMs = timeoutMs ?? (upload === undefined ? DEFAULT_TIMEOUT_MS : UPLOAD_TIMEOUT_MS);
  return { method: "POST", url, ...body, timeoutMs: limitMs, ...(signal && { signal }) };
}

async function readAnswer(
  answer: HttpResponse,
  harmless: boolean,
  redact: (text: string) => string,
): Promise<unknown> {
  const body = await answer.json().catch(() => undefined);
  const parsed = parseAnswer(answer, body, redact);
  if (parsed.kind === "result") return parsed.result;
  if (parsed.kind === "refusal") throw parsed.refusal;
  throw unreadable(answer.status, "Telegram", harmless);
}

async function fileGone(answer: HttpResponse): Promise<TransportError> {
  await answer.bytes().catch(() => undefined);
  return noSuchFile("Telegram", true);
}

function redactToken(text: string, token: string): string {
  const secret = token.slice(token.indexOf(":") + 1);
  return text.replaceAll(secret, "***");
}
