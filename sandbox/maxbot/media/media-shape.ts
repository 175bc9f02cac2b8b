import { createHmac } from "node:crypto";
import type { Attachment, User } from "../chat/chat.ts";
import { userShape } from "../shape.ts";
import type { World } from "../world.ts";
import type { Media } from "./media-registry.ts";

/** Sizes and durations that the emulator does not measure. */
const video = { width: 1280, height: 720, duration: 10 } as const;

/** The public address of a file. */
function mediaUrl(world: World, { key }: Media): string {
  return `${world.url()}/media/${key}`;
}

/** A file as an attachment of a message: https://dev.max.ru/docs-api/objects/Message */
export function mediaShape(world: World, media: Media): Attachment {
  const url = mediaUrl(world, media);
  const { token } = media;
  switch (media.type) {
    case "image":
      return { type: "image", payload: { photo_id: media.photoId, token, url } };
    case "video":
      return { type: "video", payload: { url, token }, thumbnail: { url: `${url}?thumbnail` }, ...video };
    case "audio":
      return { type: "audio", payload: { url, token }, transcription: null };
    case "file":
      return { type: "file", payload: { url, token }, filename: media.name, size: media.size };
    case "sticker":
      return { type: "sticker", payload: { url, code: media.key.slice(0, 8) }, width: 512, height: 512 };
  }
}

/** `GET /videos/{token}`: https://dev.max.ru/docs-api/methods/GET/videos/-videoToken- */
export function videoDetails(world: World, media: Media): Readonly<Record<string, unknown>> {
  const url = mediaUrl(world, media);
  return {
    token: media.token,
    urls: { mp4_720: url, mp4_480: url },
    thumbnail: { photo_id: media.photoId, token: media.token, url: `${url}?thumbnail` },
    ...video,
  };
}

/** A contact as an attachment. `token`: the bot's, with which it proves that the number is the user's own. */
export function contactShape(contact: {
  user: User | undefined;
  name?: string | undefined;
  phone?: string | undefined;
  vcf?: string | undefined;
  token?: string;
}): Attachment {
  const { user, token } = contact;
  const name = contact.name ?? (user ? `${user.first_name} ${user.last_name}`.trim() : "");
  const vcf = contact.vcf ?? vcard(name, contact.phone ?? user?.phone ?? "");
  return {
    type: "contact",
    payload: {
      vcf_info: vcf,
      ...(token !== undefined && { hash: createHmac("sha256", token).update(vcf).digest("hex") }),
      ...(user && { max_info: userShape(user) }),
    },
  };
}

function vcard(name: string, phone: string): string {
  return `BEGIN:VCARD\r\nVERSION:3.0\r\nTEL;TYPE=cell:${phone}\r\nFN:${name}\r\nEND:VCARD\r\n`;
}
