import { createHmac, randomBytes } from "node:crypto";
import type { Blob, BlobStore } from "../../blob-store.ts";
import type { Clock } from "../../clock.ts";
import { imageHeadBytes, readImageSize } from "../../image-size.ts";
import { mediaHeadBytes, sniffMediaType } from "../../media-type.ts";
import { notFound } from "../refusal.ts";

export type MediaKind = "photo" | "video" | "audio" | "file";

/** A file that messages can contain. */
export interface Media extends Blob {
  readonly id: number;
  readonly kind: MediaKind;
  /** Messages refer to the file by this token and its id. */
  readonly token: string;
  readonly owner: number;
  readonly name: string;
  readonly mime: string;
  readonly width: number;
  readonly height: number;
}

/** An upload address that a client requested and has not used yet. */
export interface Slot {
  readonly id: number;
  readonly kind: MediaKind;
  readonly token: string;
  readonly owner: number;
}

const firstId = 500_000_001;
/** Used for pictures and videos whose size is not measured. */
const plainSize = { width: 640, height: 480 };

/** Files, pending uploads, and their addresses. */
export class MediaStore {
  readonly blobs: BlobStore;
  readonly #clock: Clock;
  readonly #linkTtlMs: () => number;
  readonly #files = new Map<number, Media>();
  readonly #slots = new Map<number, Slot>();
  /** Uploaded, but not yet ready to be sent. */
  readonly #processing = new Set<number>();
  #secret = randomBytes(16).toString("hex");
  #base = "";
  #nextId = firstId;

  constructor(setup: { blobs: BlobStore; clock: Clock; linkTtlMs: () => number }) {
    this.blobs = setup.blobs;
    this.#clock = setup.clock;
    this.#linkTtlMs = setup.linkTtlMs;
  }

  /** `base`: e.g. `http://127.0.0.1:4321`. */
  listenAt(base: string): void {
    this.#base = base;
  }

  /** Reserves an upload for this person. */
  reserve(kind: MediaKind, owner: number): Slot {
    const slot = { id: this.#nextId++, kind, owner, token: randomBytes(24).toString("base64url") };
    this.#slots.set(slot.id, slot);
    return slot;
  }

  get base(): string {
    return this.#base;
  }

  isProcessing(id: number): boolean {
    return this.#processing.has(id);
  }

  /** The file can now be sent. */
  finish(id: number): void {
    this.#processing.delete(id);
  }

  slot(id: number): Slot | undefined {
    return this.#slots.get(id);
  }

  uploadUrl({ id, kind, token }: Slot): string {
    const query = kind === "photo" ? `apiToken=${token}&photoIds=${id}` : `id=${id}&sig=${token}`;
    return `${this.#base}/upload/${kind}?${query}`;
  }

  /** Stores the uploaded bytes. All kinds but photos are then processed, until `finish`. */
  async fill(slot: Slot, blob: Blob, name: string): Promise<Media> {
    const head = await this.blobs.head(blob.key, imageHeadBytes);
    const mime = sniffMediaType(head.subarray(0, mediaHeadBytes)) ?? "application/octet-stream";
    const size = (slot.kind === "photo" ? readImageSize(head) : undefined) ?? plainSize;
    const media = { ...slot, ...blob, name, mime, ...size };
    this.#slots.delete(slot.id);
    if (slot.kind !== "photo") this.#processing.add(slot.id);
    this.#files.set(media.id, media);
    return media;
  }

  /** Throws `not.found`. */
  get(id: number): Media {
    const file = this.#files.get(id);
    if (!file) throw notFound(`file ${id}`);
    return file;
  }

  byToken(token: string): Media | undefined {
    return [...this.#files.values()].find((file) => file.token === token);
  }

  /** Pictures have permanent addresses. */
  photoUrl({ token }: Media): string {
    return `${this.#base}/i?r=${token}`;
  }

  /** An address that expires. */
  temporaryUrl({ id }: Media): string {
    const expires = this.#clock.nowMs() + this.#linkTtlMs();
    return `${this.#base}/file?id=${id}&expires=${expires}&sig=${this.#sign(id, expires)}`;
  }

  /** The file of a temporary address; undefined if the address is forged or expired. */
  open(query: URLSearchParams): Media | undefined {
    const [id, expires] = [Number(query.get("id")), Number(query.get("expires"))];
    if (query.get("sig") !== this.#sign(id, expires) || expires < this.#clock.nowMs()) return undefined;
    return this.#files.get(id);
  }

  #sign(id: number, expires: number): string {
    return createHmac("sha256", this.#secret).update(`${id}:${expires}`).digest("hex");
  }

  clear(): void {
    for (const { key } of this.#files.values()) void this.blobs.remove(key);
    this.#files.clear();
    this.#slots.clear();
    this.#processing.clear();
  }

  save(): { secret: string; nextId: number; files: readonly Media[] } {
    return { secret: this.#secret, nextId: this.#nextId, files: [...this.#files.values()] };
  }

  restore(saved: ReturnType<MediaStore["save"]>): void {
    this.#secret = saved.secret;
    this.#nextId = saved.nextId;
    for (const file of saved.files) this.#files.set(file.id, file);
  }
}
