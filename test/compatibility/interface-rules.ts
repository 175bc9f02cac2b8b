import type { Chapter } from "./rule.ts";

const CHANNELS = "test/api/channels.test.ts";
const SEND = "test/api/send-message.test.ts";
const CHANGE = "test/api/change-message.test.ts";
const RULES = "src/core/message/change-rules.test.ts";
const KEYBOARD = "src/core/message/keyboard.test.ts";
const ERRORS = "test/system/message-errors.test.ts";
const STATUS = "src/core/channel/status.test.ts";
const PAYLOADS = "src/core/event/payloads.test.ts";
const SETTINGS = "test/api/webhook-settings.test.ts";
const WEBHOOKS = "test/system/webhooks.test.ts";
const CREATION = "test/api/client-creation.test.ts";
const EXPORTS = "test/api/exports.test.ts";
const MANNERS = "test/api/manners.test.ts";
const LOGIN = "test/api/login.test.ts";
const RATE = "test/api/rate-limit.test.ts";
const LINK_STATE = "test/api/link-state.test.ts";

/** What the interface's document says, in its order. */
export const INTERFACE_RULES: readonly Chapter[] = [
  {
    title: "Channels",
    rules: [
      {
        id: "envelope",
        says: "v2 answers are `{data, meta}`; `data` is null where there is nothing to say",
        proof: {
          [MANNERS]: ["the envelope's timestamp is in Unix seconds"],
          [CHANNELS]: ["%j keeps %i of the chats"],
        },
      },
      {
        id: "channel-fields",
        says: "every field of a channel, and nothing of other accounts",
        proof: { [CHANNELS]: ["an account sees its own only, in the order of their creation"] },
      },
      {
        id: "channel-create",
        says: "POST /v2/channels takes the listed transports but vk, checks credentials by transport, answers `[{channel_id, transport, url?}]`",
        proof: {
          [CHANNELS]: [
            "answers with the channel, which is there from then on",
            "vk, which is linked on a page",
            "no token",
            "a refused token",
            "a transport that is not installed",
          ],
        },
      },
      {
        id: "channel-url",
        says: "wapi: `url` is the link that a person follows to connect the account",
        proof: {
          "test/api/connect-page.test.ts": [
            "a channel without credentials comes with the address of its page",
          ],
        },
      },
      {
        id: "channel-2fa",
        says: "POST /v2/channels/{id}/auth/2fa gives the password that the channel waits for; `data` is null",
        proof: { [LOGIN]: ["nobody waits for one", "nothing of it stays"] },
      },
      {
        id: "channel-reinit",
        says: "POST /v2/channels/{id}/reinit leads to init or active, with the listed fields",
        proof: { [CHANNELS]: ["reinit answers with the channel"] },
      },
      {
        id: "channel-delete",
        says: "DELETE /v2/channels/{id} removes the channel; delete_chats=true its chats too",
        proof: {
          [CHANNELS]: ["%j keeps %i of the chats"],
          [ERRORS]: ["a message that waits when its channel is deleted: MESSAGE_CANCELLED"],
        },
      },
      {
        id: "pairing-code",
        says: "POST /v2/channels/{id}/pairing-code answers `[{pairing_code, pairing_phone}]`",
        proof: { [LOGIN]: ["comes from the session", "is for the channel's own phone when none is given"] },
      },
      {
        id: "channel-status",
        says: "every status with its allowed reasons, and the way from one to the next",
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
        says: "POST /v2/messages answers `request_id` and `chat_id`; the outcome comes by webhook",
        proof: {
          [SEND]: ["the answer names the request and the chat"],
          "test/system/flow.test.ts": ["a message goes out, is told as sent, edited and taken back"],
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
        says: "chat_type and chat_id; username on telegram, phone on telegram and max, where chat_id is not known",
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
        says: "attachment: url required; name, mimetype, size and sha1 checked and used",
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
            "a file arrives with the name and the type that were given",
          ],
        },
      },
      {
        id: "send-template",
        says: "template: id, values, buttons with payload; the buttons may stand beside it",
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
        says: "business API: at most 10 buttons, further ones are ignored; labels above 20 characters are not sent; payload required",
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
        says: "bots: at most 12 buttons, labels of 64 characters, payloads of 1 to 64 bytes, what is beyond is not sent; inline and reply, options, removal",
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
        says: "MAX bots: rows of callback, link and message, each with what it requires",
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
        says: "a message ends the waiting of its chat, unless reset_unanswered is false",
        proof: {
          "test/api/unanswered.test.ts": [
            "our own message, in its chat",
            "one with reset_unanswered false does not",
          ],
        },
      },
      {
        id: "quote",
        says: "quoted_message_id names a message of the same chat",
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
          "test/system/flow.test.ts": ["a message goes out, is told as sent, edited and taken back"],
        },
      },
      {
        id: "delete",
        says: "DELETE /v2/messages/{id} removes the message for both sides",
        proof: {
          "test/system/flow.test.ts": ["a message goes out, is told as sent, edited and taken back"],
          [CHANGE]: ["49 hours later"],
        },
      },
      {
        id: "export",
        says: "messages_dump: a job with `pending`, `processing`, `done`, `webhook_failed`; the link comes by webhook",
        proof: {
          [EXPORTS]: [
            "waits as pending, without a link; nobody else sees it",
            "tells of the file at the v3 address, with no switch on, once",
            "that a receiver does not take makes it webhook_failed, until it is taken",
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
        says: "PATCH /v3/webhooks tests the address with `{test: true}` and answers ok",
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
        says: "uriNotValid for what is no address or has more than 200 characters",
        proof: { [SETTINGS]: ["%.30j is not valid", "200 characters are allowed"] },
      },
      {
        id: "webhook-get",
        says: "GET /v3/webhooks shows address and switches",
        proof: { [SETTINGS]: ["at first there is nothing", "switches and key last without an address"] },
      },
      {
        id: "webhook-key",
        says: "webhooks carry `Authorization: Bearer` with the crmKey, where there is one",
        proof: { [WEBHOOKS]: ["a webhook carries the CRM's key and a signature that verifies"] },
      },
      {
        id: "webhook-timeout",
        says: "a receiver has 30 seconds; messages and statuses may travel together",
        proof: {
          "test/api/webhook-delivery.test.ts": ["%j: %s"],
          "src/core/webhook/batch.test.ts": ["delivers every queue whole and in order, within the limits"],
        },
      },
      {
        id: "create-in-turn",
        says: "new clients in turn: createContact, then createDeal, each answered with the entity",
        proof: {
          [CREATION]: [
            "a new client's first message asks for the contact, its answer for the deal; both are kept",
            "each client goes to the next employee, and none of his messages counts twice",
          ],
        },
      },
      {
        id: "create-first",
        says: "new clients to the first respondent, once his id is known",
        proof: {
          [CREATION]: [
            "the first reply of a known employee that is sent asks for contact and deal",
            "what is written from the phone names no employee",
          ],
        },
      },
      {
        id: "create-button",
        says: "by button: the deal alone where the contact exists, else the contact first",
        proof: {
          [CREATION]: [
            "a client without a contact gets that first, then the deal, whatever the rule",
            "a contact gets one more deal at each press that was answered",
          ],
        },
      },
      {
        id: "create-existing",
        says: "nothing is sent for who exists, even with a closed deal; the CRM may answer with one it has",
        proof: {
          [CREATION]: [
            "when contact and deal exist, even a closed one",
            "answers with him, and its card is kept whole",
            "may answer with a deal of other contacts, closed",
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
        says: "every field of a message in `messages`",
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
          "test/api/templates.test.ts": ["moderation: %s", "changes are told once, and ids stay"],
        },
      },
      {
        id: "export-item",
        says: "messages_dump.status_update carries the link",
        proof: { [PAYLOADS]: ["export-done", "export-pending"] },
      },
      {
        id: "qr",
        says: "channel.qr_update with each new code",
        proof: {
          [LINK_STATE]: [
            "each code is told while the channel waits for it",
            "a code that comes late is not told",
          ],
        },
      },
      {
        id: "message-kinds",
        says: "what customers write, of every kind, arrives as the interface's type",
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
        says: "an access token opens /v2, an API key /v3; everything else is 401",
        proof: {
          "test/api/auth.test.ts": [
            "is closed to everybody unknown",
            "is open to the right kind of token and to no other",
          ],
        },
      },
      {
        id: "sidecar",
        says: "routes that a sidecar API key may not use answer 403",
        proof: {
          "test/api/auth.test.ts": ["a sidecar key opens four families of /v3, and is forbidden the others"],
        },
      },
      {
        id: "error-body",
        says: "errors are `{error, description, data?}` with a code of the catalogue",
        proof: {
          "test/api/fuzz.test.ts": ["$method $path answers as it is described, whatever it is asked"],
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
        says: "500 tells nothing but its number",
        proof: { "test/api/ops.test.ts": ["a failure of ours tells nothing but its number"] },
      },
      {
        id: "entities",
        says: "at most 100 entities per request",
        proof: { "test/api/crm-entities.test.ts": ["100 in a request, no more"] },
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
