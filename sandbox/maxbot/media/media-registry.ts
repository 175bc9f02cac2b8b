import { randomBytes, randomInt } from "node:crypto";
import type { Blob, BlobStore } from "../../blob-store.ts";
import { imageHeadBytes, readImageSize } from "../../image-size.ts";
import { mediaHeadBytes, sniffMediaType } from "../../media-type.ts";

/** The types of `POST /uploads`. */
export const uploadTypes = ["image", "video", "audio", "file"] as const;
export type UploadType = (typeof uploadTypes)[number];

const megabyte = 1024 * 1024;

/** https://dev.max.ru/docs-api/methods/POST/uploads */
export const maxBytes: Readonly<Record<UploadType, number>> = {
  image: 50 * megabyte,
  video: 250 * megabyte,
  audio: 256 * megabyte,
  file: 4096 * megabyte,
};
const maxPixels = 7680;

const formats: Readonly<Record<UploadType, RegExp>> = {
  image: /^image\/(jpeg|png|gif|tiff|bmp|heic)$/,
  video: /^video\/(mp4|quicktime|webm)$/,
  // "MP3, WAV, M4A and others": any type that is not clearly something else.
  audio: /^(audio\/|video\/mp4)/,
  file: /^(?!application\/x-msdownload)/,
};

/** A file stored by MAX, from a bot or a person. */
export interface Media extends Blob {
  readonly type: UploadType | "sticker";
  readonly token: string;
  /** The bot that uploaded it; undefined: sent by a person. */
  readonly botId: number | undefined;
  readonly photoId: number;
  readonly mime: string;
  readonly name: string;
  /** How many more attempts to send it are refused as not ready. */
  notReady: number;
}

/** An address issued by `POST /uploads`, valid for one file. */
export interface UploadSlot {
  readonly id: string;
  readonly type: UploadType;
  readonly botId: number;
  readonly token: string;
  used: boolean;
  /** The parts received so far of a file in parts. */
  readonly parts: Buffer[];
}

/** Files by token, and the upload addresses without a file. */
export class MediaRegistry {
  readonly blobs: BlobStore;
  readonly #media = new Map<string, Media>();
  readonly #byKey = new Map<string, Media>();
  readonly #slots = new Map<string, UploadSlot>();

  constructor(blobs: BlobStore) {
    this.blobs = blobs;
  }

  openSlot(botId: number, type: UploadType): UploadSlot {
    const id = randomBytes(12).toString("hex");
    const slot = { id, type, botId, token: newToken(), used: false, parts: [] };
    this.#slots.set(id, slot);
    return slot;
  }

  slot(id: string): UploadSlot | undefined {
    return this.#slots.get(id);
  }

  /** Whether the token belongs to an address without a file. */
  isAwaited(token: string): boolean {
    return [...this.#slots.values()].some((slot) => slot.token === token && !slot.used);
  }

  add(media: Omit<Media, "photoId" | "token"> & { readonly token?: string }): Media {
    const whole = { ...media, token: media.token ?? newToken(), photoId: randomInt(1e9, 1e12) };
    this.restore(whole);
    return whole;
  }

  find(token: string): Media | undefined {
    return this.#media.get(token);
  }

  byKey(key: string): Media | undefined {
    return this.#byKey.get(key);
  }

  save(): readonly Media[] {
    return [...this.#media.values()];
  }

  restore(media: Media): void {
    this.#media.set(media.token, media);
    this.#byKey.set(media.key, media);
  }

  clear(): void {
    for (const { key } of this.#media.values()) void this.blobs.remove(key);
    this.#media.clear();
    this.#byKey.clear();
    this.#slots.clear();
  }
}

/** The type by the first bytes, or the reason why the platform rejects the file. */
export async function inspectMedia(
  blobs: BlobStore,
  blob: Blob,
  type: UploadType,
): Promise<{ readonly mime: string } | { readonly refused: "forbidden" | "too_large" }> {
  if (blob.size > maxBytes[type]) return { refused: "too_large" };
  const mime = sniffMediaType(await blobs.head(blob.key, mediaHeadBytes));
  if (type === "file")
    return accepts("file", mime ?? "") ? { mime: mime ?? octets } : { refused: "forbidden" };
  if (mime === undefined || !accepts(type, mime)) return { refused: "forbidden" };
  if (type === "image") {
    const size = readImageSize(await blobs.head(blob.key, imageHeadBytes));
    if (size && Math.max(size.width, size.height) > maxPixels) return { refused: "too_large" };
  }
  return { mime };
}

const octets = "application/octet-stream";

function accepts(type: UploadType, mime: string): boolean {
  return formats[type].test(mime);
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}
