import * as read from "../../../platform/foreign/foreign-json.ts";
import { isJson, itemsIn, type Json, objectIn, required, textIn, Unreadable } from "../../kit/json.ts";
import { isKnownType } from "./attachments.ts";

export { Unreadable };

const person = read.fields({ id: read.integerText, username: read.text });
const object: read.Reader<Json> = (value) => (isJson(value) ? value : undefined);
/** An ig.me link, an advertisement or a product (pages "Ads that click to Instagram" and "ig.me links"). */
const referral = read.fields({
  ref: read.anyText,
  source: read.text,
  referer_uri: read.text,
  ad_id: read.integerText,
  ads_context_data: read.fields({ ad_title: read.text, post_id: read.integerText }),
  product: read.fields({ id: read.integerText }),
});
export type Referral = NonNullable<ReturnType<typeof referral>>;
const messageShape = {
  mid: read.text,
  referral,
  text: read.anyText,
  attachments: read.listOf(object),
  quick_reply: read.fields({ payload: read.anyText }),
  reply_to: read.fields({ mid: read.text, story: read.fields({ id: read.anyText, url: read.text }) }),
  is_echo: read.flag,
  is_deleted: read.flag,
  is_unsupported: read.flag,
};
const message = read.fields(messageShape);
const MESSAGE_PARTS: readonly string[] = Object.keys(messageShape);
/** Page "Webhooks", "Messaging" of the Instagram Platform. */
const messaging = read.fields({
  sender: person,
  recipient: person,
  timestamp: read.present,
  message,
  message_edit: read.fields({ mid: read.text, text: read.anyText, num_edit: read.number }),
  read: read.fields({ mid: read.text, watermark: read.number }),
  reaction: read.fields({ mid: read.text, action: read.text, emoji: read.text }),
  postback: read.fields({ mid: read.text, title: read.anyText, payload: read.anyText, referral }),
  referral,
});
const comment = read.fields({
  id: read.integerText,
  from: person,
  media: read.fields({ id: read.integerText, ad_id: read.integerText, ad_title: read.text }),
  text: read.anyText,
  parent_id: read.integerText,
});
export type Messaging = read.Fields<Record<never, never>> & NonNullable<ReturnType<typeof messaging>>;
export type Message = NonNullable<ReturnType<typeof message>>;

/** One notification for one account, with its raw payload for a dead letter. */
export interface Notification {
  readonly accountId: string;
  readonly raw: Json;
  readonly content: Direct | Comment | Unknown | Unreadable | null;
}
/** A part that the connector does not know. */
export interface Unknown {
  readonly kind: "unknown";
  /** Such as `changes.mentions`. */
  readonly what: string;
}
export interface Direct {
  readonly kind: "direct";
  readonly igsid: string;
  readonly at: unknown;
  readonly item: Messaging;
  /** Fields of the message that the connector does not know. */
  readonly more: Json;
  /** The parts that the connector does not know. */
  readonly unknown: readonly UnknownPart[];
}
export interface UnknownPart extends Unknown {
  readonly sample: unknown;
}
export interface Comment {
  readonly kind: "comment";
  readonly id: string;
  readonly igsid: string;
  readonly username?: string;
  readonly mediaId: string;
  readonly text: string;
  readonly parentId?: string;
  /** The advertisement that was commented on. */
  readonly ad?: { readonly ad_id?: string | undefined; readonly ad_title?: string | undefined };
  readonly at: unknown;
}

/** Throws `Unreadable` if the body is not a webhook call of Meta's. */
export function readCall(body: unknown): Notification[] {
  if (!isJson(body)) throw new Unreadable("the body is not an object");
  return itemsIn(body, "entry").flatMap(readEntry);
}

/** Parses an entry, also one stored as a dead letter. With Instagram Login an entry may itself be a change. */
export function readEntry(entry: unknown): Notification[] {
  if (!isJson(entry)) return [];
  const accountId = textIn(entry, "id");
  if (accountId === undefined) return [];
  const { id, time } = entry;
  const items = MESSAGING.flatMap((key) =>
    safeItems(entry, key).map((item) => {
      const raw = { id, time, [key]: [item] };
      return { accountId, raw, content: attempt(() => readMessaging(item, accountId)) };
    }),
  );
  const inEntry = entry["messaging"] == null && entry["changes"] == null && entry["field"] != null;
  const changes = inEntry ? [{ field: entry["field"], value: entry["value"] }] : safeItems(entry, "changes");
  const comments = changes.map((change) => {
    const raw = { id, time, changes: [change] };
    return { accountId, raw, content: attempt(() => readChange(change, accountId, time)) };
  });
  const others = Object.keys(entry)
    .filter((key) => !ENTRY_PARTS.includes(key))
    .slice(0, MAX_UNKNOWN)
    .map((key) => ({
      accountId,
      raw: { id, time, [key]: entry[key] },
      content: { kind: "unknown" as const, what: `entry.${key}` },
    }));
  return [...items, ...comments, ...others];
}

