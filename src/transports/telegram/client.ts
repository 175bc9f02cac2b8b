import type { ApiMethods, Opts } from "@grammyjs/types";
import type {
  HttpAnswer,
  HttpRequest,
  OutboundFile,
  TransportRequest,
} from "../../core/transport/connector.ts";
import type { TransportError } from "../../core/transport/errors.ts";
import { encodeMultipart } from "../../platform/multipart.ts";
import { noAnswer, unreadable } from "../kit/no-answer.ts";
import { noSuchFile } from "../kit/opened-file.ts";
import { parseAnswer } from "./answer.ts";

/** Files travel as a link, a file id or `attach://file` (Bot API, "Sending files"). */
type Methods = ApiMethods<string>;
type Method = keyof Methods;
export type Params<M extends Method> = Opts<string>[M];

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Uploaded as the part `file`; the parameters name it `attach://file`. */
  readonly upload?: OutboundFile;
}

export interface TelegramClient {
  readonly botId: string;
  /**
   * Calls a method of the Bot API. Throws `Refusal` when Telegram said no, `TransportError` when the outcome is
   * unknown or nothing was sent.
   */
  call<M extends Method>(
    method: M,
    params: Params<M>,
    options?: CallOptions,
  ): Promise<ReturnType<Methods[M]>>;
  /** The same for a method chosen at run time; the result is unread. */
  invoke(method: Method, params: object, options?: CallOptions): Promise<unknown>;
  /** Opens a file by the path that `getFile` gave. Throws like `call`. */
  download(filePath: string, signal?: AbortSignal): Promise<HttpAnswer>;
  /** Takes the token out of words that are shown or logged. */
  redact(words: string): string;
}

interface Access {
  readonly credentials: { readonly telegram_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Time for a large file to reach Telegram. */
const UPLOAD_TIMEOUT_MS = 300_000;
/** Calling these again does no harm, so a lost answer does none either. */
const HARMLESS: ReadonlySet<Method> = new Set([
  "getMe",
  "getUpdates",
  "getFile",
  "getWebhookInfo",
  "getUserProfilePhotos",
  "setWebhook",
  "deleteWebhook",
]);

/** A client of one bot. Its errors never hold the token, although every address does. */
export function createClient({ credentials, settings, request }: Access): TelegramClient {
  const token = credentials.telegram_token;
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (words: string): string => redactToken(words, token);

  async function exchange(http: HttpRequest, harmless: boolean): Promise<HttpAnswer> {
    try {
      return await request(http);
    } catch (error) {
      throw noAnswer(error, "Telegram", harmless, redact);
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
    async download(filePath, signal) {
      const url = `${root}/file/bot${token}/${filePath.split("/").map(encodeURIComponent).join("/")}`;
      const answer = await exchange({ method: "GET", url, ...(signal && { signal }) }, true);
      if (answer.status === 200) return answer;
      // "Not Found", as a token that is dead gets; of that one `getFile` would have told before.
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
  answer: HttpAnswer,
  harmless: boolean,
  redact: (words: string) => string,
): Promise<unknown> {
  const body = await answer.json().catch(() => undefined);
  const parsed = parseAnswer(answer, body, redact);
  if (parsed.kind === "result") return parsed.result;
  if (parsed.kind === "refusal") throw parsed.refusal;
  throw unreadable(answer.status, "Telegram", harmless);
}

async function fileGone(answer: HttpAnswer): Promise<TransportError> {
  await answer.bytes().catch(() => undefined);
  return noSuchFile("Telegram", true);
}

function redactToken(words: string, token: string): string {
  const secret = token.slice(token.indexOf(":") + 1);
  return words.replaceAll(secret, "***");
}
