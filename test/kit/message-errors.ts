import type { MessageErrorCode } from "../../src/core/transport/errors.ts";

/** The meaning of each code in `error.error` of webhooks, as the interface defines it. */
export const MESSAGE_ERROR_MEANINGS: Readonly<Record<MessageErrorCode, string>> = {
  BAD_CONTACT: "`whatsapp`, `telegram`: an account with this chat id does not exist",
  CHATID_IGSID_MISMATCH:
    "`instagram`: an account with this chat id does not exist, or the id could not be matched to it; the client may have changed the profile's name",
  TOO_LONG_TEXT: "The text is too long",
  BAD_LINK: "`instagram`: refused because of a link",
  TOO_BIG_CONTENT: "The file is larger than 50 MB",
  SPAM: "Not sent: suspected spam",
  TOO_MANY_EXT_REQS: "Sending stopped: too many messages from the account",
  WRONG_CONTENT:
    "The messenger does not accept the file, or the file does not match the declared size or hash",
  MESSAGE_CANCELLED: "Sending was stopped",
  "24_HOURS_EXCEEDED": "The 24-hour window of the WhatsApp Business Platform is closed",
  COMMENT_DELETED: "The `instagram` comment was deleted",
  MENTION_FORBIDDEN: "The mentioned user cannot be mentioned",
  CONTENT_CONVERSION_ERROR: "The content could not be fetched or converted",
  MESSAGE_DELETED: "The message was deleted by its sender",
  "7_DAYS_EXCEEDED": "The 7-day window of `instagram` is closed",
  COMMENT_ALREADY_PRIVATE_REPLIED: "The comment already has a private reply",
  COMMENT_INVALID_FOR_PRIVATE_REPLY: "A private reply to the comment is not possible",
  COMMENT_CAN_BE_TEXT_ONLY: "Replies to comments can only be text",
  CANNOT_REPLY_TO_DELETED: "A deleted message cannot be replied to",
  GENERAL_ERROR: "A general failure, reported to the operator",
  UNKNOWN_ERROR:
    "An unknown failure. Also if it is not known whether the messenger accepted the message, which is not sent again automatically",
  CHANNEL_REJECTED: "Not sent, because the channel was rejected",
};
