import type { PasskeyFault } from "./login.ts";

/**
 * What to do after a failed call.
 * - `never`: the messenger refused; a retry cannot help.
 * - `later`: the request certainly had no effect; retry with increasing delays.
 * - `unknown`: it may have taken effect (timeout, dropped connection, 5xx). Core retries only if the transport's sends
 *   are idempotent; otherwise the message ends as `UNKNOWN_ERROR`.
 * - `afterMs`: refused for now (flood control); retry after that time. `scope` is what waits: the chat or the channel.
 */
export type RetryPolicy =
  | "never"
  | "later"
  | "unknown"
  | { readonly afterMs: number; readonly scope: "chat" | "channel" };

/**
 * A warning of the messenger: the channel makes no first contacts until then; known chats continue. `reason` is shown
 * to the channel's owner, and published as a restriction of the kind `new_chats`. `basis` says where the end comes from:
 * the messenger (default), or an estimate of ours. `precaution`: the messenger only throttles the account; nothing is
 * published.
 */
export interface Cooldown {
  readonly until: Date;
  readonly reason: string;
  readonly basis?: "stated" | "estimate" | "precaution";
}

/**
 * What a messenger may not allow an account whose channel otherwise works. `new_chats`: to write to people first;
 * `replies`: to answer people; `unanswered`: more messages to people who do not answer; `spam`: messages, because people
 * reported earlier ones or the messenger suspects spam; `volume`: more messages than its limit. Warnings: `quality`: people
 * dislike its messages; `block_announced`: the messenger will block it.
 */
export const RESTRICTION_KINDS = [
  "new_chats",
  "replies",
  "unanswered",
  "spam",
  "volume",
  "quality",
  "block_announced",
] as const;
export type RestrictionKind = (typeof RESTRICTION_KINDS)[number];

/**
 * A restriction as the messenger reports it. `reason`: a sentence of ours for the channel's owner. `until`: null if it
 * ends only when the messenger says so. `isEstimate`: `until` is a guess.
 */
export interface AccountRestriction {
  readonly reason: string;
  readonly until: Date | null;
  readonly isEstimate?: boolean;
}

/** Message error codes of the interface (`error.error` in webhooks). */
export const MESSAGE_ERROR_CODES = [
  "BAD_CONTACT",
  "CHATID_IGSID_MISMATCH",
  "TOO_LONG_TEXT",
  "BAD_LINK",
  "TOO_BIG_CONTENT",
  "SPAM",
  "TOO_MANY_EXT_REQS",
  "WRONG_CONTENT",
  "MESSAGE_CANCELLED",
  "24_HOURS_EXCEEDED",
  "COMMENT_DELETED",
  "MENTION_FORBIDDEN",
  "CONTENT_CONVERSION_ERROR",
  "MESSAGE_DELETED",
  "7_DAYS_EXCEEDED",
  "COMMENT_ALREADY_PRIVATE_REPLIED",
  "COMMENT_INVALID_FOR_PRIVATE_REPLY",
  "COMMENT_CAN_BE_TEXT_ONLY",
  "CANNOT_REPLY_TO_DELETED",
  "GENERAL_ERROR",
  "UNKNOWN_ERROR",
  "CHANNEL_REJECTED",
] as const;
export type MessageErrorCode = (typeof MESSAGE_ERROR_CODES)[number];

/**
 * The error that the calls of a session throw. The client sees `code` and the message, `data` adds the messenger's
 * message (never a secret), `cause` is only logged. `cooldown` is the consequence for other messages of the channel,
 * independent of this one; `restriction` is published and has no consequence for sending.
 */
export class TransportError extends Error {
  readonly code: MessageErrorCode;
  readonly retry: RetryPolicy;
  readonly data: string | undefined;
  readonly cooldown: Cooldown | undefined;
  readonly restriction: SendRestriction | undefined;

  constructor(
    code: MessageErrorCode,
    description: string,
    options: {
      retry?: RetryPolicy;
      data?: string | undefined;
      cooldown?: Cooldown | undefined;
      restriction?: SendRestriction | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(description, { cause: options.cause });
    this.name = "TransportError";
    this.code = code;
    this.retry = options.retry ?? "never";
    this.data = options.data;
    this.cooldown = options.cooldown;
    this.restriction = options.restriction;
  }
}
export type SendRestriction = AccountRestriction & { readonly kind: RestrictionKind };

/** Credentials that the messenger rejects when a channel is created, re-initialised or opened. */
export class CredentialsError extends Error {
  constructor(description: string, options: { cause?: unknown } = {}) {
    super(description, options);
    this.name = "CredentialsError";
  }
}

/**
 * A login step that the session rejects. `not_expected`: the channel is not at that step (no QR code is shown, no
 * password is expected). `wrong`: the messenger rejects the value. `too_often`: the messenger asks to wait.
 * `unavailable`: no response; a retry is harmless.
 */
export class LoginRefused extends Error {
  readonly reason: LoginRefusal;
  /** With `wrong`, for the step `passkey`. */
  readonly fault: PasskeyFault | undefined;
  constructor(
    reason: LoginRefusal,
    description: string,
    options: { cause?: unknown; fault?: PasskeyFault | undefined } = {},
  ) {
    super(description, options);
    this.name = "LoginRefused";
    this.reason = reason;
    this.fault = options.fault;
  }
}
export type LoginRefusal = "not_expected" | "wrong" | "too_often" | "unavailable";

/**
 * A group call that the messenger refuses; it had no effect. `not_found`: there is no such group. `not_a_member`: the
 * channel's account is not in it. `not_an_admin`: the account lacks the rights. `unknown_person`: there is no such
 * account, where the messenger then refuses the whole call. `nobody_added`: a
 * group cannot be created because none of the people can be added. `too_many_people`: the group would be too large.
 * `too_many_groups`: the account may not create more. `bad_name`, `bad_picture`: not as the messenger demands.
 * `refused`: another reason. `data`: the messenger's own words or code.
 */
export class GroupRefused extends Error {
  readonly reason: GroupRefusal;
  readonly data: string | undefined;

  constructor(
    reason: GroupRefusal,
    description: string,
    options: { cause?: unknown; data?: string | undefined } = {},
  ) {
    super(description, { cause: options.cause });
    this.name = "GroupRefused";
    this.reason = reason;
    this.data = options.data;
  }
}
export type GroupRefusal =
  | "not_found"
  | "not_a_member"
  | "not_an_admin"
  | "unknown_person"
  | "nobody_added"
  | "too_many_people"
  | "too_many_groups"
  | "bad_name"
  | "bad_picture"
  | "refused";
