/**
 * Every error that an HTTP response can contain: status and public description. `docs/errors.md` and the routes'
 * schemas are generated from this catalogue. Codes come from the interface and its decided gaps.
 */
export const ERRORS = {
  VALIDATION_ERROR: [400, "The request has invalid fields"],
  INVALID_MESSAGE_DATA: [400, "The message has invalid fields"],
  INVALID_JSON: [400, "The body is not valid JSON"],
  INVALID_APIKEY: [401, "Invalid authorization header"],
  APPROVAL_REQUIRED: [403, "An agent token reads, and proposes messages, which an employee approves"],
  FORBIDDEN: [403, "This route is not allowed with a sidecar API key"],
  TOO_MANY_LOGINS: [429, "Too many wrong passwords; wait before the next attempt"],
  NOT_FOUND: [404, "There is no such route"],
  METHOD_NOT_ALLOWED: [405, "The route exists, but not with this method"],
  BODY_TOO_LARGE: [413, "The body is larger than the route takes"],
  UNSUPPORTED_MEDIA_TYPE: [415, "Send the body as application/json"],
  TOO_MANY_REQUESTS: [429, "More requests than the limit allows in a minute"],
  INTERNAL_ERROR: [500, "Internal server error"],
  UNAVAILABLE: [503, "The service is temporarily unavailable; repeat the request later"],

  IDEMPOTENCY_KEY_REUSED: [409, "This Idempotency-Key was used with another request"],
  IDEMPOTENCY_IN_PROGRESS: [409, "The first request with this Idempotency-Key has not finished yet"],

  ACCOUNT_NOT_FOUND: [404, "There is no such account of yours"],
  INVALID_CLIENT: [400, "There is no such OAuth client of yours"],
  INVALID_GRANT: [
    400,
    "The token or code is unknown, used, expired or revoked, or was given for something else",
  ],
  INVALID_SCOPE: [400, "The scope goes beyond that of the subject token"],

  QUOTA_EXCEEDED: [400, "The account has reached a quota of this installation"],

  CHANNEL_NOT_FOUND: [404, "There is no such channel"],
  CHANNEL_ALREADY_CONNECTED: [400, "This messenger account is already connected as a channel of yours"],
  WRONG_CREDENTIALS: [400, "The messenger refuses these credentials"],
  TRANSPORT_NOT_AVAILABLE: [400, "This installation cannot connect channels of this transport"],
  MESSENGER_UNAVAILABLE: [503, "The messenger cannot be reached at the moment; repeat the request later"],
  PASSWORD_NOT_EXPECTED: [400, "The channel is not waiting for a password"],
  WRONG_PASSWORD: [400, "The password is wrong"],
  PASSKEY_NOT_EXPECTED: [400, "The channel is not waiting for a passkey"],
  PASSKEY_REFUSED: [400, "The answer of the passkey is refused"],
  QR_EXPIRED: [400, "The QR code has expired; re-initialise the channel and ask again"],
  PAIRING_NOT_EXPECTED: [400, "The channel is connected already; no pairing code is needed"],
  PAIRING_CODE_NOT_SUPPORTED: [400, "Channels of this transport are not connected by pairing code"],

  CHANNEL_BLOCKED: [400, "The channel is blocked"],
  CHANNEL_NO_MONEY: [400, "The channel is not paid"],
  MESSAGE_CHANNEL_UNAVAILABLE: [400, "The channel is not active"],
  WRONG_TRANSPORT: [400, "This chat cannot be reached from this channel's transport"],
  MESSAGE_ONLY_TEXT_OR_CONTENT: [400, "Cannot provide more than one of text, attachment or template"],
  MESSAGE_NOTHING_TO_SEND: [400, "One of text, attachment or template is required"],
  MESSAGE_RECIPIENT_REQUIRED: [400, "The recipient needs a chat_id, or a username or phone where allowed"],
  MESSAGE_TEMPLATE_NOT_SUPPORTED: [400, "Channels of this transport have no templates"],
  MESSAGE_QUOTING_NOT_SUPPORTED: [400, "Channels of this transport cannot quote messages"],
  MESSAGE_KEYBOARD_INVALID: [400, "The keyboard does not fit this channel's transport"],
  TEMPLATE_NOT_FOUND: [404, "There is no such template"],
  TEMPLATE_REFUSED: [400, "The messenger refuses this template"],
  TEMPLATE_OF_ANOTHER_CHANNEL: [400, "This template belongs to another business than the channel"],
  QUOTED_MESSAGE_NOT_FOUND: [404, "There is no such message to quote in this chat"],
  PROPOSAL_NOT_FOUND: [404, "There is no such proposed message"],
  REPEATED_CRM_MESSAGE_ID: [400, "You have already sent message with same crmMessageId"],
  MESSAGE_TEXT_TOO_LONG: [400, "The text is longer than the messenger allows"],
  MESSAGES_CONTENT_SIZE_EXCEEDED: [400, "The file is larger than 50 MB, or than the messenger takes"],
  MESSAGE_CONTENT_NOT_SUPPORTED: [400, "Channels of this transport take no files of this kind"],
  CHANNEL_WAPI_REJECTED: [400, "The business channel was rejected"],
  ATTACHMENT_URL_NOT_ALLOWED: [400, "The attachment's address is not a public http or https address"],

  CANNED_ANSWER_NOT_FOUND: [404, "There is no such canned answer"],
  CANNED_ANSWER_NAME_TAKEN: [400, "Another canned answer of the account has this name"],
  CANNED_ANSWER_CHANGED: [409, "The canned answer was changed in the meantime; read it again"],

  GROUP_NOT_FOUND: [404, "There is no such group"],
  GROUP_NOT_A_MEMBER: [400, "The channel's account is not a member of this group"],
  GROUP_NOT_AN_ADMIN: [400, "The channel's account lacks the rights for this in the group"],
  GROUP_PARTICIPANT_NOT_FOUND: [400, "The messenger has no account of one of these people"],
  GROUP_NOBODY_ADDED: [400, "None of these people can be added, so no group was created"],
  GROUP_TOO_MANY_PARTICIPANTS: [400, "The messenger does not allow so many participants"],
  GROUP_TOO_MANY_GROUPS: [400, "The messenger does not allow the channel's account more groups"],
  GROUP_NAME_REFUSED: [400, "The messenger refuses this name of a group"],
  GROUP_PICTURE_REFUSED: [400, "The picture cannot be fetched, or is not as the messenger demands"],
  GROUP_REFUSED: [400, "The messenger refuses this"],
  GROUP_LIMIT_REACHED: [
    429,
    "The channel may not reach more people or create more groups now; otherwise the messenger might block it",
  ],
  GROUP_OUTCOME_UNKNOWN: [
    409,
    "The messenger did not respond, and may have done this; read the group before you repeat the request",
  ],

  CHAT_NOT_FOUND: [404, "There is no such chat"],
  MESSAGES_NOT_FAILED: [400, "Only a message that could not be sent is sent again"],
  MESSAGES_NOT_FOUND: [404, "There is no such message"],
  CHANNEL_INVALID_TRANSPORT: [400, "Channels of this transport cannot do this"],
  CHANNEL_INVALID_TRANSPORT_FOR_EDITING: [400, "Messages of this transport cannot be edited"],
  CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING: [
    400,
    "Files in messages of this transport cannot be changed",
  ],
  CHANNEL_INVALID_TRANSPORT_FOR_DELETION: [400, "Messages of this transport cannot be deleted"],
  MESSAGES_EDITING_TIME_EXPIRED: [400, "The time for editing this message is over"],
  MESSAGES_DELETION_TIME_EXPIRED: [400, "The time for deleting this message is over"],
  MESSAGES_CONTAIN_BUTTONS: [400, "Messages with buttons cannot be edited"],
  MESSAGES_NOT_SENT: [400, "The message has not been sent"],
  MESSAGES_NOT_OUTGOING: [400, "Only messages sent by you can be changed"],
  MESSAGES_ALREADY_DELETED: [400, "The message is already deleted"],
  MESSAGES_CHANGE_REFUSED: [400, "The messenger refuses to change this message"],
  EXPORT_NOT_FOUND: [404, "There is no such export"],
  EXPORT_QUEUE_FULL: [400, "At most 100 exports of an account may wait; repeat the request later"],

  PHONE_CHECK_QUEUE_FULL: [
    400,
    "At most 500 phone numbers of a channel may wait to be checked; repeat the request later",
  ],

  CONTACT_NOT_FOUND: [404, "There is no such contact"],
  DEAL_NOT_FOUND: [404, "There is no such deal"],
  USER_NOT_FOUND: [404, "There is no such user"],
  TOO_MANY_ENTITIES: [400, "At most 100 entities are allowed in a request"],
  INVALID_CONTACTS_DATA: [400, "Some of the contacts have invalid fields; none was stored"],
  INVALID_DEALS_DATA: [400, "Some of the deals have invalid fields; none was stored"],
  INVALID_USERS_DATA: [400, "Some of the users have invalid fields; none was stored"],
  INVALID_PIPELINES_DATA: [400, "Some of the pipelines have invalid fields; none was stored"],

  WEBHOOK_RECEIVER_NOT_FOUND: [404, "There is no such receiver of webhooks"],
  WEBHOOK_SUBSCRIPTION_NOT_FOUND: [404, "There is no such subscription"],
  WEBHOOK_SUBSCRIPTION_EXISTS: [
    400,
    "This address is already subscribed to this event, or another one is where only one may be",
  ],
  WEBHOOK_TOO_MANY_ADDRESSES: [400, "At most 100 addresses of an account may be subscribed to events"],
  WEBHOOK_DELIVERY_NOT_FOUND: [404, "There is no such request in the log of the last 30 days"],
  WEBHOOK_REPLAY_NOT_FOUND: [404, "There is no such replay"],
  WEBHOOK_REPLAY_TOO_LARGE: [400, "At most 10,000 deliveries are replayed at a time: choose a shorter time"],
  WEBHOOK_REPLAY_QUEUE_FULL: [400, "At most 20 replays of an account may wait; repeat the request later"],
  uriNotValid: [400, "Provided URI is not valid URI"],
  testPostNotPassed: [400, "URI does not return 200 OK on test request"],
} as const satisfies Record<string, readonly [status: number, description: string]>;
export type ErrorCode = keyof typeof ERRORS;