/** What people write while another app answers them arrives as `standby` (page "Handover Protocol"). */
const MESSAGING = ["messaging", "standby"] as const;
const ENTRY_PARTS: readonly string[] = ["id", "time", ...MESSAGING, "changes", "field", "value"];
/** Per entry and item; a hostile one may have thousands. */
const MAX_UNKNOWN = 3;

function safeItems(entry: Json, key: string): readonly unknown[] {
  const value = entry[key] ?? [];
  return Array.isArray(value) ? value : [value];
}

function attempt(work: () => Direct | Comment | Unknown | null): Notification["content"] {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

const ADDRESS: readonly string[] = ["sender", "recipient", "timestamp"];
const PARTS = ["message", "message_edit", "read", "reaction", "postback", "referral"] as const;
/** Fields of a message without words of people, besides those that are read. */
const MACHINE_PARTS: readonly string[] = ["is_self", "app_id", "metadata", "seq", "nlp", "traits", "tags"];

function readMessaging(value: unknown, accountId: string): Direct | Unknown {
  const item = required(messaging(value), "news in the item");
  const parts = Object.keys(value as Json).filter((key) => !ADDRESS.includes(key));
  const known: readonly string[] = PARTS;
  const [part] = parts;
  if (part !== undefined && parts.every((key) => !known.includes(key)))
    return { kind: "unknown", what: `messaging.${part}` };
  const ids = [item.sender?.id, item.recipient?.id];
  // The account writes to itself.
  if (ids.every((id) => id === accountId)) return { kind: "unknown", what: "messaging.self" };
  const igsid = required(
    ids.find((id) => id !== undefined && id !== accountId),
    "person",
  );
  if (!PARTS.some((part) => item[part] !== undefined))
    throw new Unreadable("the item has no known type of event");
  const more = unreadFields((value as Json)["message"]);
  const unknown = unknownParts(
    parts.filter((key) => !known.includes(key)),
    { item: value as Json, more, attachments: item.message?.attachments ?? [] },
  );
  return { kind: "direct", igsid, at: (value as Json)["timestamp"], item, more, unknown };
}

function unreadFields(value: unknown): Json {
  if (!isJson(value)) return {};
  const entries = Object.entries(value).filter(
    ([key]) => !MESSAGE_PARTS.includes(key) && !MACHINE_PARTS.includes(key),
  );
  return Object.fromEntries(entries);
}

function unknownParts(
  parts: readonly string[],
  {
    item,
    more,
    attachments,
  }: { readonly item: Json; readonly more: Json; readonly attachments: readonly Json[] },
): UnknownPart[] {
  const strange = attachments.filter((each) => !isKnownType(textIn(each, "type") ?? ""));
  const types = new Map(strange.map((each) => [textIn(each, "type") ?? "none", each]));
  return [
    ...parts.map((key) => ({ what: `messaging.${key}`, sample: item[key] })),
    ...Object.entries(more).map(([key, sample]) => ({ what: `message.${key}`, sample })),
    ...[...types].map(([type, sample]) => ({ what: `attachment.${type}`, sample })),
  ]
    .slice(0, MAX_UNKNOWN)
    .map((each) => ({ kind: "unknown", ...each }));
}

const COMMENT_FIELDS = ["comments", "live_comments"];
/** Fields whose value is an item of messaging (page "Webhooks", "Subscribe to fields"). */
const MESSAGING_FIELDS = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "messaging_referral",
  "message_reactions",
  "message_edit",
  "standby",
];

/** Own comments are ignored. */
function readChange(change: unknown, accountId: string, at: unknown): Direct | Comment | Unknown | null {
  const field = required(textIn(change, "field"), "field");
  const item = objectIn(change, "value");
  // Instagram Login reports messages as changes, too (page "Webhooks", "Examples").
  if (MESSAGING_FIELDS.includes(field)) return readMessaging(item, accountId);
  if (!COMMENT_FIELDS.includes(field)) return { kind: "unknown", what: `changes.${field}` };
  const value = required(comment(item), "comment");
  const igsid = required(value.from?.id, "author");
  if (igsid === accountId) return null;
  const { username } = value.from ?? {};
  return {
    kind: "comment",
    id: required(value.id, "id of the comment"),
    igsid,
    ...(username !== undefined && { username }),
    mediaId: required(value.media?.id, "post"),
    text: value.text ?? "",
    ...(value.media?.ad_id !== undefined && { ad: value.media }),
    ...(value.parent_id !== undefined && { parentId: value.parent_id }),
    at,
  };
}
