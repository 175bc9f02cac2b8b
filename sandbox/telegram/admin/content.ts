import { AdminError, Fields, invalid } from "../../http/fields.ts";
import { isImageMime, readImageSize } from "../../image-size.ts";
import { sampleFile } from "../../sample-file.ts";
import { newPoll } from "../chat/poll.ts";
import type { FileKind, FileRegistry } from "../file/file-registry.ts";
import { addThumbnail, mediaContent } from "../file/media.ts";
import type { Content, Entity, User } from "../shape.ts";
import { findEntities } from "../text/formatted-text.ts";

/** Where a person's message is written. */
export interface ContentTarget {
  readonly files: FileRegistry;
  /** The bot whose file identifiers are created. */
  readonly botId: number;
  readonly user: User;
}

interface Sample {
  readonly mime: string;
  readonly name?: string;
  readonly traits: Readonly<Record<string, unknown>>;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<FileKind, Sample>> = {
  photo: { mime: "image/jpeg", traits: { width: 1280, height: 853 } },
  video: { mime: "video/mp4", name: "video.mp4", traits: { width: 640, height: 360, duration: 5 } },
  audio: {
    mime: "audio/mpeg",
    name: "song.mp3",
    traits: { duration: 180, title: "Song", performer: "Band" },
  },
  voice: { mime: "audio/ogg", traits: { duration: 2 } },
  document: { mime: "application/pdf", name: "document.pdf", traits: {} },
  animation: { mime: "video/mp4", name: "animation.mp4", traits: { width: 320, height: 240, duration: 2 } },
  video_note: { mime: "video/mp4", traits: { length: 240, duration: 3 } },
  sticker: { mime: "image/webp", traits: { type: "regular", width: 512, height: 512, emoji: "👍" } },
};

const stickerMimes: Readonly<Record<string, string>> = {
  webp: "image/webp",
  webm: "video/webm",
  tgs: "application/x-tgsticker",
};

/** Properties that a request may set. */
const settable = ["width", "height", "duration", "length", "title", "performer", "emoji"] as const;

/** Parses a person's message. `kind` defaults to text. */
export async function readContent(body: Fields, target: ContentTarget): Promise<Content> {
  const kind = body.text("kind") ?? "text";
  if (isFileKind(kind)) return { ...(await readFile(body, kind, target)), ...readCaption(body) };
  switch (kind) {
    case "text": {
      const text = body.needText("text");
      return { text, ...entitiesOf("entities", text, body) };
    }
    case "contact":
      return { contact: readContact(body, target.user) };
    case "location":
      return { location: readLocation(body) };
    case "venue":
      return readVenue(body);
    case "poll":
      return { poll: readPoll(body) };
    case "dice":
      return { dice: { emoji: body.text("emoji") ?? "🎲", value: body.integer("value") ?? 4 } };
    default:
      throw invalid(
        "kind",
        `text, ${Object.keys(samples).join(", ")}, contact, location, venue, poll, dice or album`,
      );
  }
}

function isFileKind(kind: string): kind is FileKind {
  return kind in samples;
}

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile(body: Fields, kind: FileKind, { files, botId }: ContentTarget): Promise<Content> {
  const sample = samples[kind];
  const given = body.nested("file") ?? new Fields({});
  const format = kind === "sticker" ? (body.text("format") ?? "webp") : undefined;
  const mime = given.text("mime_type") ?? (format ? stickerMimes[format] : sample.mime);
  if (!mime) throw invalid("format", "webp, webm or tgs");
  const bytes = readBytes(given, mime);
  const measured = given.has("base64") && isImageMime(mime) ? readImageSize(bytes) : undefined;
  const blob = await files.blobs.put(bytes);
  const file = files.add({
    botId,
    kind,
    blobKey: blob.key,
    size: blob.size,
    mime,
    name: given.text("name") ?? sample.name,
    traits: { ...sample.traits, ...measured, ...readTraits(body, kind), ...stickerTraits(format) },
  });
  return mediaContent(file, kind === "photo" ? addThumbnail(files, file) : undefined);
}

function readBytes(given: Fields, mime: string): Buffer {
  const base64 = given.text("base64");
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  return base64 === undefined ? sampleFile(mime, size) : Buffer.from(base64, "base64");
}

function readTraits(body: Fields, kind: FileKind): Record<string, unknown> {
  const allowed = settable.filter((name) => name in samples[kind].traits && body.has(name));
  return Object.fromEntries(allowed.map((name) => [name, body.raw(name)]));
}

function stickerTraits(format: string | undefined): Record<string, unknown> {
  return format ? { is_animated: format === "tgs", is_video: format === "webm" } : {};
}

function readCaption(body: Fields): Content {
  const caption = body.text("caption") ?? body.text("text") ?? "";
  if (caption === "") return {};
  return { caption, ...entitiesOf("caption_entities", caption, body) };
}

/** The given entities, or those that the platform would detect. */
function entitiesOf(field: "entities" | "caption_entities", text: string, body: Fields): Content {
  const given = body.list(field);
  const entities = given ? (given as readonly Entity[]) : findEntities(text);
  return entities.length > 0 ? { [field]: entities } : {};
}

/** `own: true`: the person's own number, as after a press on "share my contact". */
function readContact(body: Fields, user: User): NonNullable<Content["contact"]> {
  const userId = body.flag("own") === true ? user.id : body.integer("contact_user_id");
  return {
    phone_number: body.text("phone_number") ?? "79001112233",
    first_name: body.text("first_name") ?? user.first_name,
    ...(body.has("last_name") && { last_name: body.needText("last_name") }),
    ...(body.has("vcard") && { vcard: body.needText("vcard") }),
    ...(userId !== undefined && { user_id: userId }),
  };
}

function readLocation(body: Fields): NonNullable<Content["location"]> {
  return { latitude: body.number("latitude") ?? 55.7539, longitude: body.number("longitude") ?? 37.6208 };
}

function readVenue(body: Fields): Content {
  const location = readLocation(body);
  const venue = {
    location,
    title: body.text("title") ?? "Office",
    address: body.text("address") ?? "Main street, 1",
  };
  return { location, venue };
}

function readPoll(body: Fields): NonNullable<Content["poll"]> {
  const options = body.list("options") ?? ["Yes", "No"];
  if (options.length === 0) throw new AdminError(400, "invalid_field", "options must not be empty");
  return newPoll(body.text("question") ?? "Shall we?", options.map(String), {});
}
