import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** Telegram's answer "no" (core.telegram.org/api/errors): a number and words such as `PEER_ID_INVALID`. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

interface Rule {
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly texts: readonly string[];
}

/** A `texts` entry that ends with `_` is the beginning of a text. */
const RULES: readonly Rule[] = [
  {
    code: "BAD_CONTACT",
    sentence: "Telegram has no such chat, or does not let this account write to it",
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
    sentence: "Telegram does not let this account write to this person",
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
    sentence: "The file is too big for Telegram",
    texts: ["FILE_PARTS_INVALID", "FILE_PART_TOO_BIG", "FILE_PART_SIZE_INVALID"],
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Telegram cannot use this file",
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
    sentence: "The quoted message is gone",
    texts: ["REPLY_MESSAGE_ID_INVALID", "REPLY_TO_INVALID"],
  },
  {
    code: "MESSAGE_DELETED",
    sentence: "The message is gone, or can no longer be changed",
    texts: ["MESSAGE_ID_INVALID", "MESSAGE_EDIT_TIME_EXPIRED", "MESSAGE_AUTHOR_REQUIRED"],
  },
];

/** How long no new person is written to after PEER_FLOOD, where Telegram does not say how long it lasts. */
const SPAM_PAUSE_MS = 24 * 3_600_000;
/** A message does not wait longer than this in its queue. */
const LONGEST_WAIT_SECONDS = 3_600;

/** What Telegram's refusal means for a message. `data` carries its own words. Pure. */
export function refused({ code, text }: Refusal, now: Date = new Date()): TransportError {
  const data = `${code} ${text}`;
  const waitSeconds = secondsToWait({ code, text });
  if (waitSeconds !== null)
    return mustWait(waitSeconds, data, text.startsWith("SLOWMODE") ? "chat" : "channel");
  if (text === "PEER_FLOOD") return spamming(now, data);
  if (isInternal({ code, text }))
    return new TransportError("UNKNOWN_ERROR", "Telegram could not carry it out at the moment", {
      retry: "unknown",
      data,
    });
  if (isSessionOver(text))
    return new TransportError("UNKNOWN_ERROR", "The account is not linked any more", {
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

/** Seconds of FLOOD_WAIT_x and its kin; null for other texts. */
export function secondsToWait({ text }: Refusal): number | null {
  const found = /^(?:FLOOD_WAIT|FLOOD_PREMIUM_WAIT|SLOWMODE_WAIT|FLOOD_TEST_PHONE_WAIT)_(\d+)$/.exec(text);
  return found === null ? null : Number(found[1]);
}

function mustWait(seconds: number, data: string, scope: "chat" | "channel"): TransportError {
  const isLong = seconds > LONGEST_WAIT_SECONDS;
  const retry: RetryPolicy = isLong ? "never" : { afterMs: Math.max(1, seconds) * 1_000, scope };
  return new TransportError("TOO_MANY_EXT_REQS", "Telegram asks to wait", { retry, data });
}

/**
 * Telegram takes the account for a spammer: each further approach to a stranger makes it worse, so the message is not
 * repeated, and nobody new is written to for a day.
 */
function spamming(now: Date, data: string): TransportError {
  const reason = "Telegram does not let this account write to new people at the moment";
  const hold = { until: new Date(now.getTime() + SPAM_PAUSE_MS), reason };
  return new TransportError("SPAM", reason, { data, hold });
}

/** Its own trouble, not a refusal (core.telegram.org/api/errors, 500); timeouts come as -503. */
function isInternal({ code }: Refusal): boolean {
  return code >= 500 || code < 0;
}

/** The message's `random_id` was taken before: it has arrived already. */
export function isRepetition({ text }: Refusal): boolean {
  return text === "RANDOM_ID_DUPLICATE";
}

/** Nothing to change: the edit has been made already. */
export function isUnchanged({ text }: Refusal): boolean {
  return text === "MESSAGE_NOT_MODIFIED";
}

/** The picture breaks the rules of photos; as a document it has none. */
export function isPhotoRefusal({ text }: Refusal): boolean {
  return text.startsWith("PHOTO_") || text === "IMAGE_PROCESS_FAILED" || text === "MEDIA_INVALID";
}

/** What opens the file has expired; the message itself has a fresh one (core.telegram.org/api/file_reference). */
export function isReferenceExpired({ text }: Refusal): boolean {
  return text.startsWith("FILE_REFERENCE_") || text.startsWith("FILEREF_UPGRADE");
}

/** The session has ended in Telegram, whatever was asked. Null: it has not. */
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
  return new TransportError("UNKNOWN_ERROR", "The account is not connected to Telegram at the moment", {
    retry: "later",
  });
}

export function noSuchPerson(data?: string): TransportError {
  return new TransportError("BAD_CONTACT", "There is no such person in Telegram", { data });
}

/**
 * The library's error for an answer "no" (`RpcError`); null for other failures. It takes the number out of a text, such as
 * the seconds of FLOOD_WAIT_12, and keeps it in a field of its own.
 */
export function refusalIn(error: unknown): Refusal | null {
  if (typeof error !== "object" || error === null) return null;
  const { code, text, ...more } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== "number" || typeof text !== "string") return null;
  const number = Object.values(more).find((value) => typeof value === "number");
  return { code, text: number === undefined ? text : text.replace("%d", String(number)) };
}

/** What a failed call means. `sent` says whether the request may have left. */
export function toTransportError(error: unknown, { sent }: { readonly sent: boolean }): TransportError {
  if (error instanceof TransportError) return error;
  const refusal = refusalIn(error);
  if (refusal !== null) return refused(refusal);
  return new TransportError("UNKNOWN_ERROR", "Telegram did not answer", {
    retry: sent ? "unknown" : "later",
    cause: error,
  });
}
