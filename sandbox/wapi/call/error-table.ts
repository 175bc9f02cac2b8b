/** Meta's text of an error code, after `(#code)`, and the HTTP status of the response. */
export interface ErrorText {
  readonly status: number;
  readonly title: string;
  /** Default of `error_data.details`. */
  readonly details: string;
  /** A retry may succeed a little later. */
  readonly transient?: boolean;
}

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const errorTexts: Readonly<Record<number, ErrorText>> = {
  0: { status: 401, title: "AuthException", details: "We were unable to authenticate the app user." },
  1: {
    status: 400,
    title: "An unknown error occurred",
    details: "Invalid request or possible server error.",
    transient: true,
  },
  2: {
    status: 503,
    title: "Service temporarily unavailable",
    details: "Temporary due to downtime or due to being overloaded.",
    transient: true,
  },
  3: { status: 500, title: "API Method", details: "Capability or permissions issue." },
  4: {
    status: 400,
    title: "Application request limit reached",
    details: "The app has reached its API call rate limit.",
    transient: true,
  },
  10: {
    status: 403,
    title: "Application does not have permission for this action",
    details: "Permission is either not granted or has been removed.",
  },
  33: {
    status: 400,
    title: "This object does not exist or does not support this action",
    details: "The business phone number has been deleted.",
  },
  100: {
    status: 400,
    title: "Invalid parameter",
    details: "The request included one or more unsupported or misspelled parameters.",
  },
  190: { status: 401, title: "Access token has expired", details: "Your access token has expired." },
  200: {
    status: 403,
    title: "Permissions error",
    details: "Permission is either not granted or has been removed.",
  },
  368: {
    status: 403,
    title: "Temporarily blocked for policies violations",
    details: "The WhatsApp Business Account has been restricted or disabled for violating a platform policy.",
  },
  80007: {
    status: 400,
    title: "Rate limit issues",
    details: "The WhatsApp Business Account has reached its rate limit.",
  },
  130429: {
    status: 400,
    title: "Rate limit hit",
    details:
      "Message failed to send because there were too many messages sent from this phone number in a short period of time.",
  },
  130472: {
    status: 400,
    title: "User's number is part of an experiment",
    details: "Failed to send message because this user's phone number is part of an experiment.",
  },
  130497: {
    status: 403,
    title: "Business account is restricted from messaging users in this country.",
    details: "The WhatsApp Business Account is restricted from messaging to users in certain countries.",
  },
  131000: {
    status: 500,
    title: "Something went wrong",
    details: "Message failed to send due to an unknown error.",
  },
  131005: {
    status: 403,
    title: "Access denied",
    details: "Permission is either not granted or has been removed.",
  },
  131008: {
    status: 400,
    title: "Required parameter is missing",
    details: "The request is missing a required parameter.",
  },
  131009: {
    status: 400,
    title: "Parameter value is not valid",
    details: "One or more parameter values are invalid.",
  },
  131016: {
    status: 500,
    title: "Service unavailable",
    details: "A service is temporarily unavailable.",
  },
  131021: {
    status: 400,
    title: "Recipient cannot be sender",
    details: "Sender and recipient phone number is the same.",
  },
  131026: { status: 400, title: "Message undeliverable", details: "Message Undeliverable." },
  131030: {
    status: 400,
    title: "Recipient phone number not in allowed list",
    details:
      "Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.",
  },
  131031: {
    status: 403,
    title: "Business Account locked",
    details: "Business Account has been locked.",
  },
  131037: {
    status: 400,
    title: "WhatsApp provided number needs display name approval before message can be sent.",
    details: "The display name of this business phone number has not been approved.",
  },
  131042: {
    status: 400,
    title: "Business eligibility payment issue",
    details: "Message failed to send because there were one or more errors related to your payment method.",
  },
  131045: {
    status: 500,
    title: "Incorrect certificate",
    details: "Message failed to send due to a phone number registration error.",
  },
  131047: {
    status: 400,
    title: "Re-engagement message",
    details:
      "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
  },
  131048: {
    status: 400,
    title: "Spam rate limit hit",
    details:
      "Message failed to send because there are restrictions on how many messages can be sent from this phone number. This may be because too many previous messages were blocked or flagged as spam.",
  },
  131049: {
    status: 400,
    title: "This message was not delivered to maintain healthy ecosystem engagement.",
    details: "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
  },
  131050: {
    status: 400,
    title:
      "Unable to deliver the message. This recipient has chosen to stop receiving marketing messages on WhatsApp from your business.",
    details: "User has chosen to stop receiving marketing messages.",
  },
  131051: {
    status: 400,
    title: "Unsupported message type",
    details: "Message type is currently not supported.",
  },
  131052: {
    status: 400,
    title: "Media download error",
    details: "Unable to download the media sent by the user.",
  },
  131053: {
    status: 400,
    title: "Media upload error",
    details: "Unable to upload the media used in the message.",
  },
  131056: {
    status: 400,
    title: "(Business Account, Consumer Account) pair rate limit hit",
    details:
      "Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.",
  },
  131057: {
    status: 500,
    title: "Account in maintenance mode",
    details: "Business Account is in maintenance mode.",
  },
  131062: {
    status: 400,
    title: "Business-scoped User ID (BSUID) recipients are not supported for this message.",
    details: "Business-scoped User ID (BSUID) recipients are not supported for this message.",
  },
  132000: {
    status: 400,
    title: "Number of parameters does not match the expected number of params",
    details: "The number of variable parameter values included in the request did not match the template.",
  },
  132001: {
    status: 404,
    title: "Template name does not exist in the translation",
    details: "The template does not exist in the specified language or the template has not been approved.",
  },
  132005: { status: 400, title: "Translated text too long", details: "Translated text is too long." },
  132007: {
    status: 400,
    title: "Template Format Character Policy Violated",
    details: "Template content violates a WhatsApp policy.",
  },
  132012: {
    status: 400,
    title: "Parameter format does not match format in the created template",
    details: "Variable parameter values formatted incorrectly.",
  },
  132015: {
    status: 400,
    title: "Template is paused",
    details: "Template is paused due to low quality so it cannot be sent in a template message.",
  },
  132016: {
    status: 400,
    title: "Template is disabled",
    details: "Template has been paused too many times due to low quality and is now permanently disabled.",
  },
  132018: {
    status: 400,
    title: "There was an issue with the parameters in your template",
    details: "There was an issue with the parameters in your template.",
  },
  133005: {
    status: 400,
    title: "Two step verification PIN Mismatch",
    details: "Two-step verification PIN incorrect.",
  },
  133010: { status: 400, title: "Account not registered", details: "The account is not registered." },
  133016: {
    status: 400,
    title: "Account register/deregister rate limit hit",
    details: "Too many attempts for this phone number in a short period of time.",
  },
};

/** The entry of a code; unknown codes get the nearest general error. */
export function errorText(code: number): ErrorText {
  const known = errorTexts[code];
  if (known) return known;
  if (code > 200 && code < 300) return errorTexts[200] ?? fallback;
  return fallback;
}

const fallback: ErrorText = { status: 400, title: "Something went wrong", details: "Something went wrong." };
