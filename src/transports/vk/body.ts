import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { withText } from "../kit/body.ts";
import type { VkAttachment, VkContent, VkObject } from "./update.ts";

type MediaKind = Extract<MessageBody, { type: "media" }>["media"];

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

/**
 * The bodies of a message: one for each attachment, the text with the first. Never empty: a message without known
 * content is `unsupported`.
 */
export function toBodies(content: VkContent): readonly [MessageBody, ...MessageBody[]] {
  const { attachments = [], geo, fwd_messages = [] } = content;
  const place = geo && placeBody(geo);
  const text = [content.text, ...fwd_messages.map(forwarded)].filter((part) => part !== undefined).join("\n");
  return withText(text === "" ? undefined : text, [...(place ? [place] : []), ...attachments.map(toBody)]);
}

/** The text of a forwarded message, and links to its attachments. */
function forwarded({ text, attachments = [] }: VkContent): string | undefined {
  const links = attachments.map(linkOf).filter((link) => link !== undefined);
  const lines = [text, ...links].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : lines.map((line) => `> ${line}`).join("\n");
}

function toBody(attachment: VkAttachment): MessageBody {
  const { type = "attachment", photo, sticker, graffiti, doc, audio_message, audio } = attachment;
  switch (type) {
    case "photo":
      return media(
        "image",
        largest([...(photo?.sizes ?? []), ...(photo?.orig_photo ? [photo.orig_photo] : [])]),
        {
          mimeType: "image/jpeg",
        },
      );
    case "sticker":
      return media("image", largest(sticker?.images ?? []), { mimeType: "image/png" });
    case "graffiti":
      return media("image", graffiti?.url, { mimeType: "image/png" });
    case "audio_message":
      return audio_message?.link_ogg === undefined
        ? media("audio", audio_message?.link_mp3, { mimeType: "audio/mpeg" })
        : media("audio", audio_message.link_ogg, { mimeType: "audio/ogg" });
    case "audio":
      return media("audio", audio?.url, { mimeType: "audio/mpeg", ...named(trackName(audio)) });
    case "doc":
      return docBody(doc ?? {});
    case "call":
      return isMissed(attachment.call) ? { type: "missing_call" } : { type: "unsupported", what: "call" };
    default: {
      const link = linkOf(attachment);
      return link === undefined ? { type: "unsupported", what: type } : { type: "text", text: link };
    }
  }
}

function media(kind: MediaKind, url: string | undefined, facts: Omit<FileRef, "token">): MessageBody {
  if (url === undefined) return { type: "unsupported", what: kind };
  return { type: "media", media: kind, file: { token: url, ...facts }, text: "" };
}

function largest(sizes: NonNullable<VkObject["sizes"]>): string | undefined {
  const area = ({ width = 0, height = 0 }: (typeof sizes)[number]): number => width * height;
  const withUrl = sizes.filter(({ url, src }) => (url ?? src) !== undefined);
  const best = withUrl.toSorted((a, b) => area(b) - area(a))[0];
  return best?.url ?? best?.src;
}

function docBody({ url, title, ext, size }: VkObject): MessageBody {
  const facts = { ...named(title), ...(size !== undefined && { size }) };
  return media(DOC_KINDS[(ext ?? "").toLowerCase()] ?? "document", url, facts);
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

function trackName(audio: VkObject | undefined): string | undefined {
  const name = [audio?.artist, audio?.title].filter((part) => part !== undefined).join(" – ");
  return name === "" ? undefined : `${name}.mp3`;
}

function placeBody({ coordinates, place }: NonNullable<VkContent["geo"]>): MessageBody | undefined {
  const { latitude, longitude } = coordinates ?? {};
  if (latitude === undefined || longitude === undefined) return undefined;
  return { type: "geo", latitude, longitude, text: place?.title ?? "" };
}

/** The state `reached` is an answered call; in all other states the call was missed (dev.vk.com, "call"). */
function isMissed(call: VkObject | undefined): boolean {
  return call?.state !== "reached";
}

/** The page on vk.com that shows an attachment which cannot be fetched as a file. */
function linkOf({ type, video, link, wall, wall_reply, market, story }: VkAttachment): string | undefined {
  const page = (kind: string, ownerId: string | undefined, id: string | undefined): string | undefined =>
    ownerId === undefined || id === undefined ? undefined : `https://vk.com/${kind}${ownerId}_${id}`;
  switch (type) {
    case "link":
      return link?.url;
    case "video":
      return withTitle(video, page("video", video?.owner_id, video?.id));
    case "wall":
      return page("wall", wall?.owner_id ?? wall?.to_id ?? wall?.from_id, wall?.id);
    case "wall_reply":
      return page("wall", wall_reply?.owner_id, wall_reply?.post_id);
    case "market":
      return withTitle(market, page("product", market?.owner_id, market?.id));
    case "story":
      return page("story", story?.owner_id, story?.id);
    default:
      return undefined;
  }
}

function withTitle(object: VkObject | undefined, link: string | undefined): string | undefined {
  return link === undefined
    ? undefined
    : [object?.title, link].filter((part) => part !== undefined).join("\n");
}
