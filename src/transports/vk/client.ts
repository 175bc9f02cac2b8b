import type { HttpRequest, HttpResponse, TransportRequest } from "../../core/transport/connector.ts";
import { fields, number, text } from "../../platform/foreign/foreign-json.ts";
import { noResponse, unreadable } from "../kit/no-response.ts";
import { Refusal } from "./errors.ts";

export type Params = Readonly<Record<string, string | number | undefined>>;

export interface VkClient {
  /**
   * Calls an API method and returns its unvalidated `response`. Throws `Refusal` if VK refused the call,
   * `TransportError` if the outcome is unknown or nothing was sent.
   */
  call(method: string, params: Params, signal?: AbortSignal): Promise<unknown>;
  /** Sends a request to another server that VK named. Throws `TransportError` if there is no response. */
  fetch(request: HttpRequest): Promise<HttpResponse>;
  /** Removes the key from text that is shown or logged. */
  redact(text: string): string;
}

export interface Access {
  readonly credentials: { readonly access_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

/** The API version that the connector was written for. VK's responses depend on it. */
export const API_VERSION = "5.199";
const TIMEOUT_MS = 30_000;
/** "Too many requests per second" (dev.vk.com, "API errors"). */
export const TOO_FAST = 6;

/**
 * Methods whose repetition is not harmless. VK deduplicates a message that is sent again within an hour, so core may
 * retry it; a chat that is created again is another one.
 */
const EFFECTS: ReadonlySet<string> = new Set([
  "messages.send",
  "messages.createChat",
  "messages.editChat",
  "messages.setChatPhoto",
  "messages.deleteChatPhoto",
  "messages.removeChatUser",
]);

const refused = fields({ error: fields({ error_code: number, error_msg: text }) });

/** A client for one community. VK reports errors inside HTTP 200 responses (dev.vk.com, "API requests"). */
export function createClient({ credentials, settings, request }: Access): VkClient {
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (text: string): string => text.replaceAll(credentials.access_token, "***");
  return {
    redact,
    async fetch(http) {
      return request(http).catch((error: unknown) => {
        throw noResponse(error, "VK", true);
      });
    },
    async call(method, params, signal) {
      const isHarmless = !EFFECTS.has(method);
      const answer = await request({
        method: "POST",
        url: `${root}/method/${method}`,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Bearer ${credentials.access_token}`,
        },
        body: form({ ...params, v: API_VERSION }),
        timeoutMs: TIMEOUT_MS,
        ...(signal && { signal }),
      }).catch((error: unknown) => {
        throw noResponse(error, "VK", isHarmless);
      });
      return readResponse(answer, isHarmless, redact);
    },
  };
}

function form(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

async function readResponse(
  answer: HttpResponse,
  isHarmless: boolean,
  redact: (text: string) => string,
): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined);
  const error = refused(body)?.error;
  if (answer.status === 429) throw new Refusal(TOO_FAST, "HTTP 429");
  if (error?.error_code !== undefined) throw new Refusal(error.error_code, redact(error.error_msg ?? ""));
  if (answer.status === 200 && typeof body === "object" && body !== null && "response" in body)
    return body.response;
  throw unreadable(answer.status, "VK", isHarmless);
}
