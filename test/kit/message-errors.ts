import type { MessageErrorCode } from "../../src/core/transport/errors.ts";

/** What the interface says of each code in `error.error` of webhooks. */
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
    "The file does not fit the messenger, or is not the file that was announced by size and hash",
  MESSAGE_CANCELLED: "Sending was stopped",
  "24_HOURS_EXCEEDED": "The 24-hour dialogue of the business API is closed",
  COMMENT_DELETED: "The `instagram` comment was deleted",
  MENTION_FORBIDDEN: "The mentioned user cannot be mentioned",
  CONTENT_CONVERSION_ERROR: "The content could not be fetched or converted",
  MESSAGE_DELETED: "The message was deleted by its sender",
  "7_DAYS_EXCEEDED": "The 7-day dialogue of `instagram` is closed",
  COMMENT_ALREADY_PRIVATE_REPLIED: "The comment was already answered in direct",
  COMMENT_INVALID_FOR_PRIVATE_REPLY: "The comment cannot be answered in direct",
  COMMENT_CAN_BE_TEXT_ONLY: "Comments can be answered with text only",
  CANNOT_REPLY_TO_DELETED: "A deleted message cannot be replied to",
  GENERAL_ERROR: "A general failure, reported to the operator",
  UNKNOWN_ERROR:
    "An unknown failure, also when it is not known whether the messenger took the message: it is not sent again by itself",
  CHANNEL_REJECTED: "Not sent, as the channel is rejected",
};
