import type { HttpAnswer, HttpRequest, TransportRequest } from "../../core/transport/connector.ts";
import { fields, number, text } from "../../platform/foreign-json.ts";
import { noAnswer, unreadable } from "../kit/no-answer.ts";
import { Refusal } from "./errors.ts";

export type Params = Readonly<Record<string, string | number | undefined>>;

export interface VkClient {
  /**
   * Calls a method of the API; answers its `response`, unread. Throws `Refusal` when VK said no, `TransportError` when
   * the outcome is unknown or nothing was sent.
   */
  call(method: string, params: Params, signal?: AbortSignal): Promise<unknown>;
  /** A request to another server that VK named. Throws `TransportError` when no answer comes. */
  fetch(request: HttpRequest): Promise<HttpAnswer>;
  /** Takes the key out of words that are shown or logged. */
  redact(words: string): string;
}

export interface Access {
  readonly credentials: { readonly access_token: string };
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

/** The version that the connector was written for: what VK answers depends on it. */
export const API_VERSION = "5.199";
const TIMEOUT_MS = 30_000;
/** "Too many requests per second" (dev.vk.com, "API errors"). */
export const TOO_FAST = 6;

const refused = fields({ error: fields({ error_code: number, error_msg: text }) });

/** A client of one community. Answers are HTTP 200, with errors inside (dev.vk.com, "API requests"). */
export function createClient({ credentials, settings, request }: Access): VkClient {
  const root = settings.apiUrl.replace(/\/+$/, "");
  const redact = (words: string): string => words.replaceAll(credentials.access_token, "***");
  return {
    redact,
    async fetch(http) {
      return request(http).catch((error: unknown) => {
        throw noAnswer(error, "VK", true);
      });
    },
    async call(method, params, signal) {
      // A message that is sent again within an hour is recognised, so a lost answer is no reason to give up.
      const isHarmless = method !== "messages.send";
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
        throw noAnswer(error, "VK", isHarmless);
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
  answer: HttpAnswer,
  isHarmless: boolean,
  redact: (words: string) => string,
): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined);
  const error = refused(body)?.error;
  if (answer.status === 429) throw new Refusal(TOO_FAST, "HTTP 429");
  if (error?.error_code !== undefined) throw new Refusal(error.error_code, redact(error.error_msg ?? ""));
  if (answer.status === 200 && typeof body === "object" && body !== null && "response" in body)
    return body.response;
  throw unreadable(answer.status, "VK", isHarmless);
}
