import type { HttpResponse, TransportRequest } from "../../core/transport/connector.ts";
import { parseBounded } from "../../platform/foreign/bounded-json.ts";
import { isJson, type Json, numberIn, textIn } from "../kit/json.ts";
import { noResponse, unreadable } from "../kit/no-response.ts";
import { Refusal, STATUS } from "./errors.ts";

export interface ViberClient {
  /**
   * Calls an API method, e.g. `call("send_message", {…})`, and returns its JSON; integers that a JavaScript number
   * cannot hold become strings. Throws `Refusal` if Viber refused the call, `TransportError` if the outcome is
   * unknown or nothing was sent.
   */
  call(method: string, body?: Json, signal?: AbortSignal): Promise<Json>;
}

export interface Access {
  readonly settings: { readonly apiUrl: string };
  readonly request: TransportRequest;
}

const TIMEOUT_MS = 30_000;
/** Limit of values in a response, which contains one account or one message. */
const MAX_VALUES = 100_000;

/** A client for one bot (developers.viber.com, "REST API", "Authentication token"). */
export function createClient({ settings, request }: Access, token: string): ViberClient {
  const root = settings.apiUrl.replace(/\/+$/, "");
  return {
    async call(method, body = {}, signal) {
      const isHarmless = method !== "send_message";
      const answer = await request({
        method: "POST",
        url: `${root}/${method}`,
        headers: { "content-type": "application/json", "x-viber-auth-token": token },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        ...(signal && { signal }),
      }).catch((error: unknown) => {
        throw noResponse(error, "Viber", isHarmless);
      });
      return readAnswer(answer, isHarmless);
    },
  };
}

/** Viber always responds with HTTP 200; any other status comes from a server in front of it. */
async function readAnswer(answer: HttpResponse, isHarmless: boolean): Promise<Json> {
  const { status } = answer;
  const text = new TextDecoder().decode(await answer.bytes().catch(() => new Uint8Array()));
  if (status === 429) throw new Refusal(STATUS.tooManyRequests, "HTTP 429");
  const body = status === 200 ? parse(text) : undefined;
  if (!isJson(body)) throw unreadable(status, "Viber", isHarmless);
  const said = numberIn(body, "status");
  // A response with a message token means that the message was accepted.
  if (said === STATUS.ok || (said === undefined && textIn(body, "message_token") !== undefined)) return body;
  if (said === undefined) throw unreadable(status, "Viber", isHarmless);
  throw new Refusal(said, textIn(body, "status_message") ?? "");
}

function parse(text: string): unknown {
  try {
    return parseBounded(text, MAX_VALUES);
  } catch {
    return undefined;
  }
}
