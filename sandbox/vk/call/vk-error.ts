/** VK's text for each error code: https://dev.vk.com/ru/reference/errors and the errors of each method. */
const descriptions: Readonly<Record<number, string>> = {
  1: "Unknown error occurred",
  3: "Unknown method passed",
  5: "User authorization failed",
  6: "Too many requests per second",
  7: "Permission to perform this action is denied",
  8: "Invalid request",
  9: "Flood control",
  10: "Internal server error",
  14: "Captcha needed",
  15: "Access denied",
  18: "User was deleted or banned",
  22: "Upload error",
  23: "This method was disabled",
  27: "Group authorization failed",
  28: "Application authorization failed",
  29: "Rate limit reached",
  100: "One of the parameters specified was missing or invalid",
  104: "Not found",
  105: "Couldn't save file",
  113: "Invalid user id",
  118: "Invalid server",
  121: "Invalid hash",
  125: "Invalid group id",
  129: "Invalid photo",
  203: "Access to group denied",
  900: "Can't send messages for users from blacklist",
  901: "Can't send messages for users without permission",
  902: "Can't send messages to this user due to their privacy settings",
  909: "Can't edit this message, because it's too old",
  910: "Can't sent this message, because it's too big",
  911: "Keyboard format is invalid",
  912: "This is a chat bot feature, change this status in settings",
  913: "Too many forwarded messages",
  914: "Message is too long",
  917: "You don't have access to this chat",
  919: "You can't see invite link for this chat",
  920: "Can't edit this kind of message",
  921: "Can't forward these messages",
  922: "You left this chat",
  924: "Can't delete this message for everybody",
  925: "You are not admin of this chat",
  927: "Chat does not exist",
  932: "Your community can't interact with this peer",
  935: "User not found in chat",
  936: "Contact not found",
  940: "Too many posts in messages",
  943: "Cannot use this intent",
  944: "Limits overflow for this intent",
  945: "Chat was disabled",
  946: "Chat not supported",
  949: "Can't edit pinned message yet",
  950: "Can't send message, reply timed out",
  985: "Cannot write to notifications only groups",
  987: "Need message request",
  988: "Pending message request",
  1009: "Unknown reaction passed",
  1010: "This reaction has been disabled",
  1011: "Reactions limit for this message has been reached",
  1117: "Access token has expired",
  1150: "Invalid document id",
  1152: "Invalid document title",
  2000: "Servers number limit is reached",
  3300: "Recaptcha needed",
};

/** An error of the VK API: HTTP status 200 with `{"error": {...}}`. */
export class VkError extends Error {
  readonly code: number;

  /** `detail` is appended to the code's own description after a colon, as VK does. */
  constructor(code: number, detail?: string) {
    super(describeError(code, detail));
    this.code = code;
  }
}

/** `Keyboard format is invalid: row 4 contains too much columns` */
function describeError(code: number, detail?: string): string {
  const description = descriptions[code] ?? descriptions[1] ?? "";
  return detail === undefined ? description : `${description}: ${detail}`;
}

/** 100 with the error of a parameter. */
export function badParam(detail: string): VkError {
  return new VkError(100, detail);
}
