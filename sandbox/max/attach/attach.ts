import type { MediaKind, MediaStore } from "../media/store.ts";

/** A file in a message, with the properties stated by its sender. */
export interface MediaAttach {
  readonly type: "PHOTO" | "VIDEO" | "AUDIO" | "FILE";
  readonly mediaId: number;
  /** Milliseconds. */
  readonly duration?: number;
  /** The wave form of a voice message, base64. */
  readonly wave?: string;
  /** 1: a round video. */
  readonly videoType?: number;
}

/** Any other attachment, with the fields that the platform shows. */
export interface PlainAttach {
  readonly type:
    | "CONTACT"
    | "LOCATION"
    | "STICKER"
    | "SHARE"
    | "CALL"
    | "CONTROL"
    | "POLL"
    | "INLINE_KEYBOARD"
    | string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Attach = MediaAttach | PlainAttach;

export const attachTypeOf: Readonly<Record<MediaKind, MediaAttach["type"]>> = {
  photo: "PHOTO",
  video: "VIDEO",
  audio: "AUDIO",
  file: "FILE",
};

export function isMedia(attach: Attach): attach is MediaAttach {
  return "mediaId" in attach;
}

/** An attachment as sent to clients, with new download addresses. */
export function attachShape(media: MediaStore, attach: Attach): Readonly<Record<string, unknown>> {
  if (!isMedia(attach)) return { _type: attach.type, ...attach.fields };
  const file = media.get(attach.mediaId);
  const { token, name, size, width, height } = file;
  const duration = attach.duration ?? 0;
  switch (attach.type) {
    case "PHOTO":
      return {
        _type: "PHOTO",
        baseUrl: media.photoUrl(file),
        photoId: file.id,
        photoToken: token,
        width,
        height,
      };
    case "VIDEO":
      return {
        _type: "VIDEO",
        videoId: file.id,
        token,
        videoType: attach.videoType ?? 0,
        duration,
        width,
        height,
        thumbnail: media.photoUrl(file),
      };
    case "AUDIO":
      return {
        _type: "AUDIO",
        audioId: file.id,
        token,
        url: media.temporaryUrl(file),
        duration,
        wave: attach.wave ?? "",
        transcriptionStatus: "NOT_SUPPORTED",
      };
    case "FILE":
      return { _type: "FILE", fileId: file.id, token, name, size };
  }
}
