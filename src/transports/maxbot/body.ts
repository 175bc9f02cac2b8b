import type { FileRef, InboundMessage, MessageBody } from "../../core/transport/events.ts";
import { toVcard } from "../kit/contact-card.ts";
import { withAddresses } from "../kit/marked-words.ts";
import { bodiesOf, itemPart, joinParts, NOTHING, type Part, quotedPart, wordsPart } from "../kit/part.ts";
import { hasAddress, linked, wordsIn } from "../kit/words.ts";
import type { MaxAttachment, MaxBody, MaxLinked } from "./update.ts";

/** Prefixes of `FileRef.token`. A video's URL must be requested; the other URLs come with the message. */
export const FILE = { url: "url:", video: "video:" } as const;

/** The types of attachments that are read. */
export const KNOWN_TYPES: ReadonlySet<string> = new Set([
  "image",
  "sticker",
  "video",
  "audio",
  "file",
  "contact",
  "location",
  "share",
  "inline_keyboard",
  "reply_keyboard",
  "data",
]);

/**
 * The bodies of a message (dev.max.ru, "Message"): all its words, then those of what it forwards, with the first file or
 * place; every other file is a body of its own. None if it carries nothing.
 */
export function toBodies(body: MaxBody): readonly MessageBody[] {
  return bodiesOf(partOf(body));
}

/** The body of a message that is quoted: without its buttons, which are ours mostly. */
export function quotedBody({ attachments = [], ...body }: MaxBody): MessageBody | undefined {
  const content = attachments.filter(({ type = "" }) => !type.endsWith("_keyboard"));
  return toBodies({ ...body, attachments: content })[0];
}

/** The button that a message is the answer to. */
export function pressedIn({ text, attachments = [] }: MaxBody): InboundMessage["pressed"] {
  const payload = attachments.find(({ type, data }) => type === "data" && data !== undefined)?.data;
  return payload === undefined ? undefined : { text: text ?? payload, payload };
}

function partOf({ text, markup = [], attachments = [], link }: MaxBody): Part {
  const stretches = markup.flatMap(({ from, length, url, user_link }) => {
    const address = url ?? user_link;
    if (address === undefined || from === undefined || length === undefined) return [];
    return [{ offset: from, length, url: address }];
  });
  const words = text === undefined ? "" : withAddresses(text, stretches);
  return joinParts([
    wordsPart([words]),
    ...attachments.map((attachment) => attachmentPart(attachment, words)),
    linkedPart(link),
  ]);
}

function linkedPart(link: MaxLinked | undefined): Part {
  return link?.message === undefined ? NOTHING : quotedPart(partOf(link.message));
}

/** `words` are those of the message. */
function attachmentPart(attachment: MaxAttachment, words: string): Part {
  const { type = "attachment" } = attachment;
  switch (type) {
    case "image":
      return mediaPart("image", urlRef(attachment, { mimeType: "image/jpeg" }));
    case "sticker":
      return mediaPart("image", urlRef(attachment, { mimeType: "image/webp" }));
    case "video":
      return mediaPart("video", videoRef(attachment));
    case "audio":
      return mediaPart("audio", urlRef(attachment), attachment.transcription);
    case "file":
      return mediaPart("document", urlRef(attachment, fileFacts(attachment)), attachment.filename);
    case "contact":
      return contactPart(attachment);
    case "location":
      return placePart(attachment);
    case "share":
      return sharePart(attachment, words);
    case "inline_keyboard":
    case "reply_keyboard":
      return keyboardPart(attachment);
    case "data":
      return words === "" ? wordsPart([attachment.data]) : NOTHING;
    default:
      return unsupported(type, wordsIn(attachment.raw));
  }
}

function unsupported(what: string, text?: string | null): Part {
  return itemPart({ type: "unsupported", what, ...(text != null && { text }) });
}

type Media = "image" | "audio" | "video" | "document";

/** `words` are those of the file, such as what was spoken. */
function mediaPart(media: Media, file: FileRef | null, words?: string): Part {
  if (file === null) return unsupported(media, words);
  const text = media === "audio" ? (words ?? "") : "";
  return itemPart({ type: "media", media, file, text });
}

function urlRef({ payload }: MaxAttachment, facts: Omit<FileRef, "token"> = {}): FileRef | null {
  return payload?.url === undefined ? null : { token: `${FILE.url}${payload.url}`, ...facts };
}

/** The `url` of a video is a web page; the file is fetched by its token (dev.max.ru, "GET /videos/{token}"). */
function videoRef(attachment: MaxAttachment): FileRef | null {
  const token = attachment.payload?.token;
  if (token === undefined) return urlRef(attachment, { mimeType: "video/mp4" });
  return { token: `${FILE.video}${token}`, mimeType: "video/mp4" };
}

function fileFacts({ filename, size }: MaxAttachment): Omit<FileRef, "token"> {
  return { ...(filename !== undefined && { name: filename }), ...(size !== undefined && { size }) };
}

/** A person of MAX has no card, only a name and perhaps a page. */
function contactPart({ payload = {} }: MaxAttachment): Part {
  const { vcf_info, vcf_phone: phone, max_info = {} } = payload;
  const { username, last_name: lastName } = max_info;
  const firstName = max_info.first_name ?? payload.name ?? max_info.name ?? username;
  if ((vcf_info ?? phone ?? firstName ?? lastName) === undefined) return unsupported("contact");
  const vcard = vcf_info ?? cardOf(username);
  return itemPart({ type: "vcard", vcard: toVcard({ vcard, phone, firstName, lastName }) });
}

function cardOf(username: string | undefined): string {
  const page = username === undefined ? "" : `URL:https://max.ru/${username}\r\n`;
  return `BEGIN:VCARD\r\nVERSION:3.0\r\n${page}END:VCARD\r\n`;
}

function placePart({ latitude, longitude, title, description }: MaxAttachment): Part {
  const { words } = wordsPart([title, description]);
  const text = words.join("\n");
  if (latitude !== undefined && longitude !== undefined)
    return itemPart({ type: "geo", latitude, longitude, text });
  return text === "" ? unsupported("location") : wordsPart([text]);
}

/** A shared page: its title, description and address. Nothing if it is the preview of an address in the text. */
function sharePart({ title, description, payload }: MaxAttachment, words: string): Part {
  const url = payload?.url;
  if (url !== undefined && hasAddress(words, url)) return NOTHING;
  const part = wordsPart([title, description, url]);
  return part.words.length === 0 ? unsupported("share") : part;
}

function keyboardPart({ payload, buttons = payload?.buttons }: MaxAttachment): Part {
  return wordsPart((buttons ?? []).flat().map(({ text, url, web_app }) => linked(text, url ?? web_app)));
}
