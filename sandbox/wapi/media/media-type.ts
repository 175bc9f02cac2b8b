const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

export type MediaKind = "audio" | "document" | "image" | "sticker" | "video";

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media#supported-media-types */
const documentTypes = [
  "text/plain",
  "application/pdf",
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/msword",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-powerpoint",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];
const audioTypes = ["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"];

/** The types and the maximum size of a kind of message. */
export const mediaKinds: Readonly<Record<MediaKind, { readonly types: RegExp; readonly maxBytes: number }>> =
  {
    audio: { types: /^audio\/(aac|mp4|mpeg|amr|ogg|opus)$/, maxBytes: 16 * megabyte },
    /** A document sent by link or id may have any type. */
    document: { types: /./, maxBytes: 100 * megabyte },
    image: { types: /^image\/(jpeg|png)$/, maxBytes: 5 * megabyte },
    sticker: { types: /^image\/webp$/, maxBytes: 500 * kilobyte },
    video: { types: /^video\/(mp4|3gpp)$/, maxBytes: 16 * megabyte },
  };

/** Every type that can be uploaded, in the order of Meta's error text. */
export const uploadTypes: readonly string[] = [
  ...audioTypes,
  ...documentTypes,
  "image/jpeg",
  "image/png",
  "image/webp",
  "video/mp4",
  "video/3gpp",
];

/** The largest upload of a type. */
export function maxUploadBytes(mime: string): number {
  if (mime === "image/webp") return mediaKinds.sticker.maxBytes;
  if (mime.startsWith("image/")) return mediaKinds.image.maxBytes;
  if (mime.startsWith("video/")) return mediaKinds.video.maxBytes;
  return mime.startsWith("audio/") ? mediaKinds.audio.maxBytes : mediaKinds.document.maxBytes;
}

/** `audio/ogg; codecs=opus` → `audio/ogg` */
export function bareType(mime: string): string {
  return (mime.split(";")[0] ?? "").trim().toLowerCase();
}
