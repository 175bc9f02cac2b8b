import { randomBytes } from "node:crypto";
import type { Blob, BlobStore } from "../blob-store.ts";
import type { Clock } from "../clock.ts";
import { answerJson, type Exchange } from "../http/exchange.ts";
import { sendFile } from "../http/send-file.ts";

/** Every picture is offered in these sizes. */
const imageSizes = ["1280x960", "640x480", "140x105", "32x32"] as const;
/** A link to a voice message is valid for an hour. */
const voiceLifetimeMs = 60 * 60 * 1000;

export const mediaPath = "/media/";

/** A picture or voice message stored by Avito. */
export interface Media extends Blob {
  readonly id: string;
  readonly kind: "image" | "voice";
  readonly mime: string;
  /** The account that may use it. */
  readonly accountId: number;
}

/** Files by id, and their download links. */
export class MediaRegistry {
  readonly blobs: BlobStore;
  readonly #clock: Clock;
  readonly #url: () => string;
  readonly #media = new Map<string, Media>();
  /** Expiry by the link's signature. */
  readonly #links = new Map<string, { readonly id: string; readonly untilMs: number }>();

  constructor(blobs: BlobStore, clock: Clock, url: () => string) {
    this.blobs = blobs;
    this.#clock = clock;
    this.#url = url;
  }

  add(media: Omit<Media, "id">): Media {
    const id = media.kind === "image" ? newImageId() : randomBytes(16).toString("hex");
    const whole = { ...media, id };
    this.#media.set(id, whole);
    return whole;
  }

  find(id: string): Media | undefined {
    return this.#media.get(id);
  }

  /** The addresses of a picture, which never expire. The bytes are the same in each size. */
  sizes({ id }: Media): Readonly<Record<string, string>> {
    return Object.fromEntries(
      imageSizes.map((size) => [size, `${this.#url()}${mediaPath}${id}/${size}.jpg`]),
    );
  }

  /** A new link to a voice message. */
  openVoiceLink({ id }: Media): string {
    const sign = randomBytes(12).toString("hex");
    this.#links.set(sign, { id, untilMs: this.#clock.nowMs() + voiceLifetimeMs });
    return `${this.#url()}${mediaPath}${id}/voice.mp4?sign=${sign}`;
  }

  /** `GET` on one of those addresses. */
  serve(exchange: Exchange, path: string): void {
    const media = this.#media.get(path.slice(mediaPath.length).split("/")[0] ?? "");
    if (!media) answerJson(exchange, 404, { error: { code: 404, message: "Not found" } });
    else if (media.kind === "voice" && !this.#isSigned(media, exchange))
      answerJson(exchange, 403, { error: { code: 403, message: "Forbidden" } });
    else sendFile(exchange, this.blobs, media);
  }

  save(): readonly Media[] {
    return [...this.#media.values()];
  }

  restore(media: Media): void {
    this.#media.set(media.id, media);
  }

  clear(): void {
    for (const { key } of this.#media.values()) void this.blobs.remove(key);
    this.#media.clear();
    this.#links.clear();
  }

  #isSigned({ id }: Media, { query }: Exchange): boolean {
    const link = this.#links.get(new URLSearchParams(query).get("sign") ?? "");
    return link?.id === id && link.untilMs > this.#clock.nowMs();
  }
}

/** `12345.12345abcdefghijklm` */
function newImageId(): string {
  const digits = String(randomBytes(4).readUInt32BE());
  return `${digits}.${randomBytes(16).toString("base64url")}`;
}
