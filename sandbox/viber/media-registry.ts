import { randomBytes } from "node:crypto";
import type { Blob, BlobStore } from "../blob-store.ts";
import type { Clock } from "../clock.ts";
import { answerText, type Exchange } from "../http/exchange.ts";
import { sendFile } from "../http/send-file.ts";

export const mediaPath = "/media/";

/** Links to people's files are valid for only a few hours. */
const lifetimeMs = 2 * 60 * 60 * 1000;

interface Media extends Blob {
  readonly mime: string;
  readonly untilMs: number;
}

/** People's files at public addresses. */
export class MediaRegistry {
  readonly blobs: BlobStore;
  readonly #clock: Clock;
  readonly #url: () => string;
  readonly #media = new Map<string, Media>();

  constructor(blobs: BlobStore, clock: Clock, url: () => string) {
    this.blobs = blobs;
    this.#clock = clock;
    this.#url = url;
  }

  /** Stores a file; returns its address, which ends with the name. */
  async add(bytes: Uint8Array, mime: string, name: string): Promise<string> {
    const id = randomBytes(12).toString("hex");
    const blob = await this.blobs.put(bytes);
    this.#media.set(id, { ...blob, mime, untilMs: this.#clock.nowMs() + lifetimeMs });
    return `${this.#url()}${mediaPath}${id}/${encodeURIComponent(name)}`;
  }

  /** `GET` on such an address: public, for a limited time. */
  serve(exchange: Exchange, path: string): void {
    const media = this.#media.get(path.slice(mediaPath.length).split("/")[0] ?? "");
    if (media && media.untilMs > this.#clock.nowMs()) sendFile(exchange, this.blobs, media);
    else answerText(exchange, 404, "");
  }

  clear(): void {
    for (const { key } of this.#media.values()) void this.blobs.remove(key);
    this.#media.clear();
  }
}
