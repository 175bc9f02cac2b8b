import type { MessageBody } from "../../../core/transport/events.ts";
import type { MessageInputs } from "../../../core/transport/message.ts";
import { readForm } from "../../kit/form.ts";
import { isJson, type Json, numberIn, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { answerJson, joined, linked, wordsIn } from "../../kit/words.ts";
import { toVcard } from "./vcard.ts";

/** The content of a message: its body, a pressed button, structured answers. */
export interface MessageContent extends MessageInputs {
  readonly body: MessageBody;
}

type Media = Extract<MessageBody, { type: "media" }>["media"];
const MEDIA: Readonly<Record<string, Media>> = {
  image: "image",
  sticker: "image",
  video: "video",
  audio: "audio",
  // The former name of an audio with `voice`.
  voice: "audio",
  document: "document",
};

export function isMedia(type: string | undefined): boolean {
  return type !== undefined && Object.hasOwn(MEDIA, type);
}

/** The types that `readContent` knows. */
export const CONTENT_TYPES: readonly string[] = [
  ...Object.keys(MEDIA),
  "text",
  "location",
  "contacts",
  "button",
  "interactive",
  "order",
  "reaction",
  "request_welcome",
  // What Meta does not pass on has one of these names.
  "unsupported",
  "unknown",
];

/** Null if the message carries neither words nor a file of the person. Pure. */
export function readContent(message: Json): MessageContent | null {
  const type = textIn(message, "type") ?? "unknown";
  const part = objectIn(message, type);
  switch (type) {
    case "text":
      return wordsOf(textIn(part, "body"));
    case "location":
      return placeOf(part) ?? unsupported(type, part);
    case "contacts":
      return cardsOf(objectsIn(message, "contacts"));
    case "button":
      return pressOf({ text: textIn(part, "text"), payload: textIn(part, "payload") });
    case "interactive":
      return answerOf(part);
    case "order":
      return part === undefined ? unsupported(type) : orderOf(part);
    case "reaction":
    case "system":
    case "request_welcome":
      return null;
    default:
      return mediaOf(type, part) ?? unsupported(textIn(part, "type") ?? type, part);
  }
}

function wordsOf(text: string | null | undefined): MessageContent | null {
  return text === undefined || text === null ? null : { body: { type: "text", text } };
}

/** A file of a type that is new has the fields of the others. */
function mediaOf(type: string, part: Json | undefined): MessageContent | null {
  const token = textIn(part, "id");
  const mimeType = textIn(part, "mime_type");
  const media =
    (Object.hasOwn(MEDIA, type) ? MEDIA[type] : undefined) ??
    (mimeType === undefined ? undefined : mediaOfMime(mimeType));
  if (token === undefined || media === undefined) return null;
  const name = textIn(part, "filename");
  const file = {
    token,
    ...(name === undefined ? {} : { name }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  return { body: { type: "media", media, file, text: textIn(part, "caption") ?? "" } };
}

function mediaOfMime(mimeType: string): Media {
  const [kind = ""] = mimeType.split("/");
  return kind === "image" || kind === "video" || kind === "audio" ? kind : "document";
}

function placeOf(part: Json | undefined): MessageContent | null {
  const [latitude, longitude] = [numberIn(part, "latitude"), numberIn(part, "longitude")];
  if (latitude === undefined || longitude === undefined) return null;
  const about = joined([textIn(part, "name"), textIn(part, "address")]) ?? undefined;
  return { body: { type: "geo", latitude, longitude, text: linked(about, textIn(part, "url")) ?? "" } };
}

function cardsOf(contacts: readonly Json[]): MessageContent | null {
  return contacts.length === 0 ? null : { body: { type: "vcard", vcard: contacts.map(toVcard).join("\n") } };
}

/** A pressed button, or a row of a list, which may have a description. */
function pressOf(press: {
  readonly text: string | undefined;
  readonly payload: string | undefined;
  readonly description?: string | undefined;
}): MessageContent | null {
  const { payload, description } = press;
  const text = press.text ?? payload;
  if (text === undefined) return null;
  const pressed = payload === undefined ? { text } : { text, payload };
  return { body: { type: "text", text: joined([text, description]) ?? text }, pressed };
}

function answerOf(part: Json | undefined): MessageContent | null {
  const reply = objectIn(part, "button_reply") ?? objectIn(part, "list_reply");
  if (reply !== undefined) {
    const [text, payload] = [textIn(reply, "title"), textIn(reply, "id")];
    return pressOf({ text, payload, description: textIn(reply, "description") });
  }
  const form = objectIn(part, "nfm_reply");
  if (form !== undefined) return formOf(form);
  // Whether the business may call the person: not words of theirs.
  if (objectIn(part, "call_permission_reply") !== undefined) return null;
  const type = textIn(part, "type") ?? "interactive";
  const answers = part === undefined ? {} : { answers: [{ type, payload: answerJson(part) }] };
  return { ...unsupported(type, part), ...answers };
}

/** A completed form (a Flow), an address, or a payment method. `response_json` is JSON text. */
function formOf(form: Json): MessageContent {
  const type = textIn(form, "name") ?? "form";
  const { text, ...answers } = readForm({
    type,
    words: textIn(form, "body"),
    json: textIn(form, "response_json"),
  });
  return { ...(wordsOf(text) ?? unsupported(type)), ...answers };
}

function orderOf(order: Json): MessageContent {
  const text = joined([textIn(order, "text"), ...objectsIn(order, "product_items").map(itemOf)]);
  const answers = [{ type: "order", payload: answerJson(order) }];
  return { ...(wordsOf(text) ?? unsupported("order")), answers };
}

/** For example `SKU-1 × 2, 30 USD`. */
function itemOf(item: Json): string | undefined {
  const quantity = textIn(item, "quantity");
  const name = [textIn(item, "product_retailer_id"), quantity === undefined ? undefined : `× ${quantity}`];
  const price = [textIn(item, "item_price"), textIn(item, "currency")];
  return joined([joined(name, " ") ?? undefined, joined(price, " ") ?? undefined], ", ") ?? undefined;
}

/** Everything readable of a part of an unknown kind. */
function unsupported(what: string, part?: unknown): MessageContent {
  const text = isJson(part) ? wordsIn({ ...part, type: undefined }) : null;
  return {
    body: { type: "unsupported", what: what.replaceAll("_", " "), ...(text === null ? {} : { text }) },
  };
}
