import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** Telegram said no, so the call certainly had no effect (Bot API, "Making requests" and `ResponseParameters`). */
export class Refusal extends Error {
  readonly status: number;
  readonly description: string;
  readonly retryAfterMs: number | undefined;
  readonly newChatId: string | undefined;

  constructor(status: number, description: string, more: { retryAfterMs?: number; newChatId?: string } = {}) {
    super(`Telegram refused: ${status} ${description}`);
    this.name = "Refusal";
    this.status = status;
    this.description = description;
    this.retryAfterMs = more.retryAfterMs;
    this.newChatId = more.newChatId;
  }

  /** Whether Telegram's words hold one of these, in any case. */
  says(...phrases: readonly string[]): boolean {
    const words = this.description.toLowerCase();
    return phrases.some((phrase) => words.includes(phrase.toLowerCase()));
  }
}

interface Rule {
  readonly phrases: readonly string[];
  readonly code: MessageErrorCode;
  readonly sentence: string;
  readonly retry?: RetryPolicy;
}

/** First match wins. Phrases are those of the official server's source (tdlib/telegram-bot-api). */
const RULES: readonly Rule[] = [
  {
    code: "BAD_CONTACT",
    sentence: "Telegram has no such chat, or the bot may not write to it",
    phrases: [
      "chat not found",
      "chat_id is empty",
      "user is deactivated",
      "bot can't initiate conversation",
      "PEER_ID_INVALID",
      "bot was blocked by the user",
      "bot was kicked",
      "is not a member",
      "group chat was deactivated",
    ],
  },
  {
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Telegram",
    phrases: ["message is too long", "caption is too long", "text is too long", "MEDIA_CAPTION_TOO_LONG"],
  },
  {
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too big for Telegram",
    phrases: ["request entity too large", "file is too big"],
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Telegram cannot use this file",
    phrases: [
      "wrong type of the web page content",
      "failed to get HTTP URL content",
      "wrong file identifier",
      "wrong remote file identifier",
      "WEBPAGE_CURL_FAILED",
      "WEBPAGE_MEDIA_EMPTY",
      "IMAGE_PROCESS_FAILED",
      "PHOTO_INVALID_DIMENSIONS",
    ],
  },
  {
    code: "CANNOT_REPLY_TO_DELETED",
    sentence: "The quoted message is gone",
    phrases: ["message to be replied not found", "message to reply not found"],
  },
  {
    code: "MESSAGE_DELETED",
    sentence: "The message is gone",
    phrases: ["message to edit not found", "message to delete not found", "MESSAGE_ID_INVALID"],
  },
  {
    code: "GENERAL_ERROR",
    sentence: "Telegram does not have the file at the moment",
    phrases: ["file is temporarily unavailable"],
    retry: "later",
  },
];

/** What a refusal means for the message. `data` carries Telegram's own words. */
export function toTransportError(refusal: Refusal, floodScope: "chat" | "channel" = "chat"): TransportError {
  const data = refusal.description;
  if (refusal.retryAfterMs !== undefined) {
    const retry = { afterMs: refusal.retryAfterMs, scope: floodScope };
    return new TransportError("TOO_MANY_EXT_REQS", "Telegram asks to wait", { retry, data, cause: refusal });
  }
  const rule = refusal.status === 413 ? TOO_BIG : RULES.find(({ phrases }) => refusal.says(...phrases));
  const sentence = rule?.sentence ?? "Telegram refused";
  const retry = rule?.retry ?? "never";
  return new TransportError(rule?.code ?? "GENERAL_ERROR", sentence, { retry, data, cause: refusal });
}

const TOO_BIG = RULES.find(({ code }) => code === "TOO_BIG_CONTENT");

/** The token is unknown or revoked: 401, or in production a bare 404 for a token of the right form. */
export function isUnauthorized(refusal: Refusal): boolean {
  return refusal.status === 401 || (refusal.status === 404 && /^not found$/i.test(refusal.description));
}

/** Telegram itself could not use the link; uploading the same file may work. */
export function isLinkRefusal(refusal: Refusal): boolean {
  return refusal.says(
    "failed to get HTTP URL content",
    "wrong type of the web page content",
    "wrong file identifier",
    "wrong remote file identifier",
    "WEBPAGE_CURL_FAILED",
    "WEBPAGE_MEDIA_EMPTY",
  );
}

/** The picture breaks the rules of photos; as a document it has none. */
export function isPhotoRefusal(refusal: Refusal): boolean {
  return refusal.says("PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED");
}
