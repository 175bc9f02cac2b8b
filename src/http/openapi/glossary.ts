import type { JsonSchema } from "./json-schema.ts";

/**
 * Descriptions of fields for routes that give none. v2 and v3 spell the fields differently and mean the same, so each
 * is listed once, in camel case; as `parent.name` if the name has another meaning within a field or below a path.
 */
export const GLOSSARY: Readonly<Record<string, string>> = {
  data: "The result",
  meta: "Metadata of the response",
  "meta.timestamp": "Time of the response, Unix seconds",

  // channels
  channelId: "Id of the channel",
  transport: "Messenger of the channel",
  credentials:
    "The credentials that the messenger requires; empty if a person connects the channel by QR code or link",
  state: "Deprecated: use status and reason",
  "channels.status": "Whether the channel works",
  "channels.reason": "The reason for the status; null if there is none",
  "channels.phone": 'Phone number of the channel; "" if it has none',
  "channels.username": 'Username of the channel; "" if it has none',
  messengerId: "Id of the channel in the messenger",
  "channels.name": "Name of the channel",
  "channels.url": "Address of the channel, or the link that a person opens to connect it",
  tier: "WhatsApp Business Platform: how many conversations may be started in 24 hours",
  tariff: "Plan of the channel",
  twoFactorCode: "The password or code that the messenger requires",
  pairingPhone: "Phone number to connect, international, digits only",
  pairingCode:
    "Eight characters to enter on the phone; empty if the messenger sends a code there, which you submit with `auth/2fa`",

  // pacing of a channel
  limits: "The limits in effect",
  perMinute: "Messages of the channel per minute",
  burst: "How many may be sent in a row",
  chatPerMinute: "Messages of one chat per minute",
  chatBurst: "How many may be sent in a row",
  jitterMs: "Maximum random delay before a message, in milliseconds",
  firstContactsPerDay: "First contacts in 24 hours once the warm-up is over; null: no limit",
  warmUpDays: "Days in which the allowance of a new channel grows; 0: the full allowance immediately",
  changed: "Limits that differ from the messenger's defaults",
  firstContacts: "Messages to people who have never written to the channel",
  "firstContacts.allowance": "Allowed in 24 hours, at the present state of the warm-up; null: no limit",
  "firstContacts.left": "How many remain",
  nextAt: "When the next one may be sent; null: immediately, or not at all",
  heldUntil: "End of the pause of first contacts after the messenger's warning; null: there is none",
  holdReason: "The messenger's warning",
  queue: "Messages waiting to be sent",
  "queue.messages": "Number of messages",
  "queue.chats": "Number of chats",
  oldestAt: "Since when the oldest one has been waiting",
  nextSendAt: "When the next message is sent; null: none is waiting, or unknown",
  waiting: "The waiting chats by reason",
  "waiting.for":
    "turn: about to be sent; inactive: the channel is not active; pause: the messenger asked to wait; pace: the rate; allowance: that of first contacts; hold: the messenger's warning; retry: the next attempt",
  "waiting.chats": "Number of chats",
  "waiting.until": "When the first of them continues; null: unknown",

  // CRM
  "contacts.id": "Id in the CRM",
  "contacts.name": "Name of the contact",
  "deals.id": "Id in the CRM",
  "deals.name": "Name of the deal",
  "users.id": "Id in the CRM",
  "users.name": "Name of the employee",
  "users.phone": "Phone number, international, digits only; invalid ones are omitted",
  "pipelines.id": "Id in the CRM",
  "pipelines.name": "Name of the pipeline",
  stages: "Stages of the pipeline, in order",
  "stages.id": "Id in the CRM",
  "stages.name": "Name of the stage",
  responsibleUserId: "Id of the responsible employee",
  contactData: "Chats of the contact",
  chatType: "Kind of chat",
  chatId:
    "The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram",
  username: "Username without the @",
  phone: "International, digits only",
  uri: "Address of the entity in the CRM",
  contacts: "The contacts",
  deals: "The deals",
  "deals.contacts": "Ids of the deal's contacts",
  users: "The employees",
  pipelines: "The pipelines; they replace all existing ones",
  closed: "true: the deal is closed; default false",
  processed: "How many were stored, changed or deleted",
  notFound: "Ids that do not exist",
  pipelinesCreated: "Number of pipelines",
  stagesCreated: "Number of their stages",
  count: "The total number",
  offset: "How many to skip; default 0",
  counter: "Number of unanswered messages",
  counterV2: "Number of unanswered messages",
  "counters.type": "red: of the employee's own clients; grey: of others; null: none",
  "unanswered.type": "red: of the employee's own clients; grey: of others; null: none",
  lastMsgDateTime: "Time of the newest of them",
  accountId: "Eight digits",
  cleared: "true",

  // webhooks
  webhooksUri:
    'Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200',
  crmKey:
    'Sent to the receiver as Authorization: Bearer; "" for none. It is bound to the origin of webhooksUri: if that changes, set the key again',
  subscriptions: "The events that are sent there; omitted ones keep their value",
  messagesAndStatuses: "New messages, and status changes of outgoing messages",
  contactsAndDealsCreation: "Requests to create contacts and deals",
  channelsUpdates: "Status changes of channels",
  templateStatus: "Moderation of templates of the WhatsApp Business Platform",
  reactions: "Reactions to messages; off unless it is switched on",
  wabaTemplatesStatus: "Alias of templateStatus",
  templateStatuses: "Alias of templateStatus",
  "webhooks.id": "Id of the subscription",
  event: "The event that is sent there",
  receiverId: "The receiver; default: the account's v3 address",
  version: "v3: the account's only address; v2: an address of subscriptions to single events",
  "webhooks.url": 'The receiver\'s address, at most 200 characters; "" after it was removed',
  kinds: "Kinds of events",
  pausedAt: "Since when the receiver has been paused",
  pauseReason: "failing: it has accepted nothing for long; asked: by request",
  failingSince: "Since when it has accepted nothing",
  failures: "Failed requests since then",
  lastSuccessAt: "Time of the last accepted request",
  queued:
    "Events waiting for it, among the first thousand of the account after its position; there may be more behind these",
  parked: "Events that it rejected until the end of their retry schedule",
  maxItems: "Maximum events per request; 0: the installation's setting",
  concurrency: "Concurrent requests",
  notices: "Notices about it, newest first",
  at: "Time",
  "notices.kind": "Kind of notice",
  "notices.text": "Text for people",
  secret: "Key for verifying signatures (Standard Webhooks)",
  previousUntil: "Until when the previous secret signs too",
  "webhooks.kind": "Kind of event",
  ok: "Whether the receiver accepted it",
  "webhooks.status": "HTTP status of the response; null if there was none",
  failure: "Why there was no response",
  durationMs: "Duration in milliseconds",
  "deliveries.id": "Number of the request in the log",
  channelIds: "Channels that the events are about",
  items: "Number of events",
  result: "delivered, refused or failed",
  eventId: "Number of the event",
  eventIds: "Numbers of the events",
  body: "The request body",
  sentHeaders: "Request headers, without secrets",
  receivedHeaders: "Response headers",
  answer: "The start of the response body",
  next: "Cursor of the next page; null if there is none",
  limit: "Entries per page, 1 to 1000; default 100",
  from: "Start of the period",
  to: "End of the period",
  deliveryIds: "Numbers of requests in the log",
  deliveryId: "The request's webhook-id",
  happenedAt: "Time of the event",
  parkedAt: "When it was parked",
  "webhooks.reason": "Reason",
  item: "The event as it would be sent",
  replayId: "Id of the replay",
  "replay.id": "Id of the replay",
  requestedAt: "Time of the request",
  finishedAt: "Time of its end; null while it runs",
  total: "Number of requests to replay",
  delivered: "How many were accepted",
  failed: "How many were not",
  "replay.failures": "The requests that were not accepted",
  "failures.status": "HTTP status of the response; null if there was none",

  // accounts
  account: "The client account",
  "accounts.name": "Name of the client",
  "account.name": "Name of the client",
  lang: "ISO 639-1, two letters",
  currency: "ISO 4217, three letters",
  country: "ISO 3166-1, two letters",
  timezone: "Hours from UTC",
  grantType: "The grant; its data object is required",
  clientCredentialsData: "For client_credentials: a machine token of the partner",
  tokenExchangeData: "For token exchange: the token of a client account",
  refreshTokenData: "For refresh_token",
  authorizeCodeData: "For authorization_code",
  scope: "transport, crm or both",
  subjectToken: "The machine token",
  subjectTokenType: "Kind of the machine token",
  requestedSubject: "account_id of the client",
  refreshToken: "Valid once for new tokens; a second use revokes the whole grant",
  clientId: "Id of the application",
  code: "The code from the redirect",
  redirectUri: "The address of the authorisation request",
  codeVerifier: "PKCE: the verifier of code_challenge",
  accessToken: "For requests, as Authorization: Bearer",
  tokenType: "Bearer",
  token: "An access or refresh token",

  // templates
  "templates.name": "Name at the platform",
  title: "Name for people",
  category: "MARKETING, UTILITY or AUTHENTICATION",
  language: "Language, such as en or pt_BR",
  components: "Components of the template as defined by the platform",
  channels: "Ids of the channels that can send it",

  // exports
  startAt: "Start of the period, ISO 8601",
  endAt: "End of the period, ISO 8601",
  exportId: "Id of the export",
  "messagesDump.status": "pending, processing, done or webhook_failed",
  "messagesDump.url": "Link to the CSV file; null until it is ready",
  "messagesDump.channelId": "Only messages of this channel",

  // operations
  "healthz.status": "ok",
  ready: "Whether this node can serve",
  checks: "The dependencies: true, or the problem",
};

/** The same schema with a description for every field without its own. `context` is a field or part of a path. */
export function withDescriptions(schema: JsonSchema, context: readonly string[]): JsonSchema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: describedFields(properties, context) }),
    ...(items === undefined ? {} : { items: withDescriptions(items, context) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((each) => withDescriptions(each, context)) }),
  };
}

function describedFields(
  properties: Readonly<Record<string, JsonSchema>>,
  context: readonly string[],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const described = { ...field, ...descriptionOf(name, field, context) };
      return [name, withDescriptions(described, name === "data" ? context : [name, ...context])];
    }),
  );
}

/** The nearest context takes precedence. */
export function descriptionOf(
  name: string,
  { description }: JsonSchema,
  context: readonly string[],
): { description?: string } {
  if (description !== undefined) return { description };
  const keys = [...context.map((around) => `${camelCase(around)}.${camelCase(name)}`), camelCase(name)];
  const found = keys.find((key) => key in GLOSSARY);
  return found === undefined ? {} : { description: GLOSSARY[found] ?? "" };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
