import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { itemPart, type Part } from "../kit/part.ts";
import { page } from "./page.ts";
import type { VkObject } from "./update.ts";

type MediaKind = Extract<MessageBody, { type: "media" }>["media"];
type Size = NonNullable<VkObject["sizes"]>[number];

/** How VK shows a document, by file extension (dev.vk.com, "doc": `type`). */
const DOC_KINDS: Readonly<Record<string, MediaKind>> = {
  jpg: "image",
  jpeg: "image",
  png: "image",
  webp: "image",
  gif: "image",
  mp4: "video",
  mov: "video",
  webm: "video",
  ogg: "audio",
  mp3: "audio",
  m4a: "audio",
};

export function photoPart(photo: VkObject): Part {
  const { sizes = [], orig_photo, text = "", url } = photo;
  const { photo_2560, photo_1280, photo_807, photo_604 } = photo;
  const address =
    largest([...sizes, ...(orig_photo ? [orig_photo] : [])]) ??
    [photo_2560, photo_1280, photo_807, photo_604, url].find((each) => each !== undefined);
  return filePart("image", address, { mimeType: "image/jpeg" }, { text, rest: [page("photo", photo)] });
}

/** A drawing in a message, or on a wall. */
export function graffitiPart({ url, photo_586, photo_200 }: VkObject): Part {
  return filePart("image", url ?? photo_586 ?? photo_200, { mimeType: "image/png" });
}

/** VK draws every sticker of its own at this address, by its number. */
export function stickerPart({ images = [], sticker_id, url }: VkObject): Part {
  const drawn = sticker_id === undefined ? undefined : `https://vk.com/sticker/1-${sticker_id}-512`;
  return filePart("image", largest(images) ?? url ?? drawn, { mimeType: "image/png" });
}

export function giftPart({ thumb_512, thumb_256, thumb_96 }: VkObject): Part {
  return filePart("image", thumb_512 ?? thumb_256 ?? thumb_96, { mimeType: "image/png" });
}

export function docPart(doc: VkObject): Part {
  const { url, title, ext, size } = doc;
  const facts = { ...named(title), ...(size !== undefined && { size }) };
  const kind = DOC_KINDS[(ext ?? "").toLowerCase()] ?? "document";
  return filePart(kind, url, facts, { rest: [title, page("doc", doc)] });
}

/** VK's own transcript of the voice is the text of the file. */
export function voicePart({ link_ogg, link_mp3, transcript = "" }: VkObject): Part {
  const facts = { mimeType: link_ogg === undefined ? "audio/mpeg" : "audio/ogg" };
  return filePart("audio", link_ogg ?? link_mp3, facts, { text: transcript, rest: [] });
}

/** A song or an episode; VK often gives no address of the file, or that of a stream. */
export const soundPart =
  (path: string) =>
  (sound: VkObject): Part => {
    const { title, artist, performer, podcast_info, url } = sound;
    const name = [artist ?? performer, title].filter((part) => part !== undefined).join(" – ") || undefined;
    const about = podcast_info?.description ?? "";
    const isFile = url !== undefined && !/\.m3u8(?:[?#]|$)/i.test(url);
    const facts = { mimeType: "audio/mpeg", ...named(name && `${name}.mp3`) };
    const rest = [name, about || undefined, page(path, sound)];
    return filePart("audio", isFile ? url : undefined, facts, { text: about, rest });
  };

/** Without an address, `rest` takes the file's place; without that, nothing but the kind is known. */
function filePart(
  kind: MediaKind,
  url: string | undefined,
  facts: Omit<FileRef, "token">,
  { text = "", rest }: { readonly text?: string; readonly rest: readonly (string | undefined)[] } = {
    rest: [],
  },
): Part {
  if (url !== undefined)
    return itemPart({ type: "media", media: kind, file: { token: url, ...facts }, text });
  const lines = [text, ...rest].filter((line) => line !== undefined && line !== "");
  const known = [...new Set(lines)].join("\n");
  return itemPart(known === "" ? { type: "unsupported", what: kind } : { type: "text", text: known });
}

/** The letters of VK's sizes, smallest first, for those without width and height (dev.vk.com, "Photo sizes"). */
const LETTERS = "smopqrxyzw";

function largest(sizes: readonly Size[]): string | undefined {
  const area = ({ width = 0, height = 0 }: Size): number => width * height;
  const rank = ({ type = "" }: Size): number => LETTERS.indexOf(type);
  const withUrl = sizes.filter(({ url, src }) => (url ?? src) !== undefined);
  const best = withUrl.toSorted((a, b) => area(b) - area(a) || rank(b) - rank(a))[0];
  return best?.url ?? best?.src;
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
