import type { MediaKind } from "../../../core/transport/definition.ts";
import type { InboundMessage, MessageBody } from "../../../core/transport/events.ts";
import { type Json, numberIn, objectIn, objectsIn, textIn } from "../../kit/json.ts";
import { joined, linked, wordsIn } from "../../kit/words.ts";
import { isFileAddress, isPage, targetOf } from "./addresses.ts";

/** One item of a message, with the fields that only this item has. */
export type Part = Pick<InboundMessage, "body" | "answers">;
/** What is behind the addresses that were looked at. */
export type FileKinds = ReadonlyMap<string, MediaKind | "page">;

/** Attachments whose type is that of their file (page "Webhooks", "Messaging"). */
const FILES: Readonly<Record<string, MediaKind>> = {
  image: "image",
  animated_image: "image",
  sticker: "image",
  video: "video",
  audio: "audio",
  file: "document",
};
/** Attachments whose address is a file or a page, with the usual kind of the file. */
const SHARES: Readonly<Record<string, MediaKind>> = {
  share: "image",
  media_share: "image",
  ig_post: "image",
  ig_story: "image",
  story_mention: "image",
  ephemeral: "image",
  ig_reel: "video",
  reel: "video",
};
/** Characters of a text that are searched for addresses; Instagram's longest has 1,000. */
const MAX_SEARCHED = 4_000;
const OTHERS = ["like_heart", "fallback", "template", "location"];

const typeOf = (attachment: Json): string => textIn(attachment, "type") ?? "attachment";
const kindIn = (kinds: Readonly<Record<string, MediaKind>>, type: string): MediaKind | undefined =>
  Object.hasOwn(kinds, type) ? kinds[type] : undefined;

/** Whether the type of an attachment has a meaning here. */
export function isKnownType(type: string): boolean {
  return [FILES, SHARES].some((kinds) => kindIn(kinds, type) !== undefined) || OTHERS.includes(type);
}

/** The address of an attachment's file or page. A shared story has it in a field of its own. */
function addressOf(attachment: Json): string | undefined {
  const payload = objectIn(attachment, "payload");
  return textIn(payload, "story_media_url") ?? textIn(payload, "url") ?? textIn(attachment, "url");
}

/** The address, if only its file shows what the attachment is. */
export function addressToLookAt(attachment: Json): string | undefined {
  const url = addressOf(attachment);
  const isShare = kindIn(SHARES, typeOf(attachment)) !== undefined;
  return isShare && url !== undefined && !isPage(url) ? url : undefined;
}

/**
 * The attachments that add something to the text: no preview of an address in it, and a post once. A shared post is
 * reported both as `share` and as `ig_post`; the latter has its title.
 */
export function withoutRepeats(attachments: readonly Json[], text: string): readonly Json[] {
  const titled = attachments.filter((each) => kindIn(SHARES, typeOf(each)) !== undefined && hasTitle(each));
  const posts = new Set(titled.map(postOf));
  const words = text.slice(0, MAX_SEARCHED);
  return attachments.filter((each) => {
    const url = addressOf(each);
    if (url === undefined) return true;
    if (typeOf(each) === "share" && !hasTitle(each) && posts.has(postOf(each))) return false;
    const isLink = typeOf(each) === "fallback" || (typeOf(each) === "share" && isPage(url));
    return !isLink || !words.includes(targetOf(url));
  });
}

const hasTitle = (attachment: Json): boolean =>
  textIn(objectIn(attachment, "payload"), "title") !== undefined;
/** The signatures of two addresses of one file differ. */
function postOf(attachment: Json): string {
  const url = addressOf(attachment) ?? "";
  return URL.parse(url)?.searchParams.get("asset_id") ?? url;
}

/** Pure. */
export function partOf(attachment: Json, kinds: FileKinds): Part {
  const type = typeOf(attachment);
  const payload = objectIn(attachment, "payload");
  if (type === "like_heart") return { body: { type: "text", text: "❤️" } };
  const card = cardOf(payload);
  if (card !== undefined) return card;
  const title = textIn(payload, "title") ?? textIn(attachment, "title");
  const url = addressOf(attachment);
  const place = placeOf(payload, linked(title, url) ?? "");
  if (place !== undefined) return { body: place };
  if (url === undefined) return { body: unsupported(type, wordsIn({ title, payload })) };
  const media = mediaOf(type, url, kinds);
  if (media === undefined) return { body: { type: "text", text: linked(title, targetOf(url)) ?? url } };
  return { body: { type: "media", media, file: { token: url }, text: title ?? "" } };
}

/** Undefined: the address is a link. */
function mediaOf(type: string, url: string, kinds: FileKinds): MediaKind | undefined {
  const found = kinds.get(url);
  if (isPage(url) || found === "page") return undefined;
  const known = kindIn(FILES, type) ?? found;
  if (known !== undefined) return known;
  const usual = kindIn(SHARES, type);
  return isFileAddress(url) ? (usual ?? "document") : type === "share" ? undefined : usual;
}

export function unsupported(what: string, text: string | null = null): MessageBody {
  return { type: "unsupported", what, ...(text !== null && { text }) };
}

function placeOf(payload: Json | undefined, text: string): MessageBody | undefined {
  const coordinates = objectIn(payload, "coordinates");
  const [latitude, longitude] = [numberIn(coordinates, "lat"), numberIn(coordinates, "long")];
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return { type: "geo", latitude, longitude, text };
}

/** A product of a shop, or a template that the business sent ("Generic Template", "Button Template"). */
function cardOf(payload: Json | undefined): Part | undefined {
  const product = objectIn(payload, "product");
  const holder = product ?? objectIn(payload, "generic") ?? payload;
  const elements = objectsIn(holder, "elements");
  if (elements.length === 0 && objectsIn(payload, "buttons").length === 0) return undefined;
  const lines = [textIn(payload, "text"), ...elements.flatMap(elementLines), ...buttonLines(payload)];
  const text = joined(lines) ?? wordsIn(payload);
  const type = product === undefined ? "template" : "product";
  const answers = [{ type, payload: jsonOf(payload) }];
  return { body: text === null ? unsupported(type) : { type: "text", text }, answers };
}

/** Without the fields that are null. */
const jsonOf = (payload: unknown): string =>
  JSON.stringify(payload, (_, value: unknown) => value ?? undefined);

function elementLines(element: Json): readonly (string | undefined)[] {
  const names = ["title", "subtitle", "retailer_id"].map((key) => textIn(element, key));
  const address = textIn(objectIn(element, "default_action"), "url") ?? textIn(element, "item_url");
  return [...names, address, ...buttonLines(element)];
}

function buttonLines(holder: Json | undefined): readonly (string | undefined)[] {
  return objectsIn(holder, "buttons").map((button) => linked(textIn(button, "title"), textIn(button, "url")));
}
