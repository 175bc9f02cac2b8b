import { randomBytes } from "node:crypto";
import type { Blob, BlobStore } from "./blob-store.ts";
import type { Exchange } from "./http/exchange.ts";
import { sendFile } from "./http/send-file.ts";

/** A file that anyone with its address can download, as on the content servers of a platform. */
export interface StoredFile extends Blob {
  readonly token: string;
  readonly name: string;
  readonly mime: string;
}

/** The prefix of public files. */
export const filePath = "/file/";

/** Files by the unguessable part of their address. */
export class FileStore {
  readonly blobs: BlobStore;
  readonly #url: () => string;
  readonly #files = new Map<string, StoredFile>();

  constructor(blobs: BlobStore, url: () => string) {
    this.blobs = blobs;
    this.#url = url;
  }

  add(blob: Blob, name: string, mime: string): StoredFile {
    const file = { ...blob, name, mime, token: randomBytes(16).toString("hex") };
    this.#files.set(file.token, file);
    return file;
  }

  async addBytes(bytes: Uint8Array, name: string, mime: string): Promise<StoredFile> {
    return this.add(await this.blobs.put(bytes), name, mime);
  }

  urlOf(file: StoredFile): string {
    return `${this.#url()}${filePath}${file.token}/${encodeURIComponent(file.name)}`;
  }

  /** `GET /file/<token>/<name>` */
  serve(exchange: Exchange, path: string): void {
    const file = this.#files.get(path.slice(filePath.length).split("/")[0] ?? "");
    if (file) sendFile(exchange, this.blobs, file);
    else exchange.response.writeHead(404).end();
  }

  clear(): void {
    for (const { key } of this.#files.values()) void this.blobs.remove(key);
    this.#files.clear();
  }

  save(): readonly StoredFile[] {
    return [...this.#files.values()];
  }

  restore(file: StoredFile): void {
    this.#files.set(file.token, file);
  }
}
