import type { SendJob } from "../../core/message/send-jobs.ts";
import type { MessageError } from "../../core/payload/facts.ts";
import type { Resend } from "../../core/transport/definition.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { isTemporary } from "../../database/database.ts";

/** What to do after a failed attempt. `pause`: the scope, chat or channel, that the messenger asked to pause. */
export type NextStep =
  | { readonly kind: "fail"; readonly error: MessageError }
  | { readonly kind: "again"; readonly afterMs: number; readonly pause?: "chat" | "channel" };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;
/** About an hour and a half of retries. */
export const MAX_ATTEMPTS = 100;
const MAX_FLOODS = 20;

/** How long a request may take to arrive: an idempotency id that expires sooner no longer protects it. */
const ON_ITS_WAY_MS = 2 * 60_000;

/**
 * Whether another send could be a duplicate: an earlier request may have taken effect, and the messenger does not, or
 * no longer, recognise the repetition. Pure.
 */
export function mustNotRepeat(
  resend: Resend,
  { startedEpoch, unsureMs }: Pick<SendJob, "startedEpoch" | "unsureMs">,
): boolean {
  if (resend === "unsafe") return startedEpoch !== null;
  const { idempotentForMs } = resend;
  return idempotentForMs !== null && unsureMs !== null && unsureMs > idempotentForMs - ON_ITS_WAY_MS;
}

/**
 * Why a request failed. An error that a connector throws after its signal fired means only that the request was
 * aborted; it is no fault of the connector. Nor is an error of the channel's store, which a connector may only throw
 * before its request: the store is unavailable or read-only, during a failover say, and the send is made again. Pure.
 */
export function causeOf(error: unknown, signal: AbortSignal, resend: Resend): unknown {
  if (error instanceof TransportError) return error;
  if (isTemporary(error))
    return new TransportError("GENERAL_ERROR", "The channel's data could not be read or stored", {
      retry: resend === "unsafe" ? "later" : "unknown",
      cause: error,
    });
  if (!signal.aborted) return error;
  return new TransportError("UNKNOWN_ERROR", "The messenger did not respond in time", {
    retry: "unknown",
    cause: error,
  });
}

/** The messenger refused a request for now, by its flood control. Pure. */
export function isFlood(cause: unknown): boolean {
  return cause instanceof TransportError && typeof cause.retry === "object";
}

/** A failed attempt. */
interface Situation {
  readonly idempotent: boolean;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Those that failed by flood control. */
  readonly floods: number;
}

/** Pure. Anything but a TransportError is a fault of the connector and has an unknown outcome. */
export function afterFailure(cause: unknown, { idempotent, attempts, floods }: Situation): NextStep {
  if (!(cause instanceof TransportError)) return { kind: "fail", error: UNKNOWN };
  const { retry } = cause;
  if (retry === "never") return { kind: "fail", error: errorOf(cause) };
  if (retry === "unknown" && !idempotent)
    return { kind: "fail", error: { ...errorOf(cause), code: "UNKNOWN_ERROR" } };
  if (retry === "unknown" || retry === "later") {
    return attempts < MAX_ATTEMPTS
      ? { kind: "again", afterMs: backoffMs(attempts) }
      : { kind: "fail", error: errorOf(cause) };
  }
  if (floods >= MAX_FLOODS || attempts >= MAX_ATTEMPTS)
    return { kind: "fail", error: { ...errorOf(cause), code: "TOO_MANY_EXT_REQS" } };
  return { kind: "again", afterMs: retry.afterMs, pause: retry.scope };
}

function backoffMs(attempts: number): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 10));
  return longest / 2 + (Math.random() * longest) / 2;
}

/** What a failed request says of a message. Pure. */
export function errorOf({ code, message, data }: TransportError): MessageError {
  return { code, description: message, ...(data === undefined ? {} : { data }) };
}

const UNKNOWN: MessageError = {
  code: "UNKNOWN_ERROR",
  description: "The message could not be sent; it is unknown whether the messenger accepted it",
};
