import * as read from "../../../platform/foreign/foreign-json.ts";
import { isJson, itemsIn, type Json, required, textIn, Unreadable } from "../../kit/json.ts";

export { Unreadable };

const person = read.fields({ id: read.integerText, username: read.text });
const attachment = read.fields({
  type: read.text,
  payload: read.fields({ url: read.text, title: read.text }),
});
/** An ig.me link, an advertisement or a product (pages "Ads that click to Instagram" and "ig.me links"). */
const referral = read.fields({
  ref: read.text,
  referer_uri: read.text,
  ad_id: read.integerText,
  ads_context_data: read.fields({ ad_title: read.text, post_id: read.integerText }),
  product: read.fields({ id: read.integerText }),
});
export type Referral = NonNullable<ReturnType<typeof referral>>;
const message = read.fields({
  mid: read.text,
  referral,
  text: read.text,
  attachments: read.listOf(attachment),
  quick_reply: read.fields({ payload: read.text }),
  reply_to: read.fields({ mid: read.text, story: read.fields({ id: read.integerText, url: read.text }) }),
  is_echo: read.flag,
  is_deleted: read.flag,
  is_unsupported: read.flag,
});
/** Page "Webhooks", "Messaging" of the Instagram Platform. */
const messaging = read.fields({
  sender: person,
  recipient: person,
  timestamp: read.present,
  message,
  message_edit: read.fields({ mid: read.text, text: read.text }),
  read: read.fields({ mid: read.text, watermark: read.number }),
  reaction: read.fields({ mid: read.text, action: read.text }),
  postback: read.fields({ mid: read.text, title: read.text, payload: read.text, referral }),
  referral,
});
const comment = read.fields({
  id: read.integerText,
  from: person,
  media: read.fields({ id: read.integerText }),
  text: read.text,
  parent_id: read.integerText,
});
export type Messaging = read.Fields<Record<never, never>> & NonNullable<ReturnType<typeof messaging>>;
export type Message = NonNullable<ReturnType<typeof message>>;
export type Attachment = NonNullable<ReturnType<typeof attachment>>;

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
}
export interface Comment {
  readonly kind: "comment";
  readonly id: string;
  readonly igsid: string;
  readonly username?: string;
  readonly mediaId: string;
  readonly text: string;
  readonly parentId?: string;
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
  const items = safeItems(entry, "messaging").map((item) => {
    const raw = { id, time, messaging: [item] };
    return { accountId, raw, content: attempt(() => readMessaging(item, accountId)) };
  });
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

const ENTRY_PARTS: readonly string[] = ["id", "time", "messaging", "changes", "field", "value"];
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

function readMessaging(value: unknown, accountId: string): Direct | Unknown {
  const item = required(messaging(value), "news in the item");
  const parts = Object.keys(value as Json).filter((key) => !ADDRESS.includes(key));
  const known: readonly string[] = PARTS;
  const [part] = parts;
  if (part !== undefined && parts.every((key) => !known.includes(key)))
    return { kind: "unknown", what: `messaging.${part}` };
  const ids = [item.sender?.id, item.recipient?.id];
  const igsid = required(
    ids.find((id) => id !== undefined && id !== accountId),
    "person",
  );
  if (!PARTS.some((part) => item[part] !== undefined))
    throw new Unreadable("the item has no known type of event");
  return { kind: "direct", igsid, at: (value as Json)["timestamp"], item };
}

const COMMENT_FIELDS = ["comments", "live_comments"];

/** Own comments are ignored. */
function readChange(change: unknown, accountId: string, at: unknown): Comment | Unknown | null {
  const field = required(textIn(change, "field"), "field");
  if (!COMMENT_FIELDS.includes(field)) return { kind: "unknown", what: `changes.${field}` };
  const value = required(comment((change as Json)["value"]), "comment");
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
    ...(value.parent_id !== undefined && { parentId: value.parent_id }),
    at,
  };
}
