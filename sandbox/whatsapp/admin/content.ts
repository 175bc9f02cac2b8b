import { proto } from "baileys/WAProto/index.js";
import { Fields, invalid, isRecord } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import { type MediaKind, sealMedia } from "../media/cipher.ts";
import type { Person } from "../person/person.ts";
import type { World } from "../world.ts";

interface FileSample {
  readonly media: MediaKind;
  readonly mime: string;
  readonly name?: string;
}

/** Defaults for a file of each kind. */
const fileSamples: Readonly<Record<string, FileSample>> = {
  image: { media: "image", mime: "image/jpeg" },
  video: { media: "video", mime: "video/mp4" },
  gif: { media: "video", mime: "video/mp4" },
  video_note: { media: "video", mime: "video/mp4" },
  audio: { media: "audio", mime: "audio/mpeg" },
  voice: { media: "audio", mime: "audio/ogg; codecs=opus" },
  document: { media: "document", mime: "application/pdf", name: "document.pdf" },
  sticker: { media: "sticker", mime: "image/webp" },
  view_once: { media: "image", mime: "image/jpeg" },
  lottie_sticker: { media: "sticker", mime: "application/was", name: "sticker.was" },
};

const otherKinds = ["text", "contact", "contacts", "location", "live_location", "poll", "proto"];

/** The kinds of messages that a person can write. */
const contentKinds: readonly string[] = [...otherKinds, ...Object.keys(fileSamples)];

/** The author of a message, and the quoted message. */
export interface ContentContext {
  readonly world: World;
  readonly from: Person;
  /** The quoted message of the same conversation, as stored on the phone. */
  readonly context: proto.IContextInfo | undefined;
}

/** Parses a person's message. `kind` defaults to text. */
export async function readContent(body: Fields, target: ContentContext): Promise<proto.IMessage> {
  const kind = body.text("kind") ?? "text";
  const sample = fileSamples[kind];
  if (sample) return fileMessage(kind, await readFile(target, body, sample), { body, ...target });
  switch (kind) {
    case "text":
      return textMessage(body.needText("text"), target);
    case "contact":
      return { contactMessage: readContact(body, target) };
    case "contacts":
      return {
        contactsArrayMessage: {
          displayName: "2 contacts",
          contacts: [readContact(body, target), readContact(body, target)],
        },
      };
    case "location":
      return {
        locationMessage: {
          ...readPlace(body),
          name: body.text("title") ?? null,
          address: body.text("address") ?? null,
          ...withContext(target),
        },
      };
    case "live_location":
      return {
        liveLocationMessage: {
          ...readPlace(body),
          caption: body.text("text") ?? null,
          ...withContext(target),
        },
      };
    case "poll":
      return readPoll(body, target);
    case "proto":
      return readSchema(body);
    default:
      throw invalid("kind", contentKinds.join(", "));
  }
}

type File = Awaited<ReturnType<typeof readFile>>;

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. Stored sealed. */
async function readFile({ world }: ContentContext, body: Fields, sample: FileSample) {
  const given = body.nested("file") ?? new Fields({});
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const mimetype = given.text("mime_type") ?? sample.mime;
  const plain =
    base64 === undefined ? sampleFile(mimetype.split(";")[0] ?? "", size) : Buffer.from(base64, "base64");
  const { sealed, ...keys } = sealMedia(sample.media, plain);
  const { url, directPath } = await world.media.put(sealed);
  const fileName = given.text("name") ?? sample.name;
  return { part: { ...keys, url, directPath, mimetype, fileLength: plain.length }, fileName };
}

function fileMessage(
  kind: string,
  { part, fileName }: File,
  { body, ...target }: ContentContext & { readonly body: Fields },
): proto.IMessage {
  const shared = { ...part, ...withContext(target) };
  const caption = body.text("caption") ?? body.text("text") ?? null;
  const seconds = body.integer("duration") ?? 5;
  switch (kind) {
    case "image":
    case "view_once":
      return {
        imageMessage: { ...shared, caption, width: 1280, height: 853, viewOnce: kind === "view_once" },
      };
    case "video":
    case "gif":
      return { videoMessage: { ...shared, caption, seconds, gifPlayback: kind === "gif" } };
    case "video_note":
      return { ptvMessage: { ...shared, seconds } };
    case "audio":
    case "voice":
      return { audioMessage: { ...shared, seconds, ptt: kind === "voice" } };
    case "document": {
      const documentMessage = { ...shared, caption, fileName: fileName ?? null, title: fileName ?? null };
      // Phones wrap a document that has a caption.
      return caption === null
        ? { documentMessage }
        : { documentWithCaptionMessage: { message: { documentMessage } } };
    }
    default: {
      const isLottie = kind === "lottie_sticker";
      const isAnimated = isLottie || body.flag("animated") === true;
      const stickerMessage = { ...shared, width: 512, height: 512, isAnimated, isLottie };
      return isLottie ? { lottieStickerMessage: { message: { stickerMessage } } } : { stickerMessage };
    }
  }
}

/** A plain text is a `conversation`; one with a quote or a link is an `extendedTextMessage`. */
function textMessage(text: string, target: ContentContext): proto.IMessage {
  if (!target.context && !/https?:\/\//.test(text)) return { conversation: text };
  return { extendedTextMessage: { text, ...withContext(target) } };
}

function withContext({ context }: ContentContext): { contextInfo?: proto.IContextInfo } {
  return context ? { contextInfo: context } : {};
}

function readContact(body: Fields, target: ContentContext): proto.Message.IContactMessage {
  const displayName = body.text("name") ?? target.from.name;
  const phone = body.text("phone_number") ?? target.from.phone;
  const vcard =
    body.text("vcard") ??
    `BEGIN:VCARD\nVERSION:3.0\nN:;${displayName};;;\nFN:${displayName}\nTEL;type=CELL;waid=${phone}:+${phone}\nEND:VCARD`;
  return { displayName, vcard, ...withContext(target) };
}

function readPlace(body: Fields) {
  return {
    degreesLatitude: body.number("latitude") ?? 55.7539,
    degreesLongitude: body.number("longitude") ?? 37.6208,
  };
}

/** `version`: 1, 2 or 3 (default), for phones of different age. */
function readPoll(body: Fields, target: ContentContext): proto.IMessage {
  const options = (body.list("options") ?? ["Yes", "No"]).map((each) => ({ optionName: String(each) }));
  const poll = {
    name: body.text("question") ?? "Shall we?",
    options,
    selectableOptionsCount: 1,
    ...withContext(target),
  };
  switch (body.integer("version") ?? 3) {
    case 1:
      return { pollCreationMessage: poll };
    case 2:
      return { pollCreationMessageV2: poll };
    default:
      return { pollCreationMessageV3: poll };
  }
}

/** `message`: any message of WhatsApp's schema as JSON, bytes in base64. */
function readSchema(body: Fields): proto.IMessage {
  const message = body.object("message");
  if (!isRecord(message)) throw invalid("message", "a message of WhatsApp's schema as JSON");
  try {
    return proto.Message.fromObject(message);
  } catch (error) {
    throw invalid(
      "message",
      `a message of WhatsApp's schema: ${error instanceof Error ? error.message : error}`,
    );
  }
}
