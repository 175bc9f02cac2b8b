import type { JsonSchema } from "./json-schema.ts";

/**
 * What fields mean wherever a route does not say more. v2 and v3 spell them differently and mean the same, so that
 * each is here once, in camel case; `parent.name` where a name means something else within another field, or below
 * a path.
 */
export const GLOSSARY: Readonly<Record<string, string>> = {
  data: "The result",
  meta: "About the answer",
  "meta.timestamp": "When it was answered, Unix seconds",

  // channels
  channelId: "Id of the channel",
  transport: "Messenger of the channel",
  credentials: "What the messenger asks for; empty where a person connects the channel by QR code or link",
  state: "Deprecated: use status and reason",
  "channels.status": "Whether the channel works",
  "channels.reason": "Why it has this status; null when there is nothing to tell",
  "channels.phone": 'Phone number of the channel; "" when it has none',
  "channels.username": 'Username of the channel; "" when it has none',
  messengerId: "Id of the channel in the messenger",
  "channels.name": "Name of the channel",
  "channels.url": "Address of the channel, or the link that a person follows to connect it",
  tier: "Business API: how many conversations may be started in 24 hours",
  tariff: "Plan of the channel",
  twoFactorCode: "The password that the messenger asks for",
  pairingPhone: "Phone number to connect, international, digits only",
  pairingCode:
    "Eight characters to type on the phone; empty where the messenger sends a code there, which `auth/2fa` takes",

  // pacing of a channel
  limits: "What it keeps to now",
  perMinute: "Messages of the channel a minute",
  burst: "How many of them may leave in a row",
  chatPerMinute: "Messages of one chat a minute",
  chatBurst: "How many of them may leave in a row",
  jitterMs: "Longest random pause before a message, in milliseconds",
  firstContactsPerDay:
    "Messages to people who never wrote, in 24 hours, once the channel is not new any more; null: no limit",
  warmUpDays: "So many days the allowance of a new channel grows; 0: it is whole at once",
  changed: "Limits that were set and are not the messenger's own",
  firstContacts: "Messages to people who never wrote",
  "firstContacts.allowance": "How many in 24 hours, as far as the channel has warmed up; null: no limit",
  "firstContacts.left": "How many of them are left",
  nextAt: "When the next one may leave; null: at once, or not at all",
  heldUntil: "Until when the messenger's warning holds them; null: it does not",
  holdReason: "What the messenger said",
  queue: "What waits to be sent",
  "queue.messages": "How many messages",
  "queue.chats": "Of how many chats",
  oldestAt: "Since when the oldest of them waits",
  nextSendAt: "When the next message leaves; null: nothing waits, or nobody knows",
  waiting: "The chats by what their first message waits for",
  "waiting.for":
    "turn: nothing; inactive: the channel; pause: the messenger asked to wait; pace: the rate; allowance: that of first contacts; hold: the messenger warned; retry: the next attempt",
  "waiting.chats": "How many chats",
  "waiting.until": "When the first of them goes on; null: nobody knows",

  // CRM
  "contacts.id": "Id in the CRM",
  "contacts.name": "Name of the contact",
  "deals.id": "Id in the CRM",
  "deals.name": "Name of the deal",
  "users.id": "Id in the CRM",
  "users.name": "Name of the employee",
  "users.phone": "Phone number, international, digits only; one that cannot be one is left out",
  "pipelines.id": "Id in the CRM",
  "pipelines.name": "Name of the sales funnel",
  stages: "Stages of the funnel, in their order",
  "stages.id": "Id in the CRM",
  "stages.name": "Name of the stage",
  responsibleUserId: "Id of the employee who is responsible",
  contactData: "Chats of the contact",
  chatType: "Kind of chat",
  chatId:
    "The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram",
  username: "Username without the @",
  phone: "International, digits only",
  uri: "Address of the card in the CRM",
  contacts: "The contacts",
  deals: "The deals",
  "deals.contacts": "Ids of the deal's contacts",
  users: "The employees",
  pipelines: "The sales funnels; they take the place of all that were there",
  closed: "true: nothing more is to be done for it; default false",
  processed: "How many were stored, changed or removed",
  notFound: "Ids of those that were not there",
  pipelinesCreated: "How many sales funnels there are now",
  stagesCreated: "How many stages they have together",
  count: "How many there are in all",
  offset: "How many to leave out from the beginning; default 0",
  counter: "How many messages wait",
  counterV2: "How many messages wait",
  "counters.type": "red: of the employee's own clients; grey: of others; null: none",
  "unanswered.type": "red: of the employee's own clients; grey: of others; null: none",
  lastMsgDateTime: "When the latest of them was written",
  accountId: "Eight digits",
  cleared: "true",

  // webhooks
  webhooksUri:
    'Where webhooks go, at most 200 characters; "" for nowhere. A new address must answer a test POST with 200',
  crmKey:
    'Sent to the receiver as Authorization: Bearer; "" for none. It belongs to the origin of webhooksUri: when that changes, give the key again',
  subscriptions: "What is sent there; what is left out stays as it is",
  messagesAndStatuses: "New messages, and changes of outgoing messages' statuses",
  contactsAndDealsCreation: "Requests to create contacts and deals",
  channelsUpdates: "Changes of channels' statuses",
  templateStatus: "Moderation of templates of the business API",
  wabaTemplatesStatus: "Another name of templateStatus",
  templateStatuses: "Another name of templateStatus",
  "webhooks.id": "Id of the subscription",
  event: "Event that is sent there",
  receiverId: "Receiver of webhooks; without it the account's v3 address",
  version: "v3: the account's one address; v2: an address of subscriptions to single events",
  "webhooks.url": 'The receiver\'s address, at most 200 characters; "" once it was removed',
  kinds: "Kinds of events",
  pausedAt: "Since when nothing is sent to it",
  pauseReason: "failing: nothing got through for long; asked: by request",
  failingSince: "Since when nothing has got through",
  failures: "Failed requests since then",
  lastSuccessAt: "When a request got through last",
  queued: "Events that wait for it",
  parked: "Events that it refused until their schedule was over",
  maxItems: "Most events in one request; 0: as the installation's setting says",
  concurrency: "Requests under way at a time",
  notices: "What happened to it, newest first",
  at: "When",
  "notices.kind": "What happened",
  "notices.text": "The same for people",
  secret: "What the signatures are verified with (Standard Webhooks)",
  previousUntil: "Until when the secret before it signs too",
  "webhooks.kind": "Kind of event",
  ok: "Whether the receiver took it",
  "webhooks.status": "HTTP status that it answered; null when no answer came",
  failure: "Why no answer came",
  durationMs: "How long it took, in milliseconds",
  "deliveries.id": "Number of the request in the log",
  channelIds: "Channels that the events are about",
  items: "How many events it carried",
  result: "delivered, refused or failed",
  eventId: "Number of the event",
  eventIds: "Numbers of the events",
  body: "What was sent",
  sentHeaders: "Headers that were sent, secrets left out",
  receivedHeaders: "Headers of the answer",
  answer: "The answer's beginning",
  next: "cursor of the next page; null when there is none",
  limit: "Entries of a page, 1 to 1000; default 100",
  from: "From then on",
  to: "Up to then",
  deliveryIds: "Numbers of requests in the log",
  deliveryId: "The request's webhook-id",
  happenedAt: "When it happened",
  parkedAt: "When it was given up",
  "webhooks.reason": "Why",
  item: "The event as it would be sent",
  replayId: "Id of the replay",
  "replay.id": "Id of the replay",
  requestedAt: "When it was asked for",
  finishedAt: "When it ended; null while it runs",
  total: "Requests to repeat",
  delivered: "How many got through",
  failed: "How many did not",
  "replay.failures": "Those that did not get through",
  "failures.status": "HTTP status that was answered; null when no answer came",

  // accounts
  account: "The client account",
  "accounts.name": "Name of the client",
  "account.name": "Name of the client",
  lang: "Language, two letters",
  currency: "Three letters",
  country: "Two letters",
  timezone: "Hours from UTC",
  grantType: "What the tokens are asked with; the object of its data is required",
  clientCredentialsData: "For client_credentials: a machine token of the partner",
  tokenExchangeData: "For token exchange: the token of a client account",
  refreshTokenData: "For refresh_token",
  authorizeCodeData: "For authorization_code",
  scope: "transport, crm or both",
  subjectToken: "The machine token",
  subjectTokenType: "Kind of the machine token",
  requestedSubject: "account_id of the client",
  refreshToken: "Gives new tokens once; used twice, it ends all of its kind",
  clientId: "Id of the application",
  code: "The code that came to redirect_uri",
  redirectUri: "The one that the code was asked with",
  codeVerifier: "PKCE: what code_challenge was made of",
  accessToken: "For requests, as Authorization: Bearer",
  tokenType: "Bearer",
  token: "An access or refresh token",

  // templates
  "templates.name": "Name at the platform",
  title: "Name for people",
  category: "MARKETING, UTILITY or AUTHENTICATION",
  language: "Language, such as en or pt_BR",
  components: "Parts of the template as the platform defines them",
  channels: "Ids of the channels that can send it",

  // exports
  startAt: "Messages from then on, ISO 8601",
  endAt: "Messages up to then, ISO 8601",
  exportId: "Id of the export",
  "messagesDump.status": "pending, processing, done or webhook_failed",
  "messagesDump.url": "Link to the CSV file; null until it is ready",
  "messagesDump.channelId": "Only messages of this channel",

  // operations
  "healthz.status": "ok",
  ready: "Whether this node can serve",
  checks: "What it depends on: true, or what is wrong",
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
