import { type MessageErrorCode, type RetryPolicy, TransportError } from "../../core/transport/errors.ts";

/** Telegram refused the call, so it had no effect (Bot API, "Making requests" and `ResponseParameters`). */
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

  /** Whether Telegram's description contains one of these phrases, ignoring case. */
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

/** The first match applies. The phrases are from the source of the official server (tdlib/telegram-bot-api). */
const RULES: readonly Rule[] = [
  {
    code: "BAD_CONTACT",
    sentence: "The chat does not exist on Telegram, or the bot may not write to it",
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
      "not enough rights",
      "have no rights to send",
      "need administrator rights in the channel chat",
      "CHAT_RESTRICTED",
      "CHAT_WRITE_FORBIDDEN",
      "CHAT_ADMIN_REQUIRED",
      "CHAT_SEND_",
      "USER_BANNED_IN_CHANNEL",
      "USER_IS_BLOCKED",
      "INPUT_USER_DEACTIVATED",
      "TOPIC_CLOSED",
      "can't send messages to bots",
    ],
  },
  {
    code: "TOO_LONG_TEXT",
    sentence: "The text is too long for Telegram",
    phrases: ["message is too long", "caption is too long", "text is too long", "MEDIA_CAPTION_TOO_LONG"],
  },
  {
    code: "TOO_BIG_CONTENT",
    sentence: "The file is too large for Telegram",
    phrases: ["request entity too large", "file is too big"],
  },
  {
    code: "CONTENT_CONVERSION_ERROR",
    sentence: "Telegram cannot process this file",
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
    sentence: "The quoted message no longer exists",
    phrases: ["message to be replied not found", "message to reply not found", "replied message not found"],
  },
  {
    code: "MESSAGE_DELETED",
    sentence: "The message no longer exists",
    phrases: ["message to edit not found", "message to delete not found", "MESSAGE_ID_INVALID"],
  },
  {
    code: "GENERAL_ERROR",
    sentence: "The file is temporarily unavailable on Telegram",
    phrases: ["file is temporarily unavailable"],
    retry: "later",
  },
];

/** Maps a refusal to a message error. `data` contains Telegram's own text. */
export function toTransportError(refusal: Refusal, floodScope: "chat" | "channel" = "chat"): TransportError {
  const data = refusal.description;
  if (refusal.retryAfterMs !== undefined) {
    const retry = { afterMs: refusal.retryAfterMs, scope: floodScope };
    return new TransportError("TOO_MANY_EXT_REQS", "Telegram is rate limiting the bot", {
      retry,
      data,
      cause: refusal,
    });
  }
  const rule = refusal.status === 413 ? TOO_BIG : RULES.find(({ phrases }) => refusal.says(...phrases));
  const sentence = rule?.sentence ?? "Telegram refused";
  const retry = rule?.retry ?? "never";
  return new TransportError(rule?.code ?? "GENERAL_ERROR", sentence, { retry, data, cause: refusal });
}

const TOO_BIG = RULES.find(({ code }) => code === "TOO_BIG_CONTENT");

/** The token is unknown or revoked: 401, or in production a plain 404 for a well-formed token. */
export function isUnauthorized(refusal: Refusal): boolean {
  return refusal.status === 401 || (refusal.status === 404 && /^not found$/i.test(refusal.description));
}

/** Telegram could not use the link; uploading the file may succeed. */
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

/** The picture violates the limits of photos; as a document it can be sent. */
export function isPhotoRefusal(refusal: Refusal): boolean {
  return refusal.says("PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED");
}
