import type { tl } from "@mtcute/core";
import type { BlobStore } from "../../blob-store.ts";

/** An uploaded photo or document. Plain data, kept over restarts. */
export interface StoredFile {
  /** Also its id on the wire: 63 bits in decimal. */
  readonly id: string;
  readonly kind: "photo" | "document";
  /** Key of the blob with its bytes. */
  readonly blob: string;
  readonly size: number;
  readonly mimeType: string;
  /** The data centre that stores it. */
  readonly dc: number;
  /** Unix seconds. */
  readonly date: number;
  readonly attributes: readonly tl.TypeDocumentAttribute[];
  /** Of a photo, in pixels. */
  readonly width: number;
  readonly height: number;
  /** References issued before this time are refused. */
  referencesSince: number;
}

/** The parts of an upload that is not used yet. */
interface Upload {
  readonly parts: Map<number, { readonly blob: string; readonly size: number }>;
  totalParts: number | undefined;
}

/** The bytes of files and of uploads, on disk. */
export class FileStore {
  readonly #blobs: BlobStore;
  readonly #uploads = new Map<string, Upload>();

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /** Stores a part; a repeated one replaces the first. */
  async putPart(name: string, part: number, bytes: Uint8Array, totalParts?: number): Promise<void> {
    const upload = this.#uploads.get(name) ?? { parts: new Map(), totalParts: undefined };
    this.#uploads.set(name, upload);
    if (totalParts !== undefined && totalParts > 0) upload.totalParts = totalParts;
    const { key } = await this.#blobs.put(bytes);
    const former = upload.parts.get(part);
    upload.parts.set(part, { blob: key, size: bytes.length });
    if (former) await this.#blobs.remove(former.blob);
  }

  /** The sizes of the received parts by number. */
  partsOf(name: string): ReadonlyMap<number, { readonly size: number }> {
    return this.#uploads.get(name)?.parts ?? new Map();
  }

  /** Joins the first `count` parts, and deletes them. */
  async assemble(name: string, count: number): Promise<{ readonly blob: string; readonly size: number }> {
    const parts = this.#uploads.get(name)?.parts ?? new Map<number, { blob: string }>();
    const numbers = Array.from({ length: count }, (_, index) => index);
    const keys = numbers.flatMap((number) => parts.get(number)?.blob ?? []);
    const { key, size } = await this.#blobs.putConcatenation(keys);
    this.#uploads.delete(name);
    for (const each of parts.values()) await this.#blobs.remove(each.blob);
    return { blob: key, size };
  }

  async put(bytes: Uint8Array): Promise<{ readonly blob: string; readonly size: number }> {
    const { key, size } = await this.#blobs.put(bytes);
    return { blob: key, size };
  }

  /** Bytes from `offset` on, at most `length`. */
  read(blob: string, offset: number, length: number): Promise<Buffer> {
    return this.#blobs.slice(blob, offset, length);
  }

  clear(): void {
    this.#uploads.clear();
  }
}
