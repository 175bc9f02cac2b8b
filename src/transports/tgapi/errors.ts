import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";
import { accessEnded } from "../kit/failures.ts";

/** A refusal by Telegram (core.telegram.org/api/errors): a number and a text such as `PEER_ID_INVALID`. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

interface Rule {
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly texts: readonly string[];
}

/** An entry of `texts` that ends with `_` is a prefix. */
const RULES: readonly Rule[] = [
  {
    code: "BAD_CONTACT",
    sentence: "The chat does not exist on Telegram, or this account may not write to it",
    texts: [
      "PEER_ID_INVALID",
      "USER_ID_INVALID",
      "CHAT_ID_INVALID",
      "CHANNEL_INVALID",
      "CHANNEL_PRIVATE",
      "MSG_ID_INVALID",
      "USERNAME_NOT_OCCUPIED",
      "USERNAME_INVALID",
      "PHONE_NOT_OCCUPIED",
      "INPUT_USER_DEACTIVATED",
      "USER_IS_BLOCKED",
      "YOU_BLOCKED_USER",
      "CHAT_WRITE_FORBIDDEN",
      "CHAT_SEND_",
      "CHAT_GUEST_SEND_FORBIDDEN",
      "CHAT_RESTRICTED",
      "USER_NOT_PARTICIPANT",
      "USER_BANNED_IN_CHANNEL",
      "CHAT_ADMIN_REQUIRED",
    ],
  },
  {
    code: "SPAM",
    sentence: "Telegram does not allow this account to write to this person",
    texts: [
      "USER_RESTRICTED",
      "PRIVACY_PREMIUM_REQUIRED",
      "ALLOW_PAYMENT_REQUIRED",
      "USER_PRIVACY_RESTRICTED",
    ],
  },
  {
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Telegram",
    texts: ["MESSAGE_TOO_LONG", "MEDIA_CAPTION_TOO_LONG"],
  },
  {
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too large for Telegram",
    texts: ["FILE_PARTS_INVALID", "FILE_PART_TOO_BIG", "FILE_PART_SIZE_INVALID"],
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Telegram cannot process this file",
    texts: [
      "PHOTO_",
      "IMAGE_PROCESS_FAILED",
      "MEDIA_INVALID",
      "MEDIA_EMPTY",
      "VIDEO_CONTENT_TYPE_INVALID",
      "FILE_PART_EMPTY",
    ],
  },
  {
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message no longer exists",
    texts: ["REPLY_MESSAGE_ID_INVALID", "REPLY_TO_INVALID"],
  },
  {
    code: "GENERAL_ERROR",
    sentence: "Telegram does not allow this reaction here",
    texts: ["REACTION_INVALID", "REACTIONS_TOO_MANY"],
  },
  {
    code: "MESSAGE_DELETED",
    sentence: "The message no longer exists, or can no longer be changed",
    texts: ["MESSAGE_ID_INVALID", "MESSAGE_EDIT_TIME_EXPIRED", "MESSAGE_AUTHOR_REQUIRED"],
  },
];

/** The cooldown of first contacts after PEER_FLOOD, if Telegram states no duration. */
const SPAM_PAUSE_MS = 24 * 3_600_000;
/** The maximum delay of a message in its queue. */
const LONGEST_WAIT_SECONDS = 3_600;

/** Maps a refusal to a message error. `data` contains Telegram's own text. Pure. */
export function refused({ code, text }: Refusal, now: Date = new Date()): TransportError {
  const data = `${code} ${text}`;
  const waitSeconds = secondsToWait({ code, text });
  if (waitSeconds !== null)
    return mustWait(waitSeconds, data, text.startsWith("SLOWMODE") ? "chat" : "channel");
  if (text === "PEER_FLOOD") return spamming(now, data);
  if (text.startsWith("FROZEN_")) return frozen(now, data);
  if (isInternal({ code, text }))
    return new TransportError("UNKNOWN_ERROR", "Telegram is temporarily unavailable", {
      retry: "unknown",
      data,
    });
  if (endOf({ code, text }) === "unauthorized") return accessEnded("Telegram", new Error(text));
  if (isSessionOver(text))
    return new TransportError("UNKNOWN_ERROR", "The account is no longer linked", {
      retry: "later",
      data,
    });
  if (text.startsWith("FILE_PART_") && text.endsWith("_MISSING"))
    return new TransportError("GENERAL_ERROR", "Telegram lost a part of the file", { retry: "later", data });
  const rule = RULES.find(({ texts }) => texts.some((each) => matches(each, text)));
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "Telegram refused", { data });
}

function matches(pattern: string, text: string): boolean {
  return pattern.endsWith("_")
    ? text.startsWith(pattern)
    : text === pattern || text.startsWith(`${pattern}_`);
}

