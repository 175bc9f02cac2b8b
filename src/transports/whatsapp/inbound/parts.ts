import type { proto } from "baileys";
import type { MediaKind } from "../../../core/transport/definition.ts";
import type { MessageBody } from "../../../core/transport/events.ts";
import type { MessageInputs } from "../../../core/transport/message.ts";
import { number, text } from "../../../platform/foreign/foreign-json.ts";
import { joined, linked } from "../../kit/words.ts";
import { fileRefOf, type MediaType } from "../file-token.ts";

/** What a person reads of a message: its body, a pressed button, structured answers. */
export interface MessageContent extends MessageInputs {
  readonly body: MessageBody;
  /** Further files, such as those of cards: items of their own. */
  readonly more?: readonly MessageBody[];
}

export function words(said: unknown): MessageContent | null {
  const found = text(said);
  return found === undefined ? null : { body: { type: "text", text: found } };
}

export function unsupported(what: string, lines: readonly unknown[] = []): MessageContent {
  const said = joined(lines.map(text));
  return { body: { type: "unsupported", what, ...(said === null ? {} : { text: said }) } };
}

interface MediaMessage {
  readonly mediaKey?: Uint8Array | null | undefined;
  readonly directPath?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly mimetype?: string | null | undefined;
  readonly fileLength?: unknown;
  readonly caption?: string | null | undefined;
  readonly fileName?: string | null | undefined;
  readonly title?: string | null | undefined;
}

export function media(kind: MediaKind, type: MediaType, message: MediaMessage): MessageContent {
  const name = text(message.fileName) ?? text(message.title);
  const file = fileRefOf(type, message, { name, mimeType: text(message.mimetype) });
  return { body: { type: "media", media: kind, file, text: text(message.caption) ?? "" } };
}

/** The header of a business's message. */
export interface Header {
  readonly documentMessage?: proto.Message.IDocumentMessage | null;
  readonly imageMessage?: proto.Message.IImageMessage | null;
  readonly videoMessage?: proto.Message.IVideoMessage | null;
  readonly locationMessage?: proto.Message.ILocationMessage | null;
}

/** The header's file or place with the lines as its text, or the lines alone; null if there is neither. */
export function readFile(
  header: Header,
  lines: readonly (string | null | undefined)[],
): MessageContent | null {
  const said = joined(lines.map(text));
  const { body } = headerOf(header) ?? { body: null };
  if (body?.type !== "media" && body?.type !== "geo") return words(said);
  return { body: { ...body, text: joined([text(body.text), said ?? undefined]) ?? "" } };
}

function headerOf({ imageMessage, videoMessage, documentMessage, locationMessage }: Header) {
  if (imageMessage != null) return media("image", "image", imageMessage);
  if (videoMessage != null) return media("video", "video", videoMessage);
  if (documentMessage != null) return media("document", "document", documentMessage);
  return locationMessage == null ? null : geo(locationMessage);
}

export function geo(
  place: proto.Message.ILocationMessage & { readonly caption?: string | null },
): MessageContent {
  const about = joined([place.name, place.address, place.comment ?? place.caption].map(text)) ?? undefined;
  const said = linked(about, text(place.url));
  // Protobuf omits a coordinate of 0.
  const [latitude, longitude] = [place.degreesLatitude ?? 0, place.degreesLongitude ?? 0].map(number);
  if (latitude === undefined || longitude === undefined) return unsupported("location", [said]);
  return { body: { type: "geo", latitude, longitude, text: said ?? "" } };
}

/** The objects of a list. */
export function items<T>(list: readonly T[] | null | undefined): NonNullable<T>[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.filter((item) => typeof item === "object" && item !== null) as NonNullable<T>[];
}

/** A price of which WhatsApp states thousandths, with its currency. */
export function amountOf(thousandths: unknown, currency: unknown): string | undefined {
  const value = wholeOf(thousandths);
  return value === undefined ? undefined : (joined([String(value / 1000), text(currency)], " ") ?? undefined);
}

/** For example `2026-12-01 10:00 UTC`; `ms` are the milliseconds of the time's unit. */
export function timeOf(time: unknown, ms: number): string | undefined {
  const at = new Date((wholeOf(time) ?? Number.NaN) * ms);
  return Number.isNaN(at.getTime()) ? undefined : `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A positive integer; those of 64 bits are objects or texts. */
function wholeOf(value: unknown): number | undefined {
  const found = value === null || value === undefined ? Number.NaN : Number(String(value));
  return Number.isSafeInteger(found) && found > 0 ? found : undefined;
}
