import { AdminError, Fields, invalid, isRecord, missing } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import type { Bot } from "../bot.ts";
import type { Attachment, Chat, Link, User } from "../chat/chat.ts";
import type { Media } from "../media/media-registry.ts";
import { contactShape, mediaShape } from "../media/media-shape.ts";
import type { Words } from "../message/outgoing.ts";
import type { World } from "../world.ts";

interface Sample {
  readonly type: Media["type"];
  readonly mime: string;
  readonly name: string;
}

/** Defaults for a file of each kind. */
const samples: Readonly<Record<string, Sample>> = {
  image: { type: "image", mime: "image/jpeg", name: "image.jpg" },
  video: { type: "video", mime: "video/mp4", name: "video.mp4" },
  audio: { type: "audio", mime: "audio/mpeg", name: "audio.mp3" },
  voice: { type: "audio", mime: "audio/ogg", name: "voice.ogg" },
  file: { type: "file", mime: "application/pdf", name: "document.pdf" },
  sticker: { type: "sticker", mime: "image/webp", name: "sticker.webp" },
};

const kinds = `text, album, contact, location, share, ${Object.keys(samples).join(", ")}`;

/** Where a person writes. `bot`: the bot of the dialog, which can verify the person's own contact. */
export interface Setting {
  readonly world: World;
  readonly chat: Chat;
  readonly user: User;
  readonly bot: Bot | undefined;
}

/**
 * Parses a person's message. `kind` defaults to text. MAX adds a preview of the first address in a text, unless it is
 * switched off by `preview: false`.
 */
export async function readWords(setting: Setting, body: Fields): Promise<Words> {
  const kind = body.text("kind") ?? "text";
  const text = kind === "text" ? body.needText("text") : (body.text("text") ?? null);
  const attachments =
    kind === "text" ? previewsOf(text ?? "", body) : await readAttachments(setting, body, kind);
  const words = { text, attachments, markup: body.list("markup") ?? [], link: readReply(setting, body) };
  return body.flag("forwarded") ? forward(setting, words) : words;
}

/** A file, or several in one message. */
async function readAttachments(setting: Setting, body: Fields, kind: string): Promise<Attachment[]> {
  if (kind !== "album") return [await readAttachment(setting, body, kind)];
  const items = body.list("items") ?? [];
  if (items.length < 2 || items.length > 12) throw invalid("items", "2 to 12 files");
  const read: Attachment[] = [];
  for (const item of items) {
    if (!isRecord(item)) throw invalid("items", "an array of objects");
    const fields = new Fields(item);
    read.push(await readAttachment(setting, fields, fields.text("kind") ?? "image"));
  }
  return read;
}

async function readAttachment(setting: Setting, body: Fields, kind: string): Promise<Attachment> {
  const sample = samples[kind];
  if (sample) return mediaShape(setting.world, await readFile(setting.world, body, sample));
  switch (kind) {
    case "contact":
      return readContact(setting, body);
    case "location":
      return {
        type: "location",
        latitude: body.number("latitude") ?? 55.7558,
        longitude: body.number("longitude") ?? 37.6176,
      };
    case "share":
      return readShare(body);
    default:
      throw invalid("kind", kinds);
  }
}

/** `file`: `{base64?, size?, name?, mime_type?}`; without bytes, sample bytes are used. */
async function readFile(world: World, body: Fields, sample: Sample): Promise<Media> {
  const given = body.nested("file") ?? new Fields({});
  const mime = given.text("mime_type") ?? sample.mime;
  const size = given.integer("size");
  if (size !== undefined && (size < 1 || size > 100 * 1024 * 1024))
    throw invalid("file.size", "1 to 104857600");
  const base64 = given.text("base64");
  const bytes = base64 === undefined ? sampleFile(mime, size) : Buffer.from(base64, "base64");
  const blob = await world.media.blobs.put(bytes);
  const name = given.text("name") ?? sample.name;
  return world.media.add({ ...blob, name, mime, type: sample.type, botId: undefined, notReady: 0 });
}

/** With `own`, the person's own number, proved by a hash, as after a press on `request_contact`. */
function readContact({ user, bot }: Setting, body: Fields): Attachment {
  if (body.flag("own")) return ownContact(user, bot);
  return contactShape({
    user: undefined,
    name: body.text("name") ?? "Lucia Gomez",
    phone: body.text("phone") ?? "79995550123",
    vcf: body.text("vcf"),
  });
}

/** The person's own contact, for a bot that can check the hash with its token. */
export function ownContact(user: User, bot: Bot | undefined): Attachment {
  return contactShape({ user, ...(bot && { token: bot.token }) });
}

function previewsOf(text: string, body: Fields): Attachment[] {
  const [url] = /https?:\/\/[^\s<>"]+/.exec(text) ?? [];
  if (url === undefined || body.flag("preview") === false) return [];
  const description = "A page of this site";
  return [
    { type: "share", payload: { url, token: "preview" }, title: "A page", description, image_url: null },
  ];
}

function readShare(body: Fields): Attachment {
  const url = body.text("url") ?? "https://example.com/";
  const title = body.text("title") ?? "Example";
  return { type: "share", payload: { url, token: "share" }, title, description: null, image_url: null };
}

/** `reply_to`: the quoted message. */
function readReply({ chat }: Setting, body: Fields): Link | undefined {
  const mid = body.text("reply_to");
  if (mid === undefined) return undefined;
  const message = chat.get(mid);
  if (!message) throw missing("message", mid);
  return { type: "reply", message };
}

/** A forwarded message from another chat; the message itself has no content. */
function forward({ world, chat }: Setting, words: Words): Words {
  if (words.link) throw new AdminError(400, "invalid_field", "a message is either a reply or forwarded");
  const stranger: User = {
    user_id: 999_000_001,
    first_name: "Carl",
    last_name: "",
    username: null,
    locale: "en",
    phone: "79990009999",
    lastActivityMs: world.clock.nowMs(),
  };
  const message = {
    mid: `mid.${"0".repeat(31)}1`,
    seq: JSON.rawJSON("1"),
    chat,
    sender: stranger,
    timestamp: world.clock.nowMs() - 60_000,
    text: words.text,
    attachments: words.attachments,
    markup: words.markup ?? [],
    link: undefined,
  };
  return { text: null, attachments: [], link: { type: "forward", message } };
}
