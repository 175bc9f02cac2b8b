import type { Chapter } from "./rule.ts";

const MANNERS = "test/api/interface/manners.test.ts";
const SEND = "test/api/message/send-message.test.ts";
const V3 = "test/api/message/v3-message.test.ts";
const CHANGE = "test/api/message/change-message.test.ts";
const ERRORS = "test/system/message-errors.test.ts";
const ENTITIES = "test/api/crm/crm-entities.test.ts";
const CRM_V2 = "test/api/crm/crm-v2.test.ts";
const LINKS = "test/api/page/iframe-links.test.ts";
const SUBSCRIPTIONS = "test/api/webhook/webhook-subscriptions.test.ts";
const SETTINGS = "test/api/webhook/webhook-settings.test.ts";
const DELIVERY = "test/api/webhook/webhook-delivery.test.ts";
const WEBHOOKS = "test/system/webhooks.test.ts";
const PAYLOADS = "src/core/payload/payloads.test.ts";
const STATUS = "src/core/channel-status.test.ts";
const OAUTH = "test/api/access/oauth-token.test.ts";
const LOGIN = "test/api/channel/login.test.ts";

/** What the interface's document leaves open, as it was decided; the numbers are those of the decisions. */
export const DECISION_RULES: readonly Chapter[] = [
  {
    title: "HTTP behaviour",
    rules: [
      { id: "D1", says: "a trailing slash makes no difference", proof: { [MANNERS]: ["GET %s: %i"] } },
      {
        id: "D2",
        says: "bodies of GET and DELETE are ignored; an empty JSON body is accepted if nothing is required",
        proof: {
          [MANNERS]: [
            "GET ignores %.12s",
            "DELETE ignores a body of type %j",
            "an empty JSON body is accepted if nothing is required",
          ],
        },
      },
      {
        id: "D3",
        says: "null in an optional field means absent",
        proof: {
          [MANNERS]: ["null in an optional field means absent, at every depth"],
          [SEND]: ["an unknown field that is null"],
        },
      },
      {
        id: "D4",
        says: "unknown query parameters are ignored, as are unknown body fields on v3; on v2, unknown body fields, also within keyboards, return a 400 that names them",
        proof: {
          [MANNERS]: ["v2 names unknown fields, v3 ignores them"],
          [SEND]: [
            "an unknown field",
            "an unknown field of a keyboard",
            "an unknown field of a button",
            "unknown fields of buttons in rows",
          ],
          [V3]: ["unknown fields are ignored", "unknown fields of buttons are ignored"],
        },
      },
      {
        id: "D5",
        says: "types are not coerced; all invalid fields are reported at once",
        proof: {
          [MANNERS]: ["types are not coerced, and one response names every error"],
          [V3]: ["every faulty field is named"],
        },
      },
      {
        id: "D6",
        says: "X-Request-Id is in every response, Retry-After in every 429, the counter in every authenticated response",
        proof: {
          [MANNERS]: ["every answer has a request id"],
          "test/api/access/rate-limit.test.ts": [
            "every authenticated answer carries the counter, errors too",
            "the refusal has Retry-After; accounts do not share a counter",
          ],
        },
      },
      {
        id: "D7",
        says: "Idempotency-Key: the same response without a second effect; another body returns 409; invalid requests are not stored",
        proof: {
          "test/api/interface/idempotency.test.ts": [
            "the same key and body: the same response, one message",
            "the same key and another body",
            "an invalid request leaves nothing behind, wherever the error is found",
            "an invalid keyboard leaves nothing behind",
            "a node that died after the effect: it is not done twice",
            "after a day a key can be reused",
          ],
        },
      },
      {
        id: "D8",
        says: "the rate limit is exact over all nodes",
        proof: {
          "test/api/access/rate-limit.test.ts": [
            "1,001 requests at once over two nodes: exactly one is refused",
            "the limit is checked before the body, and restarts with the next minute",
          ],
        },
      },
    ],
  },
  {
    title: "Tokens and errors",
    rules: [
      {
        id: "D9",
        says: "kinds of credentials; crmUserId of a sidecar key is ignored",
        proof: {
          "test/api/access/auth.test.ts": [
            "a sidecar key opens four families of /v3, and is forbidden the others",
          ],
          [V3]: ["a sidecar key sends, without an author"],
          "test/api/access/partner-accounts.test.ts": ["gives access only to accounts and tokens"],
          "test/system/cli.test.ts": ["an account comes with its tokens, and more can be issued and revoked"],
        },
      },
      {
        id: "D10",
        says: "POST /v2/oauth/token with four grants; refresh tokens work once; the consent page",
        proof: {
          [OAUTH]: [
            "is the same for all four grants, and must not be cached",
            "works once; the next token has the same account and scope",
            "a reused token ends its whole family, and no other",
            "the plain method of PKCE does not pass for S256",
          ],
          "test/api/access/oauth-authorize.test.ts": ["scopes that were not requested are not granted"],
        },
      },
      {
        id: "D11",
        says: "accounts of a partner's clients",
        proof: {
          "test/api/access/partner-accounts.test.ts": [
            "are created with an id of eight digits, and shown to their partner",
          ],
        },
      },
      {
        id: "D12",
        says: "format of errors; message routes add status and requestId; an object of another account is reported as missing",
        proof: {
          [MANNERS]: ["errors of message routes carry status and the request's id"],
          "test/api/access/tenants.test.ts": ["a cached channel is not another account's either"],
          [V3]: ["refusals have status and requestId, and the interface's texts"],
        },
      },
      {
        id: "D13",
        says: "MESSAGE_ONLY_TEXT_OR_CONTENT with the interface's sentence; MESSAGE_NOTHING_TO_SEND",
        proof: {
          [SEND]: ["text and file", "nothing", "refusals have the interface's texts"],
          [V3]: ["text and file", "nothing"],
          [CHANGE]: ["with text and file", "with nothing"],
        },
      },
      {
        id: "D14",
        says: "WRONG_TRANSPORT with its sentence and data",
        proof: {
          [SEND]: ["refusals have the interface's texts"],
          [V3]: ["refusals have status and requestId, and the interface's texts"],
        },
      },
      {
        id: "D15",
        says: "v2 reports by webhook that a text is too long, a file too big or a channel rejected; v3 refuses such requests",
        proof: {
          [SEND]: ["over-long text is reported by webhook", "a rejected channel reports it by webhook"],
          [ERRORS]: [
            "a text above the messenger's limit",
            "a file whose host says that it is above 50 MB",
            "a message through a rejected channel: CHANNEL_REJECTED",
            "a result that is known in advance causes no request",
          ],
          [V3]: ["a text one longer", "above 50 MB is refused", "a rejected channel"],
        },
      },
      {
        id: "D16",
        says: "CHANNEL_BLOCKED, CHANNEL_NO_MONEY, MESSAGE_CHANNEL_UNAVAILABLE on both versions",
        proof: {
          [SEND]: ["an unpaid channel", "a blocked channel", "an unauthorized channel"],
          [V3]: ["an unpaid channel", "a blocked channel", "an unauthorized channel"],
        },
      },
      {
        id: "D17",
        says: "QR_EXPIRED, PASSWORD_NOT_EXPECTED, WRONG_PASSWORD",
        proof: { [LOGIN]: ["without a QR code there is no pairing code", "none is expected", "%j: %s"] },
      },
    ],
  },
  {
    title: "Values",
    rules: [
      {
        id: "D18",
        says: "chat types by transport",
        proof: {
          [SEND]: [
            "a group's chat type",
            "a group where there are none",
            "another transport's chat type",
            "an unknown chat type",
          ],
        },
      },
      {
        id: "D19",
        says: "a chat survives a change of its id; people have several identifiers",
        proof: {
          "test/api/channel/app-callback.test.ts": [
            "keeps the chat",
            "a person already known by the new id has two chats",
          ],
          "src/transports/telegram/session.test.ts": [
            "follows a group's migration to a supergroup, and reports it",
          ],
        },
      },
      {
        id: "D20",
        says: "types of buttons; a flat list is one button per row",
        proof: {
          "src/core/message/keyboard.test.ts": [
            "a flat list as one button per row",
            "rows",
            "buttons of every type",
          ],
        },
      },
      {
        id: "D21",
        says: "editing and deleting depend on the transport's capabilities and time limits; messages with buttons cannot be edited",
        proof: {
          [CHANGE]: [
            "where nothing can be edited",
            "a file where texts only can be edited",
            "where nothing can be deleted",
            "16 minutes later",
            "a message with buttons",
            "49 hours later",
          ],
          "src/core/message/change-rules.test.ts": ["beyond it", "beyond it, just delivered"],
        },
      },
      {
        id: "D22",
        says: "formats of times",
        proof: {
          [MANNERS]: ["the envelope's timestamp is in Unix seconds"],
          [PAYLOADS]: ["message-inbound", "channel-active"],
        },
      },
      { id: "D23", says: "every status has its deprecated state", proof: { [STATUS]: ["state of %s"] } },
      {
        id: "D24",
        says: "tiers",
        proof: {
          "test/api/channel/app-callback.test.ts": ["a changed tier is published"],
          [PAYLOADS]: ["a change of the tier"],
        },
      },
      {
        id: "D25",
        says: "quotedMessage and interactive",
        proof: {
          [PAYLOADS]: ["message-quoting", "message-quoting-full", "message-pressed"],
          "src/core/message/load-facts.test.ts": [
            "the button that was pressed",
            "nothing once the quoted message is deleted",
          ],
        },
      },
      {
        id: "D26",
        says: "inbound files have a link of the service, with range requests; outbound links must be public; size and sha1 are verified",
        proof: {
          "test/api/message/files.test.ts": [
            "the link opens the file, with or without the name",
            "range %s: %i",
          ],
          [SEND]: ["a private address", "no web address"],
          [ERRORS]: ["another hash than announced", "another size than announced"],
        },
      },
    ],
  },
  {
    title: "Webhooks",
    rules: [
      {
        id: "D27",
        says: "Content-Type that receivers understand",
        proof: { "test/api/webhook/webhook-frameworks.test.ts": ["%s gets a parsed body"] },
      },
      {
        id: "D28",
        says: "PATCH /v3/webhooks: ok, crmKey, three names for one switch; omitted fields stay unchanged; a failed test changes nothing",
        proof: {
          [SETTINGS]: [
            "%s is one switch",
            "omitted keys keep their values; an empty address removes it",
            "an empty key removes the key, which is otherwise kept",
            "a receiver that answers %i changes nothing",
          ],
        },
      },
      {
        id: "D29",
        says: "/v2/webhooks",
        proof: {
          [SUBSCRIPTIONS]: [
            "subscriptions are listed as they were made",
            "addresses and events change; omitted fields stay",
            "DELETE accepts ids, also as objects, and refuses the whole request",
            "each address gets its events, and one address several in order",
          ],
          "test/api/message/group-news.test.ts": [
            "a change is published once, completely, and in order with the chat's messages",
            "members: a change reported in two ways is published once",
          ],
        },
      },
      {
        id: "D30",
        says: "v3 gets the events for connecting channels while there is no v2 subscription to them",
        proof: {
          [SUBSCRIPTIONS]: [
            "v3 gets the events for connecting channels only while there is no subscription to them",
          ],
          "src/core/delivery/receiver/kinds.test.ts": ["exports come whenever there is an address"],
        },
      },
      {
        id: "D31",
        says: "bodies of the v2 events",
        proof: {
          [PAYLOADS]: [
            "v2-message-group",
            "v2-message-deleted",
            "group-renamed",
            "group-members",
            "statuses of v2",
            "channel.create",
            "export-done",
          ],
          [SUBSCRIPTIONS]: ["the statuses of our message are published in both versions"],
        },
      },
      {
        id: "D32",
        says: "order per chat; many items per request; at least once under the same id",
        proof: {
          [WEBHOOKS]: [
            "a receiver that was unavailable gets everything in order when it is back",
            "after a crash during a delivery, its repetition has the same id and the same bytes",
          ],
          [DELIVERY]: ["several requests at a time keep the order of each chat, also through failures"],
        },
      },
      {
        id: "D33",
        says: "retried for three days; Retry-After is honoured; refused items are parked and can be replayed; other chats continue; a failing receiver is paused after notices",
        proof: {
          [WEBHOOKS]: [
            "Retry-After is honoured",
            "an item that is always refused delays only its own chat, and is finally parked",
          ],
          [DELIVERY]: [
            "causes notices, is paused in the end, and gets everything in order when it is resumed",
            "can be replayed, which removes it from the list; the attempt does not affect its health",
            "a period: each accepted delivery, once, in order",
          ],
          "src/core/delivery/request/policy.test.ts": ["at its end"],
        },
      },
      {
        id: "D34",
        says: "signatures of Standard Webhooks",
        proof: {
          "test/api/webhook/webhook-frameworks.test.ts": [
            "the Standard Webhooks library verifies deliveries with the displayed secret",
          ],
        },
      },
      {
        id: "D35",
        says: "redirects are not followed; private addresses are refused",
        proof: {
          [WEBHOOKS]: [
            "a redirect is a response like any other and is not followed",
            "private addresses are refused unless the operator allows them, also for events queued before",
          ],
        },
      },
    ],
  },
  {
    title: "Beyond the interface's document",
    rules: [
      {
        id: "D36",
        says: "POST /v3/message with every field returns 201; crmMessageId is accepted once within 60 seconds over all nodes; PATCH and DELETE",
        proof: {
          [V3]: [
            "the response and the stored message",
            "a flat list of buttons",
            "a wapi button without payload",
            "a username on telegram",
            "a template is sent with its values and payloads, as on v2",
            "the same crmMessageId within 60 seconds is refused, whichever chat and node",
            "of many at once on two nodes one is accepted",
            "Idempotency-Key: the same response again, also with a crmMessageId",
          ],
          [CHANGE]: ["editing on v3 %s: %s", "deleting on v3 %s: %s"],
          "test/system/flow.test.ts": ["the same on v3"],
        },
      },
      {
        id: "D37",
        says: "GET /v3/channels as a flat array",
        proof: { [V3]: ["GET /v3/channels lists the account's channels as a flat array"] },
      },
      {
        id: "D38",
        says: "/v3/users",
        proof: {
          [ENTITIES]: [
            "are stored, found, changed and removed",
            "an invalid phone is omitted, for that user only",
          ],
        },
      },
      {
        id: "D39",
        says: "/v3/contacts and /v3/deals",
        proof: {
          [ENTITIES]: [
            "one invalid entity, and nothing is stored",
            "several invalid contacts are reported at once, and the error is not stored for the key",
            "%s are listed in pages of 100, by id",
            "numbers are accepted as ids, and a deal is open by default",
          ],
        },
      },
      {
        id: "D40",
        says: "POST /v3/pipelines replaces all pipelines",
        proof: { [ENTITIES]: ["replace the existing ones, in their order"] },
      },
      {
        id: "D41",
        says: "POST /v3/iframe",
        proof: {
          [LINKS]: [
            "the whole window; a filter, and what is not known, is ignored",
            "is closed to sidecars, and no way to another account's channel",
          ],
        },
      },
      {
        id: "D42",
        says: "GET /v3/unanswered/{userId}",
        proof: {
          "test/api/crm/unanswered.test.ts": [
            "a contact's messages count for the responsible employee, however the chat is identified",
            "only messages of the last 7 days",
          ],
        },
      },
      {
        id: "D43",
        says: "GET /v3/templates/whatsapp",
        proof: {
          "test/api/message/templates.test.ts": [
            "the list is stored unchanged, and not published the first time",
            "pages of the account's own, by name and language",
          ],
        },
      },
      {
        id: "D44",
        says: "the v2 counterparts of the routes above",
        proof: {
          [CRM_V2]: ["are stored, found, listed, changed and removed", "entities stored on v3 are the same"],
          "test/api/crm/unanswered.test.ts": [
            "v2 shows the same counter",
            "DELETE /v2/chats/unanswered, for the whole account and no other",
          ],
          "test/api/message/templates.test.ts": ["create, change, remove"],
        },
      },
      {
        id: "D45",
        says: "POST /v2/iframe-links/channels",
        proof: {
          [LINKS]: [
            "for a channel: its transport follows from it",
            "not for another account's channel, nor for another transport than the channel's",
          ],
        },
      },
      {
        id: "D46",
        says: "POST /v2/iframe-links/chats",
        proof: { [LINKS]: ["a card, with all fields", "no chat of another account's channel"] },
      },
      {
        id: "D47",
        says: "columns of the CSV file",
        proof: {
          "test/api/message/exports.test.ts": [
            "has all columns, a byte order mark and CR LF, byte for byte",
            "has the text %j as %j, and every other cell of a person's likewise",
          ],
        },
      },
    ],
  },
  {
    title: "Life cycle of a channel and of a message",
    rules: [
      {
        id: "openelsewhere",
        says: "a messenger account stays with the channel that linked it first; a later one changes nothing at the messenger",
        proof: {
          "test/api/channel/contested-accounts.test.ts": [
            "the later account changes nothing at the messenger: connected, started anew, deleted",
            "of two that connect it at once, one has it, and the other changes nothing",
          ],
          "test/api/channel/link-state.test.ts": ["the earlier owner of a messenger account keeps it"],
        },
      },
      {
        id: "foreignphone",
        says: "linking another phone disables the channel and keeps its data",
        proof: {
          "test/api/channel/link-state.test.ts": [
            "another phone disables the channel and leaves its profile unchanged",
          ],
        },
      },
      {
        id: "unpaid",
        says: "an unpaid channel stays unpaid until the operator changes it; its reinit is refused; reinit of any other channel leads to init",
        proof: {
          "test/system/channel-payment.test.ts": [
            "an unpaid channel sends nothing and cannot be restarted by its client; a paid one continues",
          ],
          [STATUS]: ["an unpaid channel (%s) stays so whatever happens, and starts again when paid"],
          "test/api/channel/channels.test.ts": [
            "reinit of a channel that the operator marked as unpaid changes nothing",
          ],
        },
      },
      {
        id: "short-loss",
        says: "a short reconnect does not change the status",
        proof: {
          "src/transports/telegram/telegram.e2e.test.ts": [
            "reconnects after an outage, with every message once",
          ],
        },
      },
      {
        id: "revoked",
        says: "a revoked token disables the channel",
        proof: { "src/transports/telegram/telegram.e2e.test.ts": ["is disabled when the token is revoked"] },
      },
      {
        id: "statuses-rise",
        says: "statuses never go back; error is final",
        proof: {
          "src/core/content.test.ts": [
            "ends at the highest receipt and never falls",
            "an error ends the message, and is possible only before delivery",
          ],
        },
      },
      {
        id: "never-twice",
        says: "a message is never sent twice and never silently lost, whatever process is killed",
        proof: {
          "test/system/crash.test.ts": [
            "$rounds × kill -9 under load lose nothing and send nothing twice, with $where",
          ],
          "test/system/nodes.test.ts": [
            "a node that is stopped under load loses its channels within its lease and sends nothing twice after it",
          ],
        },
      },
    ],
  },
  {
    title: "Settled later",
    rules: [
      {
        id: "D48",
        says: "GET /v2/accounts/{id}?expand: billing, channels and subscriptions; unknown names are ignored",
        proof: {
          "test/api/access/partner-accounts.test.ts": [
            "as it is: its channels as /v2/channels shows them, and which of them are paid",
            "only to its partner",
          ],
        },
      },
      {
        id: "D49",
        says: "every id that the service returns is accepted wherever the interface takes such an id",
        proof: {
          "src/core/chat/names.test.ts": ["an id that the service returned is unchanged: %s %s"],
          "test/api/crm/client-creation-v2.test.ts": [
            "a CRM that echoes the request creates one contact and one deal of %s",
          ],
          "test/api/crm/client-creation.test.ts": [
            "an employee's id of the greatest length is accepted back in the answers and in uploads",
          ],
          [SEND]: ["a hidden person", "somebody known to a business only"],
        },
      },
      {
        id: "D50",
        says: "chat ids that are phone numbers are accepted in every spelling, and one person is one chat",
        proof: {
          [SEND]: ["one person is one chat, however the id is spelled", "a number too short", "no number"],
          [ENTITIES]: ["names of chats are normalised, however the CRM spells them"],
        },
      },
      {
        id: "D51",
        says: "the time of a status is the time when it was received, and never decreases; sent is never omitted",
        proof: {
          "test/api/channel/app-callback.test.ts": [
            "`sent` is published even if a later status arrives first",
            "times of statuses are when we learned of them, and never decrease",
          ],
        },
      },
      {
        id: "D52",
        says: "ids of the CRM's entities may be integers, and are stored as their digits",
        proof: {
          "test/api/crm/crm-entities.test.ts": ["numbers are accepted as ids, and stored as their digits"],
          "test/api/message/v3-message.test.ts": ["an employee by number"],
        },
      },
      {
        id: "D53",
        says: "a quoted message that was never stored has no messageId, dateTime and status",
        proof: {
          "src/core/message/load-facts.test.ts": ["one that only the messenger knows"],
          "src/core/payload/payloads.test.ts": ["message-quoting-unknown"],
        },
      },
      {
        id: "D54",
        says: "empty texts and lists mean absent; a keyboard beside a template is refused",
        proof: {
          "test/api/message/send-message.test.ts": [
            "everything empty beside a template is absent",
            "a keyboard beside a template",
          ],
          "test/api/channel/channels.test.ts": ["no credentials may be an empty list, as PHP writes them"],
        },
      },
      {
        id: "D55",
        says: "POST /v2/channels returns url only if a person has to open it",
        proof: {
          "test/api/channel/channels.test.ts": [
            "returns the channel, which exists from then on",
            "a channel without an address has no url",
          ],
          "test/api/page/connect-page.test.ts": [
            "a channel without credentials is returned with the address of its page",
          ],
        },
      },
      {
        id: "D56",
        says: "contacts have username, phone and avatar if the messenger provides them; the first message waits up to two seconds for the picture",
        proof: {
          "test/api/message/avatars.test.ts": [
            "the first message of a chat has the picture if it arrives in time; it is downloaded once",
            "a late picture delays only its chat, for a limited time; the next message has it",
          ],
          "test/system/whatsapp-service.test.ts": ["a customer's first message contains their picture"],
          "test/system/files.test.ts": ["a customer's first message contains their picture"],
          "src/core/payload/payloads.test.ts": ["message-contact"],
        },
      },
      {
        id: "D57",
        says: "a pairing code is for the channel's number by default, is issued at most once a minute, and not for a connected channel",
        proof: {
          [LOGIN]: [
            "is for the channel's own phone by default",
            "a channel without a number needs one",
            "a connected channel needs no code",
            "%s: %s",
          ],
        },
      },
      {
        id: "D58",
        says: "channel.status_update is sent only if status, reason, name, phone or username changed; a new QR code causes only channel.qr_update; the phone of a bot is its username",
        proof: {
          "test/api/channel/link-state.test.ts": [
            "each code is published while the channel waits for it",
            "a new name of an active channel is published once, on v2",
          ],
          "src/transports/telegram/verify.test.ts": ["returns the bot's profile"],
          "src/transports/maxbot/verify.test.ts": ["returns the profile of a bot %s"],
          "src/transports/viber/account.test.ts": ["the profile of a bot %s"],
        },
      },
      {
        id: "D59",
        says: "the state is phoneUnavailable while a whatsapp phone has not been seen for 13 days; the reason qridle is reported as the state of the same name",
        proof: {
          "src/transports/whatsapp/phone-watch.test.ts": ["for 13 days without a response"],
          "test/api/channel/link-state.test.ts": [
            "is published once, and when it is back, only as the state of v3; the channel stays active",
          ],
          "src/core/payload/payloads.test.ts": ["channel-phone-unavailable", "channel-qridle"],
        },
      },
      {
        id: "D60",
        says: "v3 refuses requests that exceed the channel's capabilities; an over-long payload returns a 400 that names the field on both versions",
        proof: {
          "test/api/message/v3-message.test.ts": [
            "an over-long label",
            "an over-long payload",
            "a text that is too long with buttons",
            "a file of a kind that the messenger does not take",
            "a file above the messenger's limit for its kind is refused",
          ],
          "test/api/message/send-message.test.ts": ["a payload of 65 bytes"],
        },
      },
      {
        id: "D61",
        says: "bodies that are not valid UTF-8 and texts with NUL are refused",
        proof: {
          "test/api/interface/manners.test.ts": [
            "a body that is not valid UTF-8 is refused: %s",
            "characters that PostgreSQL cannot store do no harm",
          ],
        },
      },
      {
        id: "D62",
        says: "an application subscribes within its scope, sees only its own subscriptions, and loses them with its grant",
        proof: {
          "test/api/webhook/webhook-grants.test.ts": [
            "%s subscribes to %j and to nothing else",
            "sees and changes only its own subscriptions, while the owner has all",
            "%s, nothing is sent to its addresses any more",
            "concurrently with a subscription, the subscription is refused or ends with it",
          ],
        },
      },
      {
        id: "D63",
        says: "the key of a CRM is sent only to its origin, and sidecar keys only read webhook settings",
        proof: {
          "test/api/webhook/webhook-settings.test.ts": [
            "is dropped at another origin, and does not come back",
            "cannot reach another origin by way of an empty address",
            "a sidecar key reads the settings and changes nothing",
          ],
        },
      },
      {
        id: "D64",
        says: "message.add contains type, interactive and quoted_message",
        proof: {
          "src/core/payload/payloads.test.ts": ["v2-message-answer", "v2-message-quoting-full"],
        },
      },
      {
        id: "D65",
        says: "quotas of an account, exact over all nodes",
        proof: {
          "test/api/access/quotas.test.ts": [
            "channels that are not linked yet",
            "channels; a deleted one frees its slot, and other accounts have their own quota",
            "subscriptions; existing ones may be requested again",
            "employees; existing ones may be changed",
            "messages waiting to be sent",
            "bytes of files, over nodes, until old ones are removed",
          ],
        },
      },
      {
        id: "D66",
        says: "text in the form of a template code is sent as that template; templateCode shows the form; statuses in this list are in lower case",
        proof: {
          "test/api/message/v3-message.test.ts": [
            "text in the form of a template code is sent as that template, with its values",
            "an unknown template as text",
          ],
          "src/core/template/code.test.ts": [
            "a template's code names each of its values, and can be parsed again",
          ],
          "test/api/message/templates.test.ts": [
            "the list is stored unchanged, and not published the first time",
          ],
        },
      },
      {
        id: "D67",
        says: "isEcho is true for every item about an outgoing message",
        proof: {
          "src/core/message/load-facts.test.ts": ["a message %s: echo %s"],
          "src/core/payload/payloads.test.ts": ["message-edited", "message-deleted"],
        },
      },
      {
        id: "D68",
        says: "a stored file has a name with the right extension; media types keep their parameters",
        proof: {
          "src/core/content.test.ts": ["storedName"],
        },
      },
      {
        id: "D69",
        says: "contact_add contains recipient; on v2, the sender of a group message contains the sender's chat",
        proof: {
          "src/core/payload/payloads.test.ts": ["v2-contact-add", "v2-message-group"],
        },
      },
      {
        id: "D70",
        says: "v3 names invalid fields as a list of names, with details",
        proof: {
          "test/api/message/v3-message.test.ts": [
            "invalid fields are names, which clients join, with details beside them",
          ],
        },
      },
      {
        id: "D71",
        says: "a button of wapi without a payload has its number as payload on v3, and is refused on v2; chatId in the response is never null",
        proof: {
          "test/api/message/v3-message.test.ts": [
            "a wapi button without payload",
            "a recipient addressed by phone or username is named so in the response until the messenger reports the id",
          ],
        },
      },
      {
        id: "D72",
        says: "deleting a waiting message cancels it; if it is being sent, the response waits for the outcome",
        proof: {
          "test/api/message/change-message.test.ts": [
            "is cancelled by deleting it, on %s",
            "its cancellation is reported by webhook",
            "may have reached the messenger (%s): the response waits for the outcome",
          ],
        },
      },
      {
        id: "D73",
        says: "JSON sent as text/plain is read as JSON on v3",
        proof: {
          "test/api/message/v3-message.test.ts": ["text/plain is read as JSON"],
        },
      },
      {
        id: "D74",
        says: "null from a messenger means absent; a missing or unexpected optional field causes neither the loss of an inbound message nor a failure report for a sent one",
        proof: {
          "src/core/transport/conformance.test.ts": ["each field by its path, missing, null and wrong"],
          "test/api/channel/dead-letters.test.ts": [
            "a group without a title keeps the known one, and before that is published under its id",
          ],
          "src/platform/foreign/foreign-date.test.ts": ["replaces an invalid date"],
        },
      },
    ],
  },
];
