import type { HttpResponse } from "../../core/transport/connector.ts";
import { isJson, type Json } from "../kit/json.ts";
import { Refusal } from "./errors.ts";

export type ParsedAnswer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "refusal"; readonly refusal: Refusal }
  /** The response is not from the Bot API, or Telegram failed internally: the call may have taken effect. */
  | { readonly kind: "unknown" };

/** The delay after a flood response that states none. */
const DEFAULT_WAIT_MS = 5_000;

/** Parses the envelope `{ok, result | error_code, description, parameters}` (Bot API, "Making requests"). */
export function parseAnswer(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  body: unknown,
  redact: (text: string) => string,
): ParsedAnswer {
  const envelope = isJson(body) && typeof body["ok"] === "boolean" ? body : undefined;
  if (status >= 200 && status < 300 && envelope?.["ok"] === true)
    return { kind: "result", result: envelope["result"] };
  const code = numberIn(envelope, "error_code") ?? status;
  if (code === 429)
    return { kind: "refusal", refusal: toRefusal(code, envelope, redact, headers["retry-after"]) };
  // An HTML page from a proxy says nothing about the call, except that a 413 means that the body was too large.
  if (code < 400 || code >= 500 || (envelope === undefined && code !== 413)) return { kind: "unknown" };
  return { kind: "refusal", refusal: toRefusal(code, envelope, redact) };
}

function toRefusal(
  code: number,
  envelope: Json | undefined,
  redact: (text: string) => string,
  retryAfter?: string | string[],
): Refusal {
  const text = envelope?.["description"];
  const parameters = isJson(envelope?.["parameters"]) ? envelope["parameters"] : undefined;
  const newChatId = numberIn(parameters, "migrate_to_chat_id");
  return new Refusal(code, typeof text === "string" ? redact(text) : `HTTP ${code}`, {
    ...(newChatId !== undefined && { newChatId: String(newChatId) }),
    ...(code === 429 && { retryAfterMs: waitMs(numberIn(parameters, "retry_after"), retryAfter) }),
  });
}

function waitMs(seconds: number | undefined, header: string | string[] | undefined): number {
  const stated = seconds ?? Number(header ?? Number.NaN);
  return Number.isFinite(stated) && stated > 0 ? stated * 1000 : DEFAULT_WAIT_MS;
}

function numberIn(value: Json | undefined, key: string): number | undefined {
  const found = value?.[key];
  return typeof found === "number" ? found : undefined;
}
