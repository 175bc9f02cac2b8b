import type { Chapter } from "./rule.ts";

const MANNERS = "test/api/manners.test.ts";
const SEND = "test/api/send-message.test.ts";
const V3 = "test/api/v3-message.test.ts";
const CHANGE = "test/api/change-message.test.ts";
const ERRORS = "test/system/message-errors.test.ts";
const ENTITIES = "test/api/crm-entities.test.ts";
const CRM_V2 = "test/api/crm-v2.test.ts";
const LINKS = "test/api/iframe-links.test.ts";
const SUBSCRIPTIONS = "test/api/webhook-subscriptions.test.ts";
const SETTINGS = "test/api/webhook-settings.test.ts";
const DELIVERY = "test/api/webhook-delivery.test.ts";
const WEBHOOKS = "test/system/webhooks.test.ts";
const PAYLOADS = "src/core/event/payloads.test.ts";
const STATUS = "src/core/channel/status.test.ts";
const OAUTH = "test/api/oauth-token.test.ts";
const LOGIN = "test/api/login.test.ts";

/** What the interface's document leaves open, as it was decided; the numbers are those of the decisions. */
export const DECISION_RULES: readonly Chapter[] = [
  {
    title: "HTTP manners",
    rules: [
      { id: "D1", says: "a trailing slash never matters", proof: { [MANNERS]: ["GET %s: %i"] } },
      {
        id: "D2",
        says: "bodies of GET and DELETE are ignored; an empty JSON body is fine where nothing is required",
        proof: {
          [MANNERS]: [
            "GET ignores %.12s",
            "DELETE ignores a body of type %j",
            "an empty JSON body is fine where nothing is required",
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
        says: "unknown query parameters are ignored; unknown body fields on v3 too, on v2 they are named in a 400, also within keyboards",
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
        says: "no conversion of types; every faulty field at once",
        proof: {
          [MANNERS]: ["types are not guessed, and one answer names every fault"],
          [V3]: ["every faulty field is named"],
        },
      },
      {
        id: "D6",
        says: "X-Request-Id on every answer, Retry-After with 429, the counter on every authenticated answer",
        proof: {
          [MANNERS]: ["every answer has a request id"],
          "test/api/rate-limit.test.ts": [
            "every authenticated answer carries the counter, errors too",
            "the refusal says when to come back; accounts do not share a counter",
          ],
        },
      },
      {
        id: "D7",
        says: "Idempotency-Key: same answer, no second effect; another body is 409; faulty requests are not stored",
        proof: {
          "test/api/idempotency.test.ts": [
            "the same key and body: the same answer, one message",
            "the same key and another body",
            "a faulty request leaves nothing behind, wherever the fault is found",
            "a node that died after the effect: it is not done twice",
            "after a day a key is new",
          ],
        },
      },
      {
        id: "D8",
        says: "the rate limit is exact over all nodes",
        proof: {
          "test/api/rate-limit.test.ts": [
            "1,001 requests at once over two nodes: exactly one is refused",
            "the limit comes before the body, and the next minute begins anew",
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
        says: "kinds of credentials; a sidecar's crmUserId is ignored",
        proof: {
          "test/api/auth.test.ts": ["a sidecar key opens four families of /v3, and is forbidden the others"],
          [V3]: ["a sidecar key sends, and speaks for nobody"],
          "test/api/partner-accounts.test.ts": ["opens nothing but accounts and tokens"],
          "test/system/cli.test.ts": ["an account comes with its tokens, and more can be issued and revoked"],
        },
      },
      {
        id: "D10",
        says: "POST /v2/oauth/token with four grants; refresh tokens work once; the consent page",
        proof: {
          [OAUTH]: [
            "is the same for all four grants, and is not to be cached",
            "works once; the next token continues, with the same account and scope",
            "a token that comes again ends all of its family, and no other",
            "the plain method of PKCE does not pass for S256",
          ],
          "test/api/oauth-authorize.test.ts": ["what was not asked for is not given"],
        },
      },
      {
        id: "D11",
        says: "accounts of a partner's clients",
        proof: {
          "test/api/partner-accounts.test.ts": [
            "are made with an id of eight digits, and shown to their partner",
          ],
        },
      },
      {
        id: "D12",
        says: "shape of errors; message routes add status and requestId; a foreign object is a missing one",
        proof: {
          [MANNERS]: ["errors of message routes carry status and the request's id"],
          "test/api/tenants.test.ts": ["a cached channel is not another account's either"],
          [V3]: ["refusals carry status and requestId, and the interface's words"],
        },
      },
      {
        id: "D13",
        says: "MESSAGE_ONLY_TEXT_OR_CONTENT with the interface's sentence; MESSAGE_NOTHING_TO_SEND",
        proof: {
          [SEND]: ["text and file", "nothing", "refusals are told in the interface's words"],
          [V3]: ["text and file", "nothing"],
          [CHANGE]: ["with text and file", "with nothing"],
        },
      },
      {
        id: "D14",
        says: "WRONG_TRANSPORT with its sentence and data",
        proof: {
          [SEND]: ["refusals are told in the interface's words"],
          [V3]: ["refusals carry status and requestId, and the interface's words"],
        },
      },
      {
        id: "D15",
        says: "v2 reports too long, too big and rejected by webhook; v3 refuses them at once",
        proof: {
          [SEND]: ["over-long text is reported by webhook", "a rejected channel reports it by webhook"],
          [ERRORS]: [
            "a text above the messenger's limit",
            "a file whose host says that it is above 50 MB",
            "a message through a rejected channel: CHANNEL_REJECTED",
            "what is known without asking is not asked",
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
        proof: { [LOGIN]: ["without a QR code there is none", "nobody waits for one", "%j: %s"] },
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
          "test/api/app-callback.test.ts": ["keeps the chat", "who is known by the new one already has two"],
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
        says: "editing and deleting by capability, in their time, not with buttons",
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
      { id: "D23", says: "the deprecated state of every status", proof: { [STATUS]: ["state of %s"] } },
      {
        id: "D24",
        says: "tiers",
        proof: {
          "test/api/app-callback.test.ts": ["a tier is told when it is another one"],
          [PAYLOADS]: ["a change of the tier"],
        },
      },
      {
        id: "D25",
        says: "quotedMessage and interactive",
        proof: {
          [PAYLOADS]: ["message-quoting", "message-pressed"],
          "src/core/message/load-facts.test.ts": [
            "the button that was pressed",
            "nothing once the quoted message is gone",
          ],
        },
      },
      {
        id: "D26",
        says: "inbound files behind our own link, with ranges; outbound links must be public; size and sha1 are verified",
        proof: {
          "test/api/files.test.ts": [
            "the link alone opens the file, with or without the name",
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
        proof: { "test/api/webhook-frameworks.test.ts": ["%s gets a parsed body"] },
      },
      {
        id: "D28",
        says: "PATCH /v3/webhooks: ok, crmKey, three names of one switch, what is left out stays, a failing test changes nothing",
        proof: {
          [SETTINGS]: [
            "%s is one switch",
            "keys left out keep their value; an empty address removes it",
            "an empty key is none, and the key lasts otherwise",
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
            "addresses and events change; what is left out stays",
            "DELETE takes ids, also as objects, and is refused whole",
            "each address gets its events, and one address several in their order",
          ],
          "test/api/group-news.test.ts": [
            "a change is told once, whole, and in its place between the chat's messages",
            "members: what is told in two ways is told once",
          ],
        },
      },
      {
        id: "D30",
        says: "v3 gets what connects channels while nobody is subscribed to it on v2",
        proof: {
          [SUBSCRIPTIONS]: ["v3 gets what connects channels only while nobody is subscribed to it"],
          "src/core/webhook/kinds.test.ts": ["exports come whenever there is an address"],
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
          [SUBSCRIPTIONS]: ["what becomes of our message is told in both versions"],
        },
      },
      {
        id: "D32",
        says: "order per chat; many items per request; at least once under the same id",
        proof: {
          [WEBHOOKS]: [
            "a receiver that was away gets everything in order when it is back",
            "a crash during a delivery: its repetition has the same id and the same bytes",
          ],
          [DELIVERY]: ["several requests at a time keep the order of each chat, also through failures"],
        },
      },
      {
        id: "D33",
        says: "repeated for three days, Retry-After honoured, parked and replayed, other chats go on, paused with notice",
        proof: {
          [WEBHOOKS]: [
            "Retry-After is honoured",
            "an item that is refused for ever holds up its own chat alone, and is parked in the end",
          ],
          [DELIVERY]: [
            "is told of more and more often, paused in the end, and gets all in order when it is resumed",
            "can be replayed, which takes it off the list, and the attempt does not count",
            "a time: each delivery that was taken, once, in order",
          ],
          "src/core/webhook/policy.test.ts": ["at its end"],
        },
      },
      {
        id: "D34",
        says: "signatures of Standard Webhooks",
        proof: {
          "test/api/webhook-frameworks.test.ts": [
            "the library of Standard Webhooks verifies what arrives, with the secret as it is shown",
          ],
        },
      },
      {
        id: "D35",
        says: "redirects are not followed; private addresses are refused",
        proof: {
          [WEBHOOKS]: [
            "a redirect is an answer like any other: nobody follows it",
            "private addresses are refused unless the operator allows them, also for what was queued before",
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
        says: "POST /v3/message with every field, 201; interactive buttons may lack their payload here; crmMessageId once within 60 seconds over all nodes; PATCH and DELETE",
        proof: {
          [V3]: [
            "the answer and what is stored",
            "a flat list of buttons",
            "a button of the business API without payload",
            "a username on telegram",
            "a template goes out with its values and payloads, as on v2",
            "the same crmMessageId within 60 seconds is refused, whichever chat and node",
            "of many at once on two nodes one gets through",
            "Idempotency-Key: the same answer once more, also where there is a crmMessageId",
          ],
          [CHANGE]: ["editing on v3 %s: %s", "deleting on v3 %s: %s"],
          "test/system/flow.test.ts": ["the same on v3"],
        },
      },
      {
        id: "D37",
        says: "GET /v3/channels as a flat array",
        proof: { [V3]: ["GET /v3/channels lists what the account has, as a flat array"] },
      },
      {
        id: "D38",
        says: "/v3/users",
        proof: {
          [ENTITIES]: [
            "are stored, found, changed and removed",
            "a phone that cannot be one is left out, and only one user shows it",
          ],
        },
      },
      {
        id: "D39",
        says: "/v3/contacts and /v3/deals",
        proof: {
          [ENTITIES]: [
            "one faulty entity, and nothing is stored",
            "several faulty contacts are told at once, and the fault is not remembered for the key",
            "%s come 100 at a time, by id",
            "numbers are taken for ids, and a deal is open unless it says otherwise",
          ],
        },
      },
      {
        id: "D40",
        says: "/v3/pipelines replace what was there",
        proof: { [ENTITIES]: ["take the place of those before, in their order"] },
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
          "test/api/unanswered.test.ts": [
            "a contact's messages wait for who is responsible, however the chat is known",
            "only messages of the last 7 days",
          ],
        },
      },
      {
        id: "D43",
        says: "GET /v3/templates/whatsapp",
        proof: {
          "test/api/templates.test.ts": [
            "the list is stored as it is, and told to nobody the first time",
            "pages, by name and language, of one's own",
          ],
        },
      },
      {
        id: "D44",
        says: "the v2 twins",
        proof: {
          [CRM_V2]: ["are stored, found, listed, changed and removed", "what v3 stored is the same"],
          "test/api/unanswered.test.ts": [
            "v2 shows the same counter",
            "DELETE /v2/chats/unanswered, for the whole account and no other",
          ],
          "test/api/templates.test.ts": ["create, change, remove"],
        },
      },
      {
        id: "D45",
        says: "POST /v2/iframe-links/channels",
        proof: {
          [LINKS]: [
            "for a channel: its transport follows from it",
            "for nobody else's channel, and no other transport than the channel's",
          ],
        },
      },
      {
        id: "D46",
        says: "POST /v2/iframe-links/chats",
        proof: { [LINKS]: ["a card, with all there is to say", "no chat of another account's channel"] },
      },
      {
        id: "D47",
        says: "columns of the CSV file",
        proof: {
          "test/api/exports.test.ts": [
            "has all columns, a mark and CR LF, byte for byte",
            "has the text %j as %j, and every other cell of a person's likewise",
          ],
        },
      },
    ],
  },
  {
    title: "Life of a channel and of a message",
    rules: [
      {
        id: "openelsewhere",
        says: "the earlier owner of a messenger account keeps it",
        proof: { "test/api/link-state.test.ts": ["the earlier owner of a messenger account keeps it"] },
      },
      {
        id: "foreignphone",
        says: "another phone disables the channel and leaves its data",
        proof: {
          "test/api/link-state.test.ts": ["another phone disables the channel and leaves what it was"],
        },
      },
      {
        id: "unpaid",
        says: "an unpaid channel stays so whatever happens; reinit of it is refused, every other one leads to init",
        proof: {
          "test/system/channel-payment.test.ts": [
            "an unpaid channel sends nothing and cannot be started again by its client; a paid one goes on",
          ],
          [STATUS]: ["an unpaid channel (%s) stays so whatever happens, and starts again when paid"],
          "test/api/channels.test.ts": [
            "reinit of a channel that the operator marked as unpaid changes nothing",
          ],
        },
      },
      {
        id: "short-loss",
        says: "a short reconnect is no change of status",
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
        says: "statuses only rise; error ends a message",
        proof: {
          "src/core/message/content.test.ts": [
            "ends at the highest receipt and never falls",
            "an error ends the message, and comes only while nothing has arrived",
          ],
        },
      },
      {
        id: "never-twice",
        says: "never sent twice, never silently lost, whatever is killed",
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
          "test/api/partner-accounts.test.ts": [
            "as it is: its channels as /v2/channels shows them, and which of them are paid",
            "to its partner only",
          ],
        },
      },
      {
        id: "D49",
        says: "every id that the service gives is accepted wherever the interface takes one",
        proof: {
          "src/core/chat/names.test.ts": ["an id that the service gave stays itself: %s %s"],
          "test/api/client-creation-v2.test.ts": [
            "a CRM that echoes what it was asked with makes one contact and one deal of %s",
          ],
          [SEND]: ["a hidden person", "somebody known to a business only"],
        },
      },
      {
        id: "D50",
        says: "chat ids that are phone numbers are taken in every spelling, and one person is one chat",
        proof: {
          [SEND]: ["one person is one chat, however the id is spelled", "a number too short", "no number"],
          [ENTITIES]: ["names of chats are stored in one spelling, whichever the CRM has"],
        },
      },
      {
        id: "D51",
        says: "the time of a status is when it was learnt and never runs backwards; sent is never left out",
        proof: {
          "test/api/app-callback.test.ts": [
            "`sent` is told even when a later status comes first",
            "times of statuses are when they were learnt, and never run backwards",
          ],
        },
      },
      {
        id: "D52",
        says: "ids of the CRM's entities may be whole numbers, and are kept as their digits",
        proof: {
          "test/api/crm-entities.test.ts": ["numbers are taken for ids, and kept as their digits"],
          "test/api/v3-message.test.ts": ["an employee by number"],
        },
      },
      {
        id: "D53",
        says: "a quoted message that was never stored has no messageId, dateTime and status",
        proof: {
          "src/core/message/load-facts.test.ts": ["one that only the messenger knows"],
          "src/core/event/payloads.test.ts": ["message-quoting-unknown"],
        },
      },
      {
        id: "D54",
        says: "empty texts and lists mean absent; a keyboard beside a template is refused",
        proof: {
          "test/api/send-message.test.ts": [
            "everything empty beside a template is absent",
            "a keyboard beside a template",
          ],
          "test/api/channels.test.ts": ["no credentials may be an empty list, as PHP writes them"],
        },
      },
      {
        id: "D55",
        says: "POST /v2/channels answers url only where a person has to follow it",
        proof: {
          "test/api/channels.test.ts": [
            "answers with the channel, which is there from then on",
            "a channel without an address has no url",
          ],
          "test/api/connect-page.test.ts": [
            "a channel without credentials comes with the address of its page",
          ],
        },
      },
      {
        id: "D56",
        says: "contacts have username, phone and avatar where the messenger tells them; the first message waits two seconds for the picture",
        proof: {
          "test/api/avatars.test.ts": [
            "the first message of a chat has the picture when it comes in time; it is fetched once",
            "a picture that does not come holds back its chat alone, for a while; the next message has it",
          ],
          "test/system/whatsapp-service.test.ts": ["a customer's first message has their picture"],
          "test/system/files.test.ts": ["a customer's first message has their picture"],
          "src/core/event/payloads.test.ts": ["message-contact"],
        },
      },
      {
        id: "D57",
        says: "a pairing code is given for the channel's number when none is named, once a minute, and not to a connected channel",
        proof: {
          [LOGIN]: [
            "is for the channel's own phone when none is given",
            "a channel without a number needs one",
            "a connected channel needs no code",
            "%s: %s",
          ],
        },
      },
      {
        id: "D58",
        says: "channel.status_update is told only when status, reason, name, phone or username changed; a new QR code alone is channel.qr_update; the phone of a bot is its username",
        proof: {
          "test/api/link-state.test.ts": [
            "each code is told while the channel waits for it",
            "a new name of an active channel is told once, to v2",
          ],
          "src/transports/telegram/verify.test.ts": ["returns the bot's profile"],
        },
      },
      {
        id: "D59",
        says: "the state is phoneUnavailable while a whatsapp phone has not been seen for 13 days; qridle is told in the state of that name",
        proof: {
          "src/transports/whatsapp/phone-watch.test.ts": ["for 13 days without a response"],
          "test/api/link-state.test.ts": [
            "is told once, and when it is back, as the state of v3 alone; the channel stays active",
          ],
          "src/core/event/payloads.test.ts": ["channel-phone-unavailable", "channel-qridle"],
        },
      },
      {
        id: "D60",
        says: "v3 refuses at once what the channel's capabilities can tell; an over-long payload is 400 naming the field on both versions",
        proof: {
          "test/api/v3-message.test.ts": [
            "an over-long label",
            "an over-long payload",
            "a text that is too long with buttons",
            "a file of a kind that the messenger does not take",
            "a file that is bigger than the messenger takes of its kind is refused",
          ],
          "test/api/send-message.test.ts": ["a payload of 65 bytes"],
        },
      },
      {
        id: "D61",
        says: "bodies that are not valid UTF-8 and texts with NUL are refused",
        proof: {
          "test/api/manners.test.ts": [
            "a body that is not valid UTF-8 is refused: %s",
            "characters that PostgreSQL cannot hold do no harm",
          ],
        },
      },
      {
        id: "D62",
        says: "an application subscribes within its scope, sees its own subscriptions, and loses them with its grant",
        proof: {
          "test/api/webhook-grants.test.ts": [
            "%s subscribes to %j and to nothing else",
            "sees and changes its own subscriptions only, while the owner has them all",
            "%s, nothing goes to its addresses any more",
            "at the moment of a subscription, the subscription is refused or goes with it",
          ],
        },
      },
      {
        id: "D63",
        says: "a key of the CRM stays at its origin, and sidecar keys only read webhook settings",
        proof: {
          "test/api/webhook-settings.test.ts": [
            "is dropped at another origin, and does not come back",
            "does not take the way over an empty address",
            "a sidecar key reads the settings and changes nothing",
          ],
        },
      },
      {
        id: "D64",
        says: "message.add carries type, interactive and quoted_message",
        proof: {
          "src/core/event/payloads.test.ts": ["v2-message-answer"],
        },
      },
      {
        id: "D65",
        says: "quotas of an account, exact over all nodes",
        proof: {
          "test/api/quotas.test.ts": [
            "channels that nobody has linked yet",
            "channels; a deleted one makes room, and other accounts have their own",
            "subscriptions; what exists may be asked for again",
            "employees; those who exist may be changed",
            "messages that wait to be sent",
            "bytes of files, over nodes, until old ones are removed",
          ],
        },
      },
      {
        id: "D66",
        says: "text of the form of a template is that template; templateCode gives the form, statuses are in lower case there",
        proof: {
          "test/api/v3-message.test.ts": [
            "text of the form of a template is that template, with its values",
            "an unknown template as text",
          ],
          "src/core/template/code.test.ts": [
            "the code of a template names each of its values, and can be read again",
          ],
          "test/api/templates.test.ts": ["the list is stored as it is, and told to nobody the first time"],
        },
      },
      {
        id: "D67",
        says: "isEcho is true for every item about an outgoing message",
        proof: {
          "src/core/message/load-facts.test.ts": ["a message %s: echo %s"],
          "src/core/event/payloads.test.ts": ["message-edited", "message-deleted"],
        },
      },
      {
        id: "D68",
        says: "a stored file has a name with the right ending; media types keep their parameters",
        proof: {
          "src/core/message/content.test.ts": ["storedName"],
        },
      },
      {
        id: "D69",
        says: "contact_add carries recipient; the sender of a group has its chat on v2",
        proof: {
          "src/core/event/payloads.test.ts": ["v2-contact-add", "v2-message-group"],
        },
      },
      {
        id: "D70",
        says: "v3 names invalid fields as a list of names, with details",
        proof: {
          "test/api/v3-message.test.ts": [
            "invalid fields are names, which clients join, with details beside them",
          ],
        },
      },
      {
        id: "D71",
        says: "buttons of the business API need a payload; chatId in the answer is never null",
        proof: {
          "test/api/v3-message.test.ts": [
            "a button of the business API without payload",
            "who is addressed by phone or username is called so in the answer until the messenger tells more",
          ],
        },
      },
      {
        id: "D72",
        says: "deleting a message that waits cancels it; while it is being sent the answer waits for the outcome",
        proof: {
          "test/api/change-message.test.ts": [
            "is cancelled by deleting it, on %s",
            "tells of its end by webhook",
            "may have reached the messenger (%s): the answer waits for the outcome",
          ],
        },
      },
      {
        id: "D73",
        says: "JSON sent as text/plain is read as JSON on v3",
        proof: {
          "test/api/v3-message.test.ts": ["text/plain is read as JSON"],
        },
      },
      {
        id: "D74",
        says: "what a messenger sends as null is absent; nothing inbound is dropped, and nothing sent reported as failed, for a missing or odd ornament",
        proof: {
          "src/core/transport/conformance.test.ts": ["each field by its path, missing, null and odd"],
          "test/api/dead-letters.test.ts": [
            "a group without a title keeps the one that is known, and is told under its id before",
          ],
          "src/platform/foreign/foreign-date.test.ts": ["replaces an invalid date"],
        },
      },
    ],
  },
];
