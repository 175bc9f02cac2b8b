import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** VK said no: `{error: {error_code, error_msg}}` (dev.vk.com, "API errors"). */
export class Refusal extends Error {
  readonly code: number;
  readonly words: string;

  constructor(code: number, words: string) {
    super(`VK refused: ${code} ${words}`);
    this.name = "Refusal";
    this.code = code;
    this.words = words;
  }
}

interface Rule {
  readonly codes: readonly number[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly retry?: RetryPolicy;
}

/** How long to wait where VK names no time. */
const TOO_FAST_MS = 1_000;
const FLOOD_MS = 15_000;
const QUOTA_MS = 10 * 60_000;

/** Codes: dev.vk.com, "API errors" and the errors of `messages.send`, `docs.save`, `photos.saveMessagesPhoto`. */
const RULES: readonly Rule[] = [
  {
    codes: [18, 113, 900, 901, 902, 917, 932, 936, 945, 946, 985, 987, 988],
    code: "BAD_CONTACT",
    sentence: "VK has no such conversation, or the person takes no messages from the community",
  },
  { codes: [910, 914], code: "TOO_LONG_TEXT", sentence: "The text is too long for VK" },
  { codes: [14, 940, 3300], code: "SPAM", sentence: "VK takes the messages for spam" },
  {
    codes: [22, 105, 118, 121, 129, 1150, 1152],
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "VK cannot use this file",
  },
  {
    codes: [6],
    code: "TOO_MANY_EXT_REQS",
    sentence: "VK asks to wait",
    retry: { afterMs: TOO_FAST_MS, scope: "channel" },
  },
  {
    codes: [9],
    code: "TOO_MANY_EXT_REQS",
    sentence: "VK asks to wait",
    retry: { afterMs: FLOOD_MS, scope: "chat" },
  },
  {
    codes: [29, 944],
    code: "TOO_MANY_EXT_REQS",
    sentence: "The day's limit of VK is used up",
    retry: { afterMs: QUOTA_MS, scope: "channel" },
  },
  { codes: [1, 10], code: "UNKNOWN_ERROR", sentence: "VK failed", retry: "unknown" },
];

/** What a refusal means for the message. `data` carries VK's own words. */
export function toTransportError(refusal: Refusal): TransportError {
  const rule = RULES.find(({ codes }) => codes.includes(refusal.code)) ?? attachmentRule(refusal);
  return new TransportError(rule?.code ?? "GENERAL_ERROR", rule?.sentence ?? "VK refused", {
    retry: rule?.retry ?? "never",
    data: `${refusal.code}: ${refusal.words}`,
    cause: refusal,
  });
}

/** 100 says which parameter is wrong; where it is the attachment, the file is to blame. */
function attachmentRule({ code, words }: Refusal): Rule | undefined {
  return code === 100 && /attachment|photo|file/i.test(words)
    ? RULES.find((rule) => rule.code === "CONTENT_CONVERSION_ERROR")
    : undefined;
}

/** The key is wrong, withdrawn, or no community's. */
export function isUnauthorized({ code }: Refusal): boolean {
  return [5, 27, 28, 1117].includes(code);
}

/** The key lacks a right, or the community's messages are off: only a person can help. */
export function isForbidden({ code }: Refusal): boolean {
  return [7, 15, 203].includes(code);
}

/** The upload server said no, in words of its own. */
export class UploadRefusal extends Error {
  override readonly name = "UploadRefusal";
}
