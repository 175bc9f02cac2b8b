import { randomUUID } from "node:crypto";
import type { ReadStream } from "node:fs";
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { open, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A stored file: its key in the store, and its size. */
export interface Blob {
  readonly key: string;
  readonly size: number;
}

/** Files on disk, so that large ones use no memory. */
export class BlobStore {
  readonly #directory: string;
  readonly #temporary: boolean;

  /** Without a directory, the files are in a temporary one that `close` deletes. */
  constructor(directory: string | undefined) {
    this.#temporary = directory === undefined;
    this.#directory = directory ?? mkdtempSync(join(tmpdir(), "sandbox-files-"));
    mkdirSync(this.#directory, { recursive: true });
  }

  async put(bytes: Uint8Array): Promise<Blob> {
    return this.#store(async (path) => writeFile(path, bytes));
  }

  /** Streams to disk. The caller limits the stream itself. */
  async putStream(stream: Readable): Promise<Blob> {
    return this.#store((path) => pipeline(stream, createWriteStream(path)));
  }

  /** Concatenates files, which are kept. */
  async putConcatenation(keys: readonly string[]): Promise<Blob> {
    return this.#store(async (path) => {
      await writeFile(path, "");
      for (const each of keys)
        await pipeline(createReadStream(this.#path(each)), createWriteStream(path, { flags: "a" }));
    });
  }

  /** What cannot be written completely is removed. */
  async #store(write: (path: string) => Promise<void>): Promise<Blob> {
    const key = randomUUID();
    try {
      await write(this.#path(key));
    } catch (error) {
      await this.remove(key);
      throw error;
    }
    return { key, size: statSync(this.#path(key)).size };
  }

  /** The first bytes: enough to detect the type of the file. */
  head(key: string, bytes: number): Promise<Buffer> {
    return this.slice(key, 0, bytes);
  }

  /** Part of a file; shorter at the end of the file. */
  async slice(key: string, offset: number, bytes: number): Promise<Buffer> {
    const handle = await open(this.#path(key));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  read(key: string): ReadStream {
    return createReadStream(this.#path(key));
  }

  async remove(key: string): Promise<void> {
    await unlink(this.#path(key)).catch(() => undefined);
  }

  close(): void {
    if (this.#temporary) rmSync(this.#directory, { recursive: true, force: true });
  }

  #path(key: string): string {
    return join(this.#directory, key);
  }
}