/** An error that is returned to the client. `data` is public; `cause` is only logged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly data: unknown;
  /** Whole seconds for a `Retry-After` header, or undefined. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    options: { description?: string; data?: unknown; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(options.description ?? ERRORS[code][1], { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.status = ERRORS[code][0];
    this.data = options.data;
    this.retryAfter = options.retryAfter;
  }
}

/** Errors that reject the request whatever the state of the account, although some of them name no field. */
const INVALID_REQUESTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "VALIDATION_ERROR",
  "TOO_MANY_ENTITIES",
  "WRONG_TRANSPORT",
  "MESSAGE_ONLY_TEXT_OR_CONTENT",
  "MESSAGE_NOTHING_TO_SEND",
  "MESSAGE_RECIPIENT_REQUIRED",
  "MESSAGE_TEMPLATE_NOT_SUPPORTED",
  "MESSAGE_QUOTING_NOT_SUPPORTED",
  "MESSAGE_KEYBOARD_INVALID",
  "MESSAGE_TEXT_TOO_LONG",
  "MESSAGE_CONTENT_NOT_SUPPORTED",
  "uriNotValid",
]);

/**
 * Whether the request is invalid, whatever the state of the account. Mostly the error's details name the fields, or the
 * invalid items of a list.
 */
export function isInvalidRequest({ code, data }: AppError): boolean {
  return INVALID_REQUESTS.has(code) || (Array.isArray(data) ? data : [data]).some(namesFields);
}

function namesFields(details: unknown): details is { readonly fields: readonly unknown[] } {
  return typeof details === "object" && details !== null && "fields" in details;
}

/** The faulty fields that the error's details name. */
export function fieldsOf({ data }: AppError): readonly unknown[] {
  return namesFields(data) ? data.fields : [];
}

/** For a transport that no installation knows, too. */
export function transportNotAvailable(transports: ReadonlyMap<string, unknown>): AppError {
  return new AppError("TRANSPORT_NOT_AVAILABLE", { data: { available: [...transports.keys()] } });
}

/** The account works in another cell, which is reached at this address. */
export class AccountElsewhere extends Error {
  override readonly name = "AccountElsewhere";
  readonly address: string;
  constructor(address: string) {
    super(`The account is in the cell at ${address}`);
    this.address = address;
  }
}
