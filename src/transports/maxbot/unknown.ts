import { isJson, objectIn, objectsIn, textIn } from "../kit/json.ts";
import { unknownFields } from "../kit/unknown-fields.ts";
import { KNOWN_TYPES, toBodies } from "./body.ts";
import { contentOf, UPDATE_TYPES } from "./inbound.ts";
import type { MaxUpdate } from "./update.ts";

/** Per update; a hostile one may have thousands. */
const MAX_UNKNOWN = 3;
const MAX_DEPTH = 10;

/** Updates that are received and say nothing about messages: who muted or cleared the dialog. */
const SILENT_TYPES: readonly string[] = ["dialog_muted", "dialog_unmuted", "dialog_cleared"];
const TYPES: ReadonlySet<string> = new Set([...UPDATE_TYPES, ...SILENT_TYPES]);

/** `stat`: the views of a channel's post; `url`: its page; `constructor`: the bot that composed it. */
const MESSAGE: ReadonlySet<string> = new Set([
  ...["sender", "recipient", "timestamp", "link", "body"],
  ...["stat", "url", "constructor"],
]);
const BODY: ReadonlySet<string> = new Set(["mid", "seq", "text", "attachments", "markup", "link"]);
const LINK: ReadonlySet<string> = new Set(["type", "sender", "chat_id", "message"]);
const MARKUP: ReadonlySet<string> = new Set(["type", "from", "length", "url", "user_link", "user_id"]);
/** Beside what is read: dimensions and previews. */
const ATTACHMENT: ReadonlySet<string> = new Set([
  ...["type", "payload", "filename", "size", "latitude", "longitude", "title", "description"],
  ...["transcription", "buttons", "data", "image_url", "thumbnail", "width", "height", "duration"],
  ...["callback_id", "direct", "direct_user_id"],
]);
const PAYLOAD: ReadonlySet<string> = new Set([
  ...["url", "token", "photo_id", "code", "buttons", "name", "contact_id"],
  ...["vcf_info", "vcf_phone", "hash", "max_info"],
]);

/** The kinds of what an update has and the connector does not know. Pure. */
export function unknownIn(update: MaxUpdate, raw: unknown): readonly string[] {
  const { update_type = "", message } = update;
  if (!TYPES.has(update_type)) return [`update.${update_type}`];
  const sent = objectIn(raw, "message");
  const kinds = [
    ...unknownFields(sent, MESSAGE).map((name) => `message.${name}`),
    ...unknownInBody(objectIn(sent, "body")),
    ...unknownInLink(objectIn(sent, "link"), MAX_DEPTH),
  ];
  const isContent = update_type === "message_created" || update_type === "message_edited";
  if (isContent && message !== undefined && toBodies(contentOf(message)).length === 0)
    kinds.push("message.empty");
  return [...new Set(kinds)].slice(0, MAX_UNKNOWN);
}

function unknownInLink(link: unknown, depth: number): string[] {
  if (!isJson(link) || depth === 0) return [];
  const type = textIn(link, "type") ?? "";
  const body = objectIn(link, "message");
  return [
    ...(type === "reply" || type === "forward" ? [] : [`link.${type}`]),
    ...unknownFields(link, LINK).map((name) => `link.${name}`),
    ...unknownInBody(body),
    ...unknownInLink(objectIn(body, "link"), depth - 1),
  ];
}

function unknownInBody(body: unknown): string[] {
  return [
    ...unknownFields(body, BODY).map((name) => `body.${name}`),
    ...objectsIn(body, "markup").flatMap((each) =>
      unknownFields(each, MARKUP).map((name) => `markup.${name}`),
    ),
    ...objectsIn(body, "attachments").flatMap(unknownInAttachment),
  ];
}

function unknownInAttachment(attachment: unknown): string[] {
  const type = textIn(attachment, "type") ?? "";
  if (!KNOWN_TYPES.has(type)) return [`attachment.${type}`];
  return [
    ...unknownFields(attachment, ATTACHMENT).map((name) => `${type}.${name}`),
    ...unknownFields(objectIn(attachment, "payload"), PAYLOAD).map((name) => `${type}.payload.${name}`),
  ];
}
