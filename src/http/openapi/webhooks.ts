import { type TSchema, Type } from "typebox";
import * as v2 from "../../core/payload/v2-shapes.ts";
import * as v3 from "../../core/payload/v3-shapes.ts";
import { type JsonSchema, openApiSchema } from "./json-schema.ts";
import type { Parameter } from "./operation.ts";
import { exampleOf } from "./page/example.ts";

/** A request of the service to a receiver, as described in OpenAPI. */
export interface Webhook {
  readonly post: {
    readonly operationId: string;
    readonly tags: readonly ["events"];
    readonly summary: string;
    readonly description: string;
    /** The signature is in the headers. */
    readonly security: readonly [];
    readonly parameters: readonly Parameter[];
    readonly requestBody: {
      readonly required: true;
      readonly content: {
        readonly "application/json": { readonly schema: JsonSchema; readonly example: unknown };
      };
    };
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** When each kind of event is sent. */
export const WHEN: Readonly<Record<string, string>> = {
  messages:
    "a customer or the owner's phone sends a message, or a message is edited or deleted (switch `messagesAndStatuses`)",
  statuses: "the status of an outgoing message changes (switch `messagesAndStatuses`)",
  reactions: "a person or the channel reacts to a message, or removes the reaction (switch `reactions`)",
  createContact:
    "a contact is to be created for a new client; respond with the entity (switch `contactsAndDealsCreation`)",
  createDeal:
    "a deal is to be created for a new client; respond with the entity (switch `contactsAndDealsCreation`)",
  channelsUpdates:
    "a channel's status or tier changes, it has a new QR code, or it is deleted while its chats are kept (switch `channelsUpdates`)",
  templateStatus: "a template passed or failed its moderation (switch `templateStatus`)",
  "message.add": "a customer or the owner's phone sends a message",
  "message.status_update": "the status of an outgoing message changes",
  "message.edit": "a message is edited by any side",
  "message.delete": "a message is deleted by any side",
  "message.reaction": "a person or the channel reacts to a message, or removes the reaction",
  "channel.create": "a channel is created",
  "channel.delete": "a channel is deleted",
  "channel.status_update": "a channel's status, name, phone or username changes",
  "channel.qr_update": "a channel has a new QR code to scan",
  "channel.waba_tier_update": "the tier of a business channel changes",
  "channel.history": "the import of a channel's earlier messages begins, gets on or ends",
  "phones.checked":
    "phone numbers of `POST /v2/channels/{id}/phones/check` were looked up, which may take hours: messengers restrict accounts that look up many",
  "waba_template.status_update": "a template passed or failed its moderation",
  "crm_entities.contact_add":
    "a contact is to be created for a new client; respond with the entity in the format of `POST /v2/contacts`. Replaces `createContact`",
  "crm_entities.deal_add":
    "a deal is to be created for a new client; respond with the entity in the format of `POST /v2/deals`. Replaces `createDeal`",
  "group_chat.update":
    "the name or picture of a group changes; `changes` lists which, `changed_by` is `null` if unknown",
  "group_chat.memberships_update":
    "people join or leave a group, or their role changes: `action` is `added` (joined by themselves if `changed_by` is the same person), `removed`, `left`, `promoted` (to administrator) or `demoted`. The channel's own account is included; its `id` is the channel's `messenger_id`",
  "messages_dump.status_update": "an export ends",
};

const list = (item: TSchema) => Type.Array(item, { description: "The events, oldest first" });

/** Bodies of v3 by kind. Messages and statuses may share one request. */
const V3_BODIES: Readonly<Record<string, TSchema>> = {
  messages: Type.Object({ messages: list(v3.messageItem), statuses: Type.Optional(list(v3.statusItem)) }),
  statuses: Type.Object({ statuses: list(v3.statusItem), messages: Type.Optional(list(v3.messageItem)) }),
  reactions: Type.Object({ reactions: list(v3.reactionItem) }),
  createContact: Type.Object({ createContact: described(v3.contactRequest, "The contact to create") }),
  createDeal: Type.Object({ createDeal: described(v3.dealRequest, "The deal to create") }),
  channelsUpdates: Type.Object({ channelsUpdates: list(v3.channelItem) }),
  templateStatus: Type.Object({ templateStatus: described(v3.templateItem, "The template") }),
};

/** Items of `data` in v2 by event. */
const V2_ITEMS: Readonly<Record<string, TSchema>> = {
  "message.add": v2.messageItem,
  "message.status_update": v2.statusItem,
  "message.edit": v2.messageItem,
  "message.delete": v2.messageItem,
  "message.reaction": v2.reactionItem,
  "channel.create": v2.channelItem,
  "channel.delete": v2.channelItem,
  "channel.status_update": v2.channelItem,
  "channel.qr_update": v2.qrItem,
  "channel.waba_tier_update": v2.tierItem,
  "channel.history": v2.historyItem,
  "phones.checked": v2.phonesItem,
  "waba_template.status_update": v2.templateEventItem,
  "crm_entities.contact_add": v2.contactAddItem,
  "crm_entities.deal_add": v2.dealAddItem,
  "group_chat.update": v2.groupItem,
  "group_chat.memberships_update": v2.membersItem,
  "messages_dump.status_update": v2.exportItem,
};

function described(schema: TSchema, description: string): TSchema {
  return { ...schema, description };
}

function envelope(event: string, item: TSchema): TSchema {
  return Type.Object({
    event: Type.Literal(event, { description: "Name of the event" }),
    data: list(item),
    meta: Type.Object(
      {
        idempotency_key: Type.String({ description: "The same at every repetition of this request" }),
        timestamp: Type.Integer({ description: "Time of the first event, Unix seconds" }),
      },
      { title: "EventMeta", description: "About the request" },
    ),
  });
}

/**
 * The `webhooks` of the description, by kind of event: the schemas from which the payload builders are typed. Pure.
 */
export function webhooks(): Record<string, Webhook> {
  const bodies = [
    ...Object.entries(V3_BODIES),
    ...Object.entries(V2_ITEMS).map(([event, item]) => [event, envelope(event, item)] as const),
  ];
  return Object.fromEntries(bodies.map(([kind, body]) => [kind, webhook(kind, body)]));
}

function webhook(kind: string, body: TSchema): Webhook {
  const schema = openApiSchema(body as JsonSchema);
  return {
    post: {
      operationId: `on_${kind.replaceAll(".", "_")}`,
      tags: ["events"],
      summary: `Sent when ${WHEN[kind]}`,
      description: `Sent to your address when ${WHEN[kind]}. Repeated until you accept it: recognise repetitions by \`webhook-id\`.`,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { "application/json": { schema, example: exampleOf(schema) } },
      },
      responses: { "2XX": { description: answerTo(kind) } },
    },
  };
}

const header = (name: string, description: string, required = true): Parameter => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

/** Standard Webhooks, and the key that an account has set. */
const HEADERS: readonly Parameter[] = [
  header("webhook-id", "The same at every repetition of this request"),
  header("webhook-timestamp", "Time of this attempt, Unix seconds"),
  header(
    "webhook-signature",
    "Signatures `v1,` + base64 of HMAC-SHA256 over id, timestamp and body, separated by spaces",
  ),
  header("Authorization", "`Bearer` and the account's `crmKey`, if it has set one", false),
];

/** The expected response of the receiver, within 30 seconds. */
function answerTo(kind: string): string {
  const isAsked = kind.startsWith("create") || kind.startsWith("crm_entities.");
  return isAsked ? "Accepted; the body is the new entity" : "Accepted; a body is not read";
}
