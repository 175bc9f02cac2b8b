import {
  type MessageErrorCode,
  type RetryPolicy,
  type SendRestriction,
  TransportError,
} from "../../core/transport/errors.ts";

/** VK refused the call: `{error: {error_code, error_msg}}` (dev.vk.com, "API errors"). */
export class Refusal extends Error {
  readonly code: number;
  readonly text: string;

  constructor(code: number, text: string) {
    super(`VK refused: ${code} ${text}`);
    this.name = "Refusal";
    this.code = code;
    this.text = text;
  }
}

interface Rule {
  readonly codes: readonly number[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly retry?: RetryPolicy;
}

/** Delays for errors that state none. */
const TOO_FAST_MS = 1_000;
const FLOOD_MS = 15_000;
const QUOTA_MS = 10 * 60_000;

/** Codes: dev.vk.com, "API errors" and the errors of `messages.send`, `docs.save`, `photos.saveMessagesPhoto`. */
const RULES: readonly Rule[] = [
  {
    codes: [18, 113, 900, 901, 902, 917, 932, 936, 945, 946, 985, 987, 988],
    code: "BAD_CONTACT",
    sentence:
      "The conversation does not exist on VK, or the person does not accept messages from the community",
  },
  {
    codes: [1009, 1010, 1011],
    code: "GENERAL_ERROR",
    sentence: "VK does not allow this reaction here",
  },
  { codes: [910, 914], code: "TOO_LONG_TEXT", sentence: "The text is too long for VK" },
  { codes: [14, 940, 3300], code: "SPAM", sentence: "VK blocked the message as suspected spam" },
  {
    codes: [22, 105, 118, 121, 129, 1150, 1152],
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "VK cannot process this file",
  },
  {
    codes: [6],
    code: "TOO_MANY_EXT_REQS",
    sentence: "VK is rate limiting the community",
    retry: { afterMs: TOO_FAST_MS, scope: "channel" },
  },
  {
    codes: [9],
    code: "TOO_MANY_EXT_REQS",
    sentence: "VK is rate limiting the conversation",
    retry: { afterMs: FLOOD_MS, scope: "chat" },
  },
  {
    codes: [29, 944],
    code: "TOO_MANY_EXT_REQS",
    sentence: "VK's daily limit has been reached",
    retry: { afterMs: QUOTA_MS, scope: "channel" },
  },
  { codes: [1, 10], code: "UNKNOWN_ERROR", sentence: "VK failed", retry: "unknown" },
];

/** Maps a refusal to a message error. `data` contains VK's own text. */
export function toTransportError(refusal: Refusal): TransportError {
  const rule = RULES.find(({ codes }) => codes.includes(refusal.code)) ?? attachmentRule(refusal);
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "VK refused", {
    retry: rule?.retry ?? "never",
    restriction: DAILY_LIMITS.has(refusal.code) ? dailyLimit() : undefined,
    data: `${refusal.code}: ${refusal.text}`,
    cause: refusal,
  });
}

const DAILY_LIMITS: ReadonlySet<number> = new Set([29, 944]);
/** VK does not say when the day of its limit ends. */
const DAY_MS = 86_400_000;

function dailyLimit(): SendRestriction {
  const reason = "The community has reached VK's daily limit of messages";
  return { kind: "volume", reason, until: new Date(Date.now() + DAY_MS), isEstimate: true };
}

/** Error 100 names the invalid parameter; if it is the attachment, the file is the cause. */
function attachmentRule({ code, text }: Refusal): Rule | undefined {
  return code === 100 && /attachment|photo|file/i.test(text)
    ? RULES.find((rule) => rule.code === "CONTENT_CONVERSION_ERROR")
    : undefined;
}

/** The key is wrong, revoked, or not a community key. */
export function isUnauthorized({ code }: Refusal): boolean {
  return [5, 27, 28, 1117].includes(code);
}

/** The key lacks a right, or the community's messages are disabled. Only the owner can fix that. */
export function isForbidden({ code }: Refusal): boolean {
  return [7, 15, 203].includes(code);
}

/** The upload server refused the file. */
export class UploadRefusal extends Error {
  override readonly name = "UploadRefusal";
}

/** Errors that concern the key, its rate or VK as a whole (dev.vk.com, "API errors"). */
const GENERAL: ReadonlySet<number> = new Set([1, 3, 5, 6, 7, 8, 9, 10, 11, 23, 27, 28, 29]);

/** Whether the refusal concerns only what was requested. */
export function concernsOne({ code }: Refusal): boolean {
  return !GENERAL.has(code);
}