/** The seconds of FLOOD_WAIT_x and similar texts; null for others. */
export function secondsToWait({ text }: Refusal): number | null {
  const found = /^(?:FLOOD_WAIT|FLOOD_PREMIUM_WAIT|SLOWMODE_WAIT|FLOOD_TEST_PHONE_WAIT)_(\d+)$/.exec(text);
  return found === null ? null : Number(found[1]);
}

function mustWait(seconds: number, data: string, scope: "chat" | "channel"): TransportError {
  const isLong = seconds > LONGEST_WAIT_SECONDS;
  const retry: RetryPolicy = isLong ? "never" : { afterMs: Math.max(1, seconds) * 1_000, scope };
  return new TransportError("TOO_MANY_EXT_REQS", "Telegram is rate limiting the account", { retry, data });
}

/**
 * Telegram suspects the account of spam. Each further message to a stranger makes it worse, so the message is not
 * retried and first contacts pause for a day.
 */
function spamming(now: Date, data: string): TransportError {
  const reason = "Telegram currently does not allow this account to write to new people";
  const cooldown = { until: new Date(now.getTime() + SPAM_PAUSE_MS), reason, basis: "estimate" } as const;
  return new TransportError("SPAM", reason, { data, cooldown });
}

/** Telegram has made the account read-only and does not say until when; only an appeal of its owner ends it. */
function frozen(now: Date, data: string): TransportError {
  const reason = "Telegram has frozen this account; its owner can appeal in the Telegram app";
  const until = new Date(now.getTime() + SPAM_PAUSE_MS);
  const restriction = { kind: "spam", reason, until, isEstimate: true } as const;
  return new TransportError("SPAM", reason, { data, restriction });
}

/**
 * An internal error of Telegram, not a refusal (core.telegram.org/api/errors, 500); timeouts are reported as -503.
 */
function isInternal({ code }: Refusal): boolean {
  return code >= 500 || code < 0;
}

/** The message's `random_id` was already used: the message has been delivered. */
export function isRepetition({ text }: Refusal): boolean {
  return text === "RANDOM_ID_DUPLICATE";
}

/** The content is unchanged: the edit has already been made. */
export function isUnchanged({ text }: Refusal): boolean {
  return text === "MESSAGE_NOT_MODIFIED";
}

/** The picture violates the limits of photos; as a document it can be sent. */
export function isPhotoRefusal({ text }: Refusal): boolean {
  return text.startsWith("PHOTO_") || text === "IMAGE_PROCESS_FAILED" || text === "MEDIA_INVALID";
}

/** The file reference has expired; the message contains a fresh one (core.telegram.org/api/file_reference). */
export function isReferenceExpired({ text }: Refusal): boolean {
  return text.startsWith("FILE_REFERENCE_") || text.startsWith("FILEREF_UPGRADE");
}

/** Why Telegram has ended the session, whatever the request; null if it has not. */
export function endOf({ text }: Refusal): "unauthorized" | "openelsewhere" | null {
  if (text === "AUTH_KEY_DUPLICATED") return "openelsewhere";
  return isSessionOver(text) ? "unauthorized" : null;
}

const SESSION_OVER = [
  "AUTH_KEY_UNREGISTERED",
  "AUTH_KEY_INVALID",
  "AUTH_KEY_DUPLICATED",
  "SESSION_REVOKED",
  "SESSION_EXPIRED",
  "USER_DEACTIVATED",
  "USER_DEACTIVATED_BAN",
];

function isSessionOver(text: string): boolean {
  return SESSION_OVER.includes(text);
}

export function notConnected(): TransportError {
  return new TransportError("UNKNOWN_ERROR", "The account is currently not connected to Telegram", {
    retry: "later",
  });
}

export function noSuchPerson(data?: string): TransportError {
  return new TransportError("BAD_CONTACT", "There is no such person on Telegram", { data });
}

/**
 * The refusal in a library error (`RpcError`); null for other failures. The library moves the number in a text, such
 * as the seconds of FLOOD_WAIT_12, to a separate field.
 */
export function refusalIn(error: unknown): Refusal | null {
  if (typeof error !== "object" || error === null) return null;
  const { code, text, ...more } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== "number" || typeof text !== "string") return null;
  const number = Object.values(more).find((value) => typeof value === "number");
  return { code, text: number === undefined ? text : text.replace("%d", String(number)) };
}

/** Maps a failed call. `sent`: whether the request may have been sent. */
export function toTransportError(error: unknown, { sent }: { readonly sent: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  const refusal = refusalIn(error);
  if (refusal !== null) return refused(refusal);
  return new TransportError("UNKNOWN_ERROR", "Telegram did not respond", {
    retry: sent ? "unknown" : "later",
    cause: error,
  });
}
