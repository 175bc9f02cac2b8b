import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";
import type { SendFailure } from "../../core/transport/events.ts";

/** Viber's statuses that are acted upon (developers.viber.com, "Error codes"). */
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

/** Viber said no, so the call certainly had no effect: HTTP 200 with a `status` other than 0. */
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
 * How long to wait after "too many requests": Viber names no time. It says the same of a bot that is too fast, and of a
 * person who has not answered a hundred messages within an hour.
 */
const FLOOD_WAIT_MS = { chat: 10_000, channel: 2_000 };

/** What was refused, as far as Viber's status leaves it open. */
export interface Refused {
  readonly isFile?: boolean;
  readonly floodScope?: "chat" | "channel";
}

/** What a refusal means for the message. `data` carries Viber's own words. */
export function toTransportError(refusal: Refusal, about: Refused = {}): TransportError {
  const data = `${refusal.status}: ${refusal.words}`;
  if (isFlood(refusal)) {
    const scope = about.floodScope ?? "chat";
    const retry: RetryPolicy = { afterMs: FLOOD_WAIT_MS[scope], scope };
    return new TransportError("TOO_MANY_EXT_REQS", "Viber asks to wait", { retry, data, cause: refusal });
  }
  const [code, sentence] = meaningOf(refusal, about);
  const retry = refusal.status === STATUS.webhookNotSet ? "later" : "never";
  return new TransportError(code, sentence, { retry, data, cause: refusal });
}

function meaningOf(refusal: Refusal, { isFile = false }: Refused): readonly [MessageErrorCode, string] {
  const { status, words } = refusal;
  if (UNREACHABLE.includes(status))
    return ["BAD_CONTACT", "This person has not written to the bot, or does not want its messages any more"];
  if (isRejected(refusal)) return ["CHANNEL_REJECTED", "Viber has closed the bot"];
  if (isUnauthorized(refusal)) return ["GENERAL_ERROR", "Viber does not accept the bot's token"];
  if (UNPAID.includes(status)) return ["GENERAL_ERROR", "The bot's messages are used up, or not paid for"];
  if (status === STATUS.badData && isFile) return ["CONTENT_CONVERSION_ERROR", "Viber cannot use this file"];
  if (status === STATUS.badData && /too long|length|\bover \d|30 ?kb/i.test(words))
    return ["TOO_LONG_TEXT", "The text is too long for Viber"];
  return ["GENERAL_ERROR", "Viber refused"];
}

/** What the callback `failed` says of a message that Viber had taken; `desc` is free text. */
export function toFailure(desc: string | undefined): SendFailure {
  const isFile = desc !== undefined && /media|file|size|format|download|thumbnail|duration/i.test(desc);
  return {
    code: isFile ? "CONTENT_CONVERSION_ERROR" : "GENERAL_ERROR",
    description: isFile ? "Viber cannot use this file" : "Viber could not deliver the message",
    ...(desc !== undefined && { data: desc }),
  };
}
