import { createHash, randomInt } from "node:crypto";
import type { Readable } from "node:stream";
import type { Blob, BlobStore } from "../../blob-store.ts";
import type { Clock } from "../../clock.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** A business's uploads are kept for 30 days, a customer's files for 7. */
const lifetimeMs = { upload: 30 * dayMs, inbound: 7 * dayMs };
/** A download link is valid for 5 minutes. */
const linkLifetimeMs = 5 * 60 * 1000;

/** A file that Meta stores for a business phone number. */
export interface Media {
  readonly id: string;
  readonly numberId: string;
  readonly blobKey: string;
  readonly size: number;
  readonly mime: string;
  readonly name: string | undefined;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly untilMs: number;
}

/** A file before Meta stores it. */
export interface NewMedia {
  readonly numberId: string;
  readonly blob: Blob;
  readonly mime: string;
  readonly name?: string | undefined;
  readonly source: keyof typeof lifetimeMs;
}

/** Media by id, and their download links. */
export class MediaRegistry {
  readonly blobs: BlobStore;
  readonly #clock: Clock;
  readonly #media = new Map<string, Media>();
  /** Expiry by the link's hash. */
  readonly #links = new Map<string, { readonly id: string; readonly untilMs: number }>();

  constructor(blobs: BlobStore, clock: Clock) {
    this.blobs = blobs;
    this.#clock = clock;
  }

  async add({ numberId, blob, mime, name, source }: NewMedia): Promise<Media> {
    const media = {
      id: String(randomInt(1e12, 2e14) * 10),
      numberId,
      blobKey: blob.key,
      size: blob.size,
      mime,
      name,
      sha256: await digest(this.blobs.read(blob.key)),
      untilMs: this.#clock.nowMs() + lifetimeMs[source],
    };
    this.#media.set(media.id, media);
    return media;
  }

  /** The file, unless it has expired. */
  find(id: string): Media | undefined {
    const media = this.#media.get(id);
    return media && media.untilMs > this.#clock.nowMs() ? media : undefined;
  }

  /** The query of a new download link. */
  openLink(media: Media): string {
    const untilMs = this.#clock.nowMs() + linkLifetimeMs;
    const hash = createHash("sha256").update(`${media.id} ${untilMs} ${Math.random()}`).digest("base64url");
    this.#links.set(hash, { id: media.id, untilMs });
    return `mid=${media.id}&ext=${Math.floor(untilMs / 1000)}&hash=${hash}`;
  }

  /** The file of a link; undefined if the link has expired. */
  byLink(id: string, hash: string): Media | undefined {
    const link = this.#links.get(hash);
    return link?.id === id && link.untilMs > this.#clock.nowMs() ? this.find(id) : undefined;
  }

  delete(media: Media): void {
    this.#media.delete(media.id);
    void this.blobs.remove(media.blobKey);
  }

  clear(): void {
    for (const media of this.#media.values()) this.delete(media);
    this.#links.clear();
  }

  save(): readonly Media[] {
    return [...this.#media.values()];
  }

  restore(media: Media): void {
    this.#media.set(media.id, media);
  }
}

async function digest(stream: Readable): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
