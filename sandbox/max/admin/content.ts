import { type Fields, invalid } from "../../http/fields.ts";
import { sampleFile } from "../../sample-file.ts";
import { type Attach, attachTypeOf, type MediaAttach } from "../attach/attach.ts";
import { pollFields, stickerFields } from "../attach/read.ts";
import type { Media, MediaKind } from "../media/store.ts";
import type { Account } from "../world/account.ts";
import type { World } from "../world/world.ts";

/** The context of a person's message. */
interface Author {
  readonly world: World;
  readonly owner: Account;
}

const mediaKinds: Readonly<Record<string, { kind: MediaKind; mime: string; extra: Partial<MediaAttach> }>> = {
  photo: { kind: "photo", mime: "image/jpeg", extra: {} },
  video: { kind: "video", mime: "video/mp4", extra: { duration: 3000 } },
  video_note: { kind: "video", mime: "video/mp4", extra: { duration: 3000, videoType: 1 } },
  voice: { kind: "audio", mime: "audio/ogg", extra: { duration: 3000, wave: "AAAA" } },
  file: { kind: "file", mime: "application/pdf", extra: {} },
};

/** MAX adds a preview of the first address in a text. */
export function previewsOf(text: string): Attach[] {
  const [url] = /https?:\/\/[^\s<>"]+/.exec(text) ?? [];
  if (url === undefined || !URL.canParse(url)) return [];
  const fields = {
    shareId: 2,
    url,
    title: "A page",
    description: "A page of this site",
    host: new URL(url).host,
  };
  return [{ type: "SHARE", fields }];
}

/** The attachments of a message by its `kind`. */
export async function readContent(author: Author, body: Fields): Promise<Attach[]> {
  const kind = body.text("kind") ?? "text";
  if (kind === "text") return [];
  const media = Object.hasOwn(mediaKinds, kind) ? mediaKinds[kind] : undefined;
  if (media) return addMedia(author, body, media);
  if (kind === "album") return readAlbum(author, body);
  return [{ type: typeOf(kind), fields: readPlain(author, kind, body) }];
}

async function readAlbum(author: Author, body: Fields): Promise<Attach[]> {
  const items = (body.list("items") ?? [{ kind: "photo" }, { kind: "photo" }]).map((_, index) => index);
  const nested = (body.raw("items") as Readonly<Record<string, unknown>>[] | undefined) ?? [];
  const lists = items.map((index) => readContent(author, asFields(nested[index] ?? { kind: "photo" }, body)));
  return (await Promise.all(lists)).flat();
}

function asFields(values: Readonly<Record<string, unknown>>, like: Fields): Fields {
  return new (like.constructor as typeof Fields)(values);
}

async function addMedia(
  { world, owner }: Author,
  body: Fields,
  { kind, mime, extra }: { kind: MediaKind; mime: string; extra: Partial<MediaAttach> },
): Promise<Attach[]> {
  const file = await addFile(world, { owner, kind, body, mime });
  const duration = body.integer("duration");
  return [
    { type: attachTypeOf[kind], mediaId: file.id, ...extra, ...(duration !== undefined && { duration }) },
  ];
}

/** `{file?: {base64?, size?, name?}}`: without bytes, a small file of the right type is created. */
export async function addFile(
  world: World,
  {
    owner,
    kind,
    body,
    mime = "image/jpeg",
  }: { owner: Account; kind: MediaKind; body: Fields; mime?: string },
): Promise<Media> {
  const wanted = body.nested("file");
  const base64 = wanted?.text("base64");
  const type = wanted?.text("mime_type") ?? mime;
  const bytes =
    base64 === undefined ? sampleFile(type, wanted?.integer("size")) : Buffer.from(base64, "base64");
  const slot = world.media.reserve(kind, owner.id);
  const name = wanted?.text("name") ?? `${kind}.${type.split("/")[1] ?? "bin"}`;
  const file = await world.media.fill(slot, await world.media.blobs.put(bytes), name);
  world.media.finish(file.id);
  return file;
}

const plainTypes: Readonly<Record<string, string>> = {
  contact: "CONTACT",
  location: "LOCATION",
  sticker: "STICKER",
  share: "SHARE",
  call: "CALL",
  poll: "POLL",
  keyboard: "INLINE_KEYBOARD",
};

/** `raw`: any type, named by the field `type`. */
function typeOf(kind: string): string {
  const type =
    (Object.hasOwn(plainTypes, kind) ? plainTypes[kind] : undefined) ?? (kind === "raw" ? "raw" : undefined);
  if (type === undefined)
    throw invalid(
      "kind",
      `one of text, ${[...Object.keys(mediaKinds), "album", ...Object.keys(plainTypes), "raw"].join(", ")}`,
    );
  return type;
}

function readPlain({ world }: Author, kind: string, body: Fields): Readonly<Record<string, unknown>> {
  switch (kind) {
    case "contact": {
      const phone = body.text("phone") ?? "79990000099";
      const name = body.text("name") ?? "Zoe";
      const known = world.findByPhone(phone);
      const vcfBody = `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${name}\r\nTEL;TYPE=cell:+${phone}\r\nEND:VCARD\r\n`;
      return { ...(known && { contactId: known.id }), name, phone, vcfBody };
    }
    case "location":
      return {
        latitude: body.number("latitude") ?? 55.75,
        longitude: body.number("longitude") ?? 37.62,
        zoom: 15,
      };
    case "sticker":
      return {
        ...stickerFields(body.integer("sticker_id") ?? 598_965, world.media.base),
        ...(body.flag("lottie") && { lottieUrl: `${world.media.base}/sticker?id=1`, stickerType: "LOTTIE" }),
      };
    case "share":
      return {
        shareId: 1,
        url: body.text("url") ?? "https://example.com/",
        title: body.text("title") ?? "Example",
        host: "example.com",
      };
    case "call":
      return {
        conversationId: "00000000-0000-4000-8000-000000000001",
        callType: body.flag("video") ? "VIDEO" : "AUDIO",
        hangupType: body.text("hangup_type") ?? "MISSED",
        duration: body.integer("duration") ?? 0,
        contactIds: [],
      };
    case "poll": {
      const texts = (body.list("options") ?? ["Yes", "No"]).map(String);
      const answers = texts.map((text, index) => ({ text, answerId: index + 1 }));
      return pollFields({ title: body.text("question") ?? "Is it?", answers, settings: 0 });
    }
    case "keyboard":
      return {
        keyboard: { buttons: [[{ type: "LINK", text: "Open", url: "https://example.com/" }]] },
        callbackId: "1",
      };
    default:
      return { _type: body.needText("type"), ...body.object("fields") };
  }
}
