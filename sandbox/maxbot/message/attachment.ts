import { FetchFailed, fetchFile } from "../../http/fetch-file.ts";
import { isRecord } from "../../http/fields.ts";
import { StrictFields } from "../../http/strict-fields.ts";
import type { Bot } from "../bot.ts";
import { badPayload, notReady } from "../call/api-error.ts";
import { fieldErrors } from "../call/call.ts";
import type { Attachment } from "../chat/chat.ts";
import { inspectMedia, type Media, maxBytes } from "../media/media-registry.ts";
import { contactShape, mediaShape } from "../media/media-shape.ts";
import type { World } from "../world.ts";
import { readKeyboard } from "./keyboard.ts";

const maxAttachments = 12;

/** Documented as the only attachment of a message, besides a keyboard. */
const solitary: ReadonlySet<string> = new Set(["audio", "file", "contact", "sticker"]);

/** Parses the attachments of a bot's message; resolves with those of the stored message. */
export async function readAttachments(
  world: World,
  bot: Bot,
  list: readonly unknown[],
): Promise<readonly Attachment[]> {
  if (list.length > maxAttachments)
    throw badPayload(`attachments: size must be between 0 and ${maxAttachments}`);
  const read: Attachment[] = [];
  for (const [index, value] of list.entries()) {
    read.push(...(await readAttachment(world, bot, value, `attachments[${index}].`)));
  }
  const content = read.filter(({ type }) => type !== "inline_keyboard");
  if (read.length - content.length > 1) throw badPayload("Only one inline keyboard is allowed");
  if (content.length > 1 && content.some(({ type }) => solitary.has(type)))
    throw badPayload("Must be the only attachment in message");
  return read;
}

async function readAttachment(world: World, bot: Bot, value: unknown, path: string): Promise<Attachment[]> {
  const type = isRecord(value) ? value["type"] : undefined;
  const read = (known: readonly string[]) => new StrictFields(value, ["type", ...known], fieldErrors, path);
  const payload = (known: readonly string[]) => read(["payload"]).needObject("payload", known);
  switch (type) {
    case "image":
      return readImages(world, bot, payload(["url", "token", "photos"]));
    case "video":
    case "audio":
    case "file": {
      const token = payload(["token"]).needText("token");
      return [mediaShape(world, ownMedia(world, bot, token, type))];
    }
    case "sticker":
      return [readSticker(payload(["code"]))];
    case "contact":
      return [readContact(world, payload(["name", "contact_id", "vcf_info", "vcf_phone"]))];
    case "location":
      return [readLocation(read(["latitude", "longitude"]))];
    case "share":
      return [readShare(payload(["url", "token"]))];
    case "inline_keyboard":
      return [{ type, payload: { buttons: readKeyboard(payload(["buttons"])) } }];
    default:
      throw badPayload(`Unknown attachment type '${String(type)}'`);
  }
}

/** Exactly one of an address, a token, or the tokens of an upload, each of which becomes a picture. */
async function readImages(world: World, bot: Bot, payload: StrictFields): Promise<Attachment[]> {
  const url = payload.text("url");
  if (url !== undefined) return [mediaShape(world, await fetchImage(world, bot, url))];
  const token = payload.text("token");
  if (token !== undefined) return [mediaShape(world, ownMedia(world, bot, token, "image"))];
  const photos = payload.raw("photos");
  if (!isRecord(photos) || Object.keys(photos).length === 0)
    throw badPayload("No `photos`, `url` or `token` provided. Check payload.");
  return Object.values(photos).map((photo) => {
    const photoToken = new StrictFields(photo, ["token"], fieldErrors, "payload.photos.").needText("token");
    return mediaShape(world, ownMedia(world, bot, photoToken, "image"));
  });
}

async function fetchImage(world: World, bot: Bot, url: string): Promise<Media> {
  const failed = () => badPayload("Key: errors.process.attachment.photo.download");
  if (!/^https?:\/\//.test(url)) throw failed();
  const upload = await fetchFile(world.media.blobs, url, maxBytes.image).catch((error: unknown) => {
    throw error instanceof FetchFailed ? failed() : error;
  });
  const inspected = await inspectMedia(world.media.blobs, upload, "image");
  if ("refused" in inspected) throw badPayload("Key: errors.process.attachment.photo.invalid");
  const name = upload.name ?? "image";
  return world.media.add({
    ...upload,
    name,
    mime: inspected.mime,
    type: "image",
    botId: bot.id,
    notReady: 0,
  });
}

/** The name of each type in the platform's error keys. */
const errorWords = { image: "photo", video: "movie", audio: "audio", file: "file" } as const;

/** A file that the bot may send: its own, or one sent by a person. */
function ownMedia(world: World, bot: Bot, token: string, type: keyof typeof errorWords): Media {
  const media = world.media.find(token);
  const key = `Key: errors.process.attachment.${errorWords[type]}`;
  if (!media) throw world.media.isAwaited(token) ? notReady() : badPayload(`${key}.not.found`);
  if (media.botId !== undefined && media.botId !== bot.id) throw badPayload(`${key}.not.owner`);
  if (media.type !== type) throw badPayload(`${key}.not.found`);
  if (media.notReady > 0) {
    media.notReady--;
    throw notReady();
  }
  return media;
}

function readSticker(payload: StrictFields): Attachment {
  const code = payload.needText("code");
  return {
    type: "sticker",
    payload: { url: `https://i.oneme.ru/sticker/${code}`, code },
    width: 512,
    height: 512,
  };
}

function readContact(world: World, payload: StrictFields): Attachment {
  const name = payload.text("name");
  const contactId = payload.integer("contact_id");
  const vcf = payload.text("vcf_info");
  const phone = payload.text("vcf_phone");
  const user = contactId === undefined ? undefined : world.users.get(contactId);
  if (!user && vcf === undefined && phone === undefined)
    throw badPayload("Key: errors.process.attachment.contact.not.found");
  return contactShape({ user, name, phone, vcf });
}

function readLocation(fields: StrictFields): Attachment {
  const latitude = fields.needNumber("latitude");
  const longitude = fields.needNumber("longitude");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) throw badPayload("Invalid coordinates");
  return { type: "location", latitude, longitude };
}

function readShare(payload: StrictFields): Attachment {
  const url = payload.text("url");
  const token = payload.text("token");
  if (url === undefined && token === undefined) throw payload.missing("url");
  return {
    type: "share",
    payload: { ...(url !== undefined && { url }), ...(token !== undefined && { token }) },
  };
}
