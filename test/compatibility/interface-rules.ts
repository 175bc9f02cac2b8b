import type { Chapter } from "./rule.ts";

const CHANNELS = "test/api/channel/channels.test.ts";
const SEND = "test/api/message/send-message.test.ts";
const CHANGE = "test/api/message/change-message.test.ts";
const RULES = "src/core/message/change-rules.test.ts";
const KEYBOARD = "src/core/message/keyboard.test.ts";
const ERRORS = "test/system/message-errors.test.ts";
const STATUS = "src/core/channel-status.test.ts";
const PAYLOADS = "src/core/payload/payloads.test.ts";
const SETTINGS = "test/api/webhook/webhook-settings.test.ts";
const WEBHOOKS = "test/system/webhooks.test.ts";
const CREATION = "test/api/crm/client-creation.test.ts";
const EXPORTS = "test/api/message/exports.test.ts";
const MANNERS = "test/api/interface/manners.test.ts";
const LOGIN = "test/api/channel/login.test.ts";
const RATE = "test/api/access/rate-limit.test.ts";
const LINK_STATE = "test/api/channel/link-state.test.ts";

/** The rules of the interface's document, in its order. */
export const INTERFACE_RULES: readonly Chapter[] = [
  {
    title: "Channels",
    rules: [
      {
        id: "envelope",
        says: "v2 responses are `{data, meta}`; `data` is null if there is nothing to return",
        proof: {
          [MANNERS]: ["the envelope's timestamp is in Unix seconds"],
          [CHANNELS]: ["%j keeps %i of the chats"],
        },
      },
      {
        id: "channel-fields",
        says: "every field of a channel is returned, and nothing of other accounts",
        proof: { [CHANNELS]: ["an account sees only its own, in the order of their creation"] },
      },
      {
        id: "channel-create",
        says: "POST /v2/channels accepts the listed transports except vk, checks the credentials for the transport, and returns `[{channel_id, transport, url?}]`",
        proof: {
          [CHANNELS]: [
            "returns the channel, which exists from then on",
            "vk, which is linked on a page",
            "no token",
            "a refused token",
            "a transport that is not installed",
          ],
        },
      },
      {
        id: "channel-url",
        says: "wapi: `url` is the link that the owner opens to connect the account",
        proof: {
          "test/api/page/connect-page.test.ts": [
            "a channel without credentials is returned with the address of its page",
          ],
        },
      },
      {
        id: "channel-2fa",
        says: "POST /v2/channels/{id}/auth/2fa supplies the password that the channel waits for; `data` is null",
        proof: { [LOGIN]: ["none is expected", "nothing of it is stored"] },
      },
      {
        id: "channel-passkey",
        says: "GET and POST /v2/channels/{id}/auth/passkey show the request for the passkey that the channel waits for, and take its answer",
        proof: {
          [LOGIN]: [
            "its request is shown, and its answer passed on",
            "none is expected, and why the last one failed",
          ],
        },
      },
      {
        id: "channel-reinit",
        says: "POST /v2/channels/{id}/reinit returns the listed fields; the status becomes init or active",
        proof: { [CHANNELS]: ["reinit answers with the channel"] },
      },
      {
        id: "channel-delete",
        says: "DELETE /v2/channels/{id} deletes the channel; delete_chats=true also deletes its chats",
        proof: {
          [CHANNELS]: ["%j keeps %i of the chats"],
          [ERRORS]: ["a message that waits when its channel is deleted: MESSAGE_CANCELLED"],
        },
      },
      {
        id: "pairing-code",
        says: "POST /v2/channels/{id}/pairing-code returns `[{pairing_code, pairing_phone}]`",
        proof: { [LOGIN]: ["comes from the session", "is for the channel's own phone by default"] },
      },
      {
        id: "channel-status",
        says: "every status with its allowed reasons and transitions",
        proof: {
          [STATUS]: [
            "is the interface's",
            "%s, %s: %s",
            "never leaves the table, changes nothing the second time, and can always be started again",
          ],
        },
      },
    ],
  },
  {
    title: "Sending",
    rules: [
      {
        id: "send-answer",
        says: "POST /v2/messages returns `request_id` and `chat_id`; the outcome is reported by webhook",
        proof: {
          [SEND]: ["the response names the request and the chat"],
          "test/system/flow.test.ts": ["a message is sent, reported as sent, edited and deleted"],
        },
      },
      {
        id: "send-one-content",
        says: "exactly one of text, attachment and template",
        proof: {
          [SEND]: ["text and file", "text and template", "file and template", "all three", "nothing"],
        },
      },
      {
        id: "send-recipient",
        says: "chat_type and chat_id; if chat_id is unknown, username on telegram, or phone on telegram and max",
        proof: {
          [SEND]: [
            "a username on telegram",
            "a username elsewhere",
            "a phone on telegram",
            "a phone on max",
            "a phone elsewhere",
            "a phone with a plus",
            "a contact's name",
          ],
        },
      },
      {
        id: "send-attachment",
        says: "attachment: url is required; name, mimetype, size and sha1 are checked and used",
        proof: {
          [SEND]: [
            "a file without an address",
            "a file with everything",
            "a hash that is none",
            "a type that is none",
            "a size as text",
          ],
          [ERRORS]: [
            "a file as it was announced",
            "another hash than announced",
            "another size than announced",
            "a file arrives with the declared name and type",
          ],
        },
      },
      {
        id: "send-template",
        says: "template: id, values, buttons with payload; the buttons may also be outside the template object",
        proof: {
          [SEND]: [
            "a template",
            "a template without id",
            "a template's button without payload",
            "buttons beside the template",
            "buttons beside nothing",
          ],
        },
      },
      {
        id: "keyboard-wapi",
        says: "wapi: at most 10 buttons, further ones are ignored; v2 leaves out buttons with labels above 20 characters, v3 refuses the message; payload is required",
        proof: {
          [KEYBOARD]: [
            "only the first ten of eleven",
            "labels of 20 characters, not of 21",
            "20 emoji, which are 20 characters",
          ],
          [SEND]: [
            "11 interactive buttons: the first 10 are used",
            "an interactive label of 21 is not sent",
            "interactive without payload",
          ],
        },
      },
      {
        id: "keyboard-telegram",
        says: "Telegram bots: at most 12 buttons, further ones are ignored; v2 leaves out buttons with labels above 64 characters or without a payload, v3 refuses long labels, both refuse payloads above 64 bytes; inline and reply keyboards, options, removal",
        proof: {
          [KEYBOARD]: [
            "only the first twelve of thirteen",
            "labels of 64 characters, not of 65",
            "payloads of 1 to 64 bytes",
            "its options",
            "its removal",
          ],
          [SEND]: [
            "13 inline buttons: the first 12 are sent",
            "13 reply buttons: the first 12 are sent",
            "an inline label of 65 is not sent",
            "a payload of 65 bytes",
          ],
          "src/transports/telegram/telegram.e2e.test.ts": [
            "shows and removes a reply keyboard",
            "receives a button press, and answers it",
          ],
        },
      },
      {
        id: "keyboard-maxbot",
        says: "MAX bots: rows of callback, link and message buttons, each type with its required fields",
        proof: {
          [KEYBOARD]: ["buttons of every type", "what each type requires", "every intent"],
          [SEND]: [
            "rows of every type",
            "callback without payload",
            "link without address",
            "another intent",
          ],
        },
      },
      {
        id: "send-unanswered",
        says: "an outbound message marks its chat as answered, unless reset_unanswered is false",
        proof: {
          "test/api/crm/unanswered.test.ts": [
            "our own message, in its chat",
            "one with reset_unanswered false does not",
          ],
        },
      },
      {
        id: "quote",
        says: "quoted_message_id refers to a message of the same chat",
        proof: {
          [SEND]: [
            "a quote",
            "a quote of nothing",
            "a quote from another chat",
            "a quote of another account's",
          ],
        },
      },
    ],
  },
  {
    title: "Editing, deleting, exporting",
    rules: [
      {
        id: "edit",
        says: "PATCH /v2/messages/{id} changes text or file within 15 minutes of delivery",
        proof: {
          [CHANGE]: ["16 minutes later", "16 minutes after delivery", "with text and file", "with nothing"],
          [RULES]: ["15 minutes after sending", "a moment later"],
          "test/system/flow.test.ts": ["a message is sent, reported as sent, edited and deleted"],
        },
      },
      {
        id: "delete",
        says: "DELETE /v2/messages/{id} removes the message for both sides",
        proof: {
          "test/system/flow.test.ts": ["a message is sent, reported as sent, edited and deleted"],
          [CHANGE]: ["49 hours later"],
        },
      },
      {
        id: "export",
        says: "messages_dump: a job with the states `pending`, `processing`, `done`, `webhook_failed`; the link is reported by webhook",
        proof: {
          [EXPORTS]: [
            "is pending, without a link; no other account sees it",
            "reports the file at the v3 address, with all switches off, once",
            "that a receiver refuses makes it webhook_failed, until it is accepted",
          ],
        },
      },
    ],
  },
  {
    title: "Webhook settings and receivers",
    rules: [
      {
        id: "webhook-patch",
        says: "PATCH /v3/webhooks tests the address with `{test: true}` and returns ok",
        proof: {
          [SETTINGS]: [
            "an address is tested, then stored",
            "a receiver that answers %i changes nothing",
            "nor does one that cannot be reached",
          ],
        },
      },
      {
        id: "webhook-uri",
        says: "uriNotValid for an invalid address, or one of more than 200 characters",
        proof: { [SETTINGS]: ["%.30j is not valid", "200 characters are allowed"] },
      },
      {
        id: "webhook-get",
        says: "GET /v3/webhooks returns the address and the switches",
        proof: { [SETTINGS]: ["at first there is nothing", "switches and key are kept without an address"] },
      },
      {
        id: "webhook-key",
        says: "webhooks carry `Authorization: Bearer` with the crmKey, if one is set",
        proof: { [WEBHOOKS]: ["a webhook carries the CRM's key and a signature that verifies"] },
      },
      {
        id: "webhook-timeout",
        says: "a receiver must respond within 30 seconds; a request may contain both messages and statuses",
        proof: {
          "test/api/webhook/webhook-delivery.test.ts": ["%j: %s"],
          "src/core/delivery/request/batch.test.ts": [
            "delivers every queue whole and in order, within the limits",
          ],
        },
      },
      {
        id: "create-in-turn",
        says: "in_turn: createContact, then createDeal, each with the entity as its response",
        proof: {
          [CREATION]: [
            "a new client's first message requests the contact, the response causes the request for the deal; both are stored",
            "each client is assigned to the next employee, and none of the messages counts twice",
          ],
        },
      },
      {
        id: "create-first",
        says: "first_respondent: requests are sent once the respondent's id is known",
        proof: {
          [CREATION]: [
            "the first sent reply of a known employee requests contact and deal",
            "a message from the phone has no employee",
          ],
        },
      },
      {
        id: "create-button",
        says: "by button: only the deal if the contact exists, otherwise the contact first",
        proof: {
          [CREATION]: [
            "a client without a contact gets that first, then the deal, whatever the rule is",
            "a contact gets one more deal with each answered press",
          ],
        },
      },
      {
        id: "create-existing",
        says: "no request is sent for existing clients, even with a closed deal; the CRM may respond with an existing entity",
        proof: {
          [CREATION]: [
            "if contact and deal exist, even a closed one",
            "responds with the client, and the stored card stays complete",
            "may respond with a closed deal of other contacts",
          ],
        },
      },
    ],
  },
  {
    title: "Events",
    rules: [
      {
        id: "messages-item",
        says: "`messages` contains every field of a message",
        proof: {
          [PAYLOADS]: [
            "message-inbound",
            "message-echo",
            "message-deleted",
            "message-missing-call",
            "every sample has its case",
          ],
        },
      },
      {
        id: "statuses-item",
        says: "every status in `statuses`, errors with code, description and data",
        proof: { [PAYLOADS]: ["every status", "an error with and without more detail"] },
      },
      {
        id: "creation-item",
        says: "createContact and createDeal",
        proof: { [PAYLOADS]: ["create-contact", "create-deal"] },
      },
      {
        id: "channel-item",
        says: "channelsUpdates: state, tier, qr, timestamp",
        proof: {
          [PAYLOADS]: [
            "channel-active",
            "channel-unpaid",
            "channel-qr",
            "channel-business",
            "a change of the tier",
          ],
        },
      },
      {
        id: "template-item",
        says: "moderation of templates",
        proof: {
          [PAYLOADS]: ["moderation of a template"],
          "test/api/message/templates.test.ts": [
            "moderation: %s",
            "changes are published once, and ids stay",
          ],
        },
      },
      {
        id: "export-item",
        says: "messages_dump.status_update contains the link",
        proof: { [PAYLOADS]: ["export-done", "export-pending"] },
      },
      {
        id: "qr",
        says: "channel.qr_update is sent with each new code",
        proof: {
          [LINK_STATE]: [
            "each code is published while the channel waits for it",
            "a late code is not published",
          ],
        },
      },
      {
        id: "message-kinds",
        says: "every kind of inbound message gets the interface's type",
        proof: {
          "src/transports/telegram/telegram.e2e.test.ts": ["receives every kind of message"],
          "src/transports/telegram/inbound.test.ts": ["every sample has a case"],
        },
      },
    ],
  },
  {
    title: "Authentication, errors, limits",
    rules: [
      {
        id: "auth",
        says: "an access token is valid for /v2, an API key for /v3; everything else returns 401",
        proof: {
          "test/api/access/auth.test.ts": [
            "refuses unknown callers",
            "accepts the right kind of token and no other",
          ],
        },
      },
      {
        id: "sidecar",
        says: "routes not allowed for a sidecar API key return 403",
        proof: {
          "test/api/access/auth.test.ts": [
            "a sidecar key opens four families of /v3, and is forbidden the others",
          ],
        },
      },
      {
        id: "error-body",
        says: "errors are `{error, description, data?}` with a code of the catalogue",
        proof: {
          "test/api/interface/fuzz.test.ts": ["$method $path responds as described to any request"],
          "test/errors-docs.test.ts": [
            "docs/errors.md has every error of the catalogue, with the routes that answer it",
          ],
        },
      },
      {
        id: "rate",
        says: "429 above 1000 requests a minute",
        proof: { [RATE]: ["1,001 requests at once over two nodes: exactly one is refused"] },
      },
      {
        id: "500",
        says: "a 500 response reveals nothing but its request id",
        proof: { "test/api/operation/ops.test.ts": ["an internal error shows nothing but its request id"] },
      },
      {
        id: "entities",
        says: "at most 100 entities per request",
        proof: { "test/api/crm/crm-entities.test.ts": ["at most 100 in a request"] },
      },
      {
        id: "50mb",
        says: "files above 50 MB are TOO_BIG_CONTENT",
        proof: {
          [ERRORS]: [
            "a file whose host says that it is above 50 MB",
            "a file that the client says is above 50 MB",
          ],
        },
      },
    ],
  },
];
