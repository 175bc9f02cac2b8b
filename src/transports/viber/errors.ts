import {
  type MessageErrorCode,
  type RetryPolicy,
  type SendRestriction,
  TransportError,
} from "../../core/transport/errors.ts";
import type { SendFailure } from "../../core/transport/events.ts";

/** The Viber statuses that are handled specifically (developers.viber.com, "Error codes"). */
export const STATUS = {
  ok: 0,
  invalidUrl: 1,
  invalidAuthToken: 2,
  badData: 3,
  webhookNotSet: 10,
  tooManyRequests: 12,
} as const;

/** The bot is blocked, not found, suspended or not authorised. */
const REJECTED = [7, 8, 9, 15];
/** Not registered, not subscribed, no suitable device, unsupported country, bad receiver id. */
const UNREACHABLE = [5, 6, 11, 21, 999];
const UNPAID = [23, 24];

/** Viber refused the call (HTTP 200 with a `status` other than 0), so it had no effect. */
export class Refusal extends Error {
  readonly status: number;
  readonly words: string;

  constructor(status: number, words: string) {
    super(`Viber refused: ${status} ${words}`);
    this.name = "Refusal";
    this.status = status;
    this.words = words;
  }
}

export function isUnauthorized({ status }: Refusal): boolean {
  return status === STATUS.invalidAuthToken;
}

/** Viber has closed the bot; only its owner can change that. */
export function isRejected({ status }: Refusal): boolean {
  return REJECTED.includes(status);
}

export function isFlood({ status }: Refusal): boolean {
  return status === STATUS.tooManyRequests;
}

/**
 * Delays after "too many requests", for which Viber states none. Viber uses this status both for a bot that sends too
 * fast and for a person who has not replied to a hundred messages within an hour.
 */
const FLOOD_WAIT_MS = { chat: 10_000, channel: 2_000 };

/** Viber counts the messages of an hour (developers.viber.com, "Rate limits"), and does not say when it ends. */
const UNANSWERED_MS = 3_600_000;

function unanswered(): SendRestriction {
  const reason =
    "Viber accepts no more messages to a person who has not answered the last hundred within an hour";
  return { kind: "unanswered", reason, until: new Date(Date.now() + UNANSWERED_MS), isEstimate: true };
}

/** Details of a refused call that Viber's status does not contain. */
export interface Refused {
  readonly isFile?: boolean;
  readonly floodScope?: "chat" | "channel";
  /** The person has not answered the last hundred messages. */
  readonly isUnanswered?: boolean;
}

/** Maps a refusal to a message error. `data` contains Viber's own text. */
export function toTransportError(refusal: Refusal, about: Refused = {}): TransportError {
  const data = `${refusal.status}: ${refusal.words}`;
  if (isFlood(refusal)) {
    const scope = about.floodScope ?? "chat";
    const retry: RetryPolicy = { afterMs: FLOOD_WAIT_MS[scope], scope };
    return new TransportError("TOO_MANY_EXT_REQS", "Viber is rate limiting the bot", {
      retry,
      restriction: about.isUnanswered === true ? unanswered() : undefined,
      data,
      cause: refusal,
    });
  }
  const [code, sentence] = meaningOf(refusal, about);
  const retry = refusal.status === STATUS.webhookNotSet ? "later" : "never";
  return new TransportError(code, sentence, { retry, data, cause: refusal });
}

function meaningOf(refusal: Refusal, { isFile = false }: Refused): readonly [MessageErrorCode, string] {
  const { status, words } = refusal;
  if (UNREACHABLE.includes(status))
    return ["BAD_CONTACT", "The person has not written to the bot, or has unsubscribed from it"];
  if (isRejected(refusal)) return ["CHANNEL_REJECTED", "Viber has closed the bot"];
  if (isUnauthorized(refusal)) return ["GENERAL_ERROR", "Viber rejected the bot's token"];
  if (UNPAID.includes(status)) return ["GENERAL_ERROR", "The bot has no messages left or is unpaid"];
  if (status === STATUS.badData && isFile)
    return ["CONTENT_CONVERSION_ERROR", "Viber cannot process this file"];
  if (status === STATUS.badData && /too long|length|\bover \d|30 ?kb/i.test(words))
    return ["TOO_LONG_TEXT", "The text is too long for Viber"];
  return ["GENERAL_ERROR", "Viber refused"];
}

/** Maps the callback `failed` of an accepted message; `desc` is free text. */
export function toFailure(desc: string | undefined): SendFailure {
  const isFile = desc !== undefined && /media|file|size|format|download|thumbnail|duration/i.test(desc);
  return {
    code: isFile ? "CONTENT_CONVERSION_ERROR" : "GENERAL_ERROR",
    description: isFile ? "Viber cannot process this file" : "Viber could not deliver the message",
    ...(desc !== undefined && { data: desc }),
  };
}
