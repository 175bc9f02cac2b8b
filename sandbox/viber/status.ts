import { Refusal, type Reply } from "../http/api-server.ts";
import type { RawNumber } from "../http/raw-number.ts";

/** The possible statuses of a response: https://creators.viber.com/docs/bots-api/errors */
export const statusNames = {
  0: "ok",
  1: "invalidUrl",
  2: "invalidAuthToken",
  3: "badData",
  4: "missingData",
  5: "receiverNotRegistered",
  6: "receiverNotSubscribed",
  7: "publicAccountBlocked",
  8: "publicAccountNotFound",
  9: "publicAccountSuspended",
  10: "webhookNotSet",
  11: "receiverNoSuitableDevice",
  12: "tooManyRequests",
  13: "apiVersionNotSupported",
  14: "incompatibleWithVersion",
  15: "publicAccountNotAuthorized",
  16: "inchatReplyMessageNotAllowed",
  17: "publicAccountIsNotInline",
  18: "noPublicChat",
  19: "cannotSendBroadcast",
  20: "broadcastNotAllowed",
  21: "unsupportedCountry",
  22: "paymentUnsupported",
  23: "freeMessagesExceeded",
  24: "noBalance",
  999: "Bad receiver ID",
} as const;

export const chatHostname = "SN-CHAT-03_";

/** A response: always HTTP 200, whatever the status. */
export function statusReply(
  status: number,
  more: Readonly<Record<string, unknown>> = {},
  message?: string,
): Reply {
  const body = { status, status_message: message ?? nameOf(status), ...more, chat_hostname: chatHostname };
  return { status: 200, json: JSON.stringify(body) };
}

function nameOf(status: number): string {
  return Object.entries(statusNames).find(([key]) => Number(key) === status)?.[1] ?? "generalError";
}

/** A call that is refused with a status; `why` is for the record of calls. */
export function refused(
  status: number,
  why: string,
  { token, unknown = false }: { token?: RawNumber | undefined; unknown?: boolean } = {},
): Refusal {
  return new Refusal(why, statusReply(status, token && { message_token: token }), unknown);
}

/** A call without a token. */
export function noToken(): Refusal {
  return new Refusal("missing_auth_token", statusReply(2, {}, "missing_auth_token"));
}

/** A field that is missing, invalid or unknown. */
export const fieldErrors = {
  unknown: (name: string) => refused(3, `unknown field ${name}`, { unknown: true }),
  missing: (name: string) => refused(4, `${name} is missing`),
  wrongType: (name: string, expected: string) => refused(3, `${name}: ${expected} expected`),
};
