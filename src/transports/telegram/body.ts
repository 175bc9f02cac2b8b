import type { FileRef, MessageBody } from "../../core/transport/events.ts";
import { withText } from "../kit/body.ts";
import { toVcard } from "../kit/contact-card.ts";
import { quotation } from "../kit/marked-words.ts";
import { joined, linked } from "../kit/words.ts";
import { type TgAttached, type TgContent, type TgFile, UNSUPPORTED_KINDS } from "./content.ts";
import { readRich } from "./rich.ts";
import type { TgButtons, TgWritten } from "./update.ts";
import { textOf, type UnsupportedKind, wordsOf } from "./words.ts";

type Bodies = readonly MessageBody[];
/** Also a reply from another chat. */
type Content = TgContent & Pick<TgWritten, "forward_origin" | "forward_date" | "is_automatic_forward">;

/**
 * The bodies of a message (Bot API, `Message`): one for each file, the text with the first. None if it has no known
 * content. Words of a forwarded message are marked as a quotation.
 */
export function toBodies(message: Content): Bodies {
  const bodies = contentBodies(message);
  return isForwarded(message) ? bodies.map(asQuotation) : bodies;
}

export const toBody = (message: Content): MessageBody | undefined => toBodies(message)[0];

/** A channel's post in its group is forwarded by Telegram itself. */
function isForwarded({ forward_origin, forward_date, is_automatic_forward }: Content): boolean {
  return (forward_origin ?? forward_date) !== undefined && is_automatic_forward !== true;
}

function asQuotation(body: MessageBody): MessageBody {
  return "text" in body && body.text !== undefined ? { ...body, text: quotation(body.text) } : body;
}

/** Adds the buttons under a message of another bot: `label (address)`. */
export function withButtons(bodies: Bodies, buttons: TgButtons): Bodies {
  const lines = (buttons?.inline_keyboard ?? [])
    .flat()
    .map(({ text, url, login_url, web_app, copy_text }) =>
      linked(text, url ?? login_url?.url ?? web_app?.url ?? copy_text?.text),
    );
  const labels = joined(lines);
  const [first, ...rest] = bodies;
  if (labels === null || first === undefined) return bodies;
  if (first.type === "vcard" || first.type === "missing_call") return withText(labels, bodies);
  return [{ ...first, text: joined([first.text, labels]) ?? "" }, ...rest];
}

/** The order matters: a venue also has `location`, an animation `document`, a live photo `photo`. */
function contentBodies(message: Content): Bodies {
  const { text, entities, caption, caption_entities, rich_message } = message;
  const own = textOf(text, entities);
  if (own !== undefined) return [{ type: "text", text: own }];
  if (rich_message !== undefined) {
    const rich = readRich(rich_message);
    const parts = rich.attached.flatMap(attachedBodies);
    return rich.text === null && parts.length === 0 ? [] : withText(rich.text ?? undefined, parts);
  }
  const words = textOf(caption, caption_entities);
  const kind = UNSUPPORTED_KINDS.find((each) => message[each] !== undefined);
  if (kind !== undefined) return unsupportedBodies(message, kind, words);
  const parts = [...attachedBodies(message), ...contactBodies(message)];
  if (parts.length > 0) return withText(words, parts);
  return words === undefined ? [] : [{ type: "unsupported", what: "message", text: words }];
}

function unsupportedBodies(message: Content, kind: UnsupportedKind, caption: string | undefined): Bodies {
  const parts = attachedTo(message, kind).flatMap(attachedBodies);
  if (kind === "paid_media" && parts.length > 0) return withText(caption, parts);
  const text = joined([wordsOf(message, kind) ?? undefined, caption]);
  const what = kind.replaceAll("_", " ");
  return [{ type: "unsupported", what, ...(text !== null && { text }) }, ...parts];
}

function attachedTo({ poll, paid_media }: Content, kind: UnsupportedKind): readonly TgAttached[] {
  if (kind === "paid_media") return paid_media?.paid_media ?? [];
  if (kind !== "poll" || poll === undefined) return [];
  const choices = (poll.options ?? []).map(({ media }) => media);
  return [poll.media, ...choices, poll.explanation_media].filter((media) => media !== undefined);
}

/** The file or place of a message or of a part of it. A live photo has two: the photo, and the video. */
export function attachedBodies(attached: TgAttached): Bodies {
  const { photo, live_photo, animation, video, video_note, voice, voice_note, audio, sticker, document } =
    attached;
  if (live_photo !== undefined) {
    const still = photoBody(photo ?? live_photo.photo);
    return [still, fileBody("video", live_photo, "video/mp4")].filter((body) => body !== null);
  }
  const body =
    photoBody(photo) ??
    fileBody("video", animation && { ...document, ...animation }, "video/mp4") ??
    fileBody("video", video, "video/mp4") ??
    fileBody("video", video_note, "video/mp4") ??
    fileBody("audio", voice ?? voice_note, "audio/ogg") ??
    fileBody("audio", audio, "audio/mpeg") ??
    stickerBody(sticker) ??
    fileBody("document", document) ??
    placeBody(attached);
  return body === null ? lostFile(attached) : [body];
}

/** Of a file that cannot be opened, the name is left. */
function lostFile(attached: TgAttached): Bodies {
  const { animation, video, audio, document } = attached;
  const name = (animation ?? video ?? audio ?? document)?.file_name;
  return name === undefined ? [] : [{ type: "unsupported", what: "file", text: name }];
}

type Media = Extract<MessageBody, { type: "media" }>;

/** Null if the file cannot be opened (has no `file_id`). */
function fileBody(media: Media["media"], file: TgFile | undefined, usualType?: string): Media | null {
  const ref = file && fileRef(file, usualType);
  return ref ? { type: "media", media, file: ref, text: "" } : null;
}

function photoBody(sizes: readonly TgFile[] | undefined): Media | null {
  const largest = sizes?.findLast(({ file_id }) => file_id !== undefined);
  return fileBody("image", largest, "image/jpeg");
}

/** Stickers are WebP pictures, WebM videos, or animations that only Telegram plays (gzipped Lottie). */
function stickerBody(sticker: TgFile | undefined): MessageBody | null {
  if (sticker?.is_video === true) return fileBody("video", sticker, "video/webm");
  if (sticker?.is_animated !== true) return fileBody("image", sticker, "image/webp");
  return fileBody("document", { ...sticker, file_name: "sticker.tgs" }, "application/x-tgsticker");
}

/** A place without coordinates becomes text, if it has any. */
function placeBody({ venue, location }: TgAttached): MessageBody | null {
  const { latitude, longitude } = venue?.location ?? location ?? {};
  const text = [venue?.title, venue?.address].filter(Boolean).join(", ");
  if (latitude !== undefined && longitude !== undefined) return { type: "geo", latitude, longitude, text };
  return text === "" ? null : { type: "text", text };
}

function contactBodies({ contact }: TgContent): Bodies {
  if (contact === undefined) return [];
  const { phone_number: phone, first_name: firstName, last_name: lastName, vcard } = contact;
  return [{ type: "vcard", vcard: toVcard({ phone, firstName, lastName, vcard }) }];
}

/** Music without a file name is named after what Telegram shows. */
function fileRef(file: TgFile, usualType?: string): FileRef | null {
  if (file.file_id === undefined) return null;
  const mimeType = file.mime_type ?? usualType;
  const name = file.file_name ?? joined([file.performer, file.title], " - ") ?? undefined;
  return {
    token: file.file_id,
    ...(name !== undefined && { name }),
    ...(mimeType !== undefined && { mimeType }),
    ...(file.file_size !== undefined && { size: file.file_size }),
  };
}
