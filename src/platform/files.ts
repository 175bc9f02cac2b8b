import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { appendOnDisk, completeOnDisk, removeLeftovers } from "./disk-drafts.ts";
import type { Draft, Piece } from "./draft.ts";
import { newId } from "./ids.ts";

/** The file is larger than allowed. Nothing is left of it. */
export class FileTooBig extends Error {
  override readonly name = "FileTooBig";
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`);
  }
}

/** There is no room for the file. Nothing is left of it. */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
  constructor(directory: string, cause: unknown) {
    super(
      `The disk that holds ${directory} is full: free some space, or shorten INBOUND_FILE_RETENTION_DAYS`,
      { cause },
    );
  }
}

export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** 40 hex digits. */
  readonly sha1: string;
}

/** Files by id. A file is there completely or not at all, also after a power cut. */
export interface FileStore {
  /** Writes the whole stream, replacing what is there. Throws `FileTooBig` or `DiskFull`, or the stream's error. */
  put(id: string, stream: Readable, options: { maxBytes: number }): Promise<StoredFile>;
  /** Streams the file, or the bytes from `start` to `end`, both included. Emits ENOENT when it does not exist. */
  open(id: string, range?: { start: number; end: number }): Readable;
  /** Bytes, or undefined when there is no such file. */
  size(id: string): Promise<number | undefined>;
  /** Removing what is not there succeeds. */
  remove(id: string): Promise<void>;
  /**
   * Begins a draft (null) or adds to one. `writer` is a number that grows with each process that takes the draft over:
   * what an earlier one still writes does no harm. Every piece but the last has at least `MIN_PIECE_BYTES`. Throws
   * `DraftLost`.
   */
  append(id: string, draft: Draft | null, piece: Piece): Promise<Draft>;
  /** Makes the draft the file. Doing it again changes nothing. Throws `DraftLost`. */
  complete(id: string, draft: Draft): Promise<void>;
}

/** Files on the local disk. */
export interface DiskStore extends FileStore {
  path(id: string): string;
}

/** Ids must be plain names, such as uuids; the last digits choose the folder since the first ones are the time. */
export function createFileStore({ directory }: { directory: string }): DiskStore {
  const path = (id: string): string => {
    if (!/^[\w-]{4,64}$/.test(id)) throw new Error(`"${id}" is not the id of a file`);
    return join(directory, id.slice(-2), id.slice(-4, -2), id);
  };
  return {
    path,
    async put(id, stream, { maxBytes }) {
      // It may break before it is being read, which nobody would notice otherwise.
      stream.on("error", () => {});
      const target = path(id);
      const temporary = `${target}.${newId()}.part`;
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      try {
        const stored = await writeStream(temporary, stream, maxBytes);
        await rename(temporary, target);
        await removeLeftovers(target);
        await syncToDisk(dirname(target));
        return stored;
      } catch (error) {
        await rm(temporary, { force: true });
        throw explainDiskError(stream.errored ?? error, directory);
      }
    },
    open: (id, range) => createReadStream(path(id), range),
    size: (id) =>
      stat(path(id)).then(
        (found) => found.size,
        () => undefined,
      ),
    remove: (id) => rm(path(id), { force: true }),
    append: (id, draft, piece) =>
      appendOnDisk(path(id), draft, piece).catch((error: unknown) => {
        throw explainDiskError(error, directory);
      }),
    complete: (id, draft) => completeOnDisk(path(id), draft),
  };
}

/** Writes a stream to a new file and onto the disk, measuring on the way. Leaves what was written on failure. */
export async function writeStream(path: string, stream: Readable, maxBytes: number): Promise<StoredFile> {
  const hash = createHash("sha1");
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) return done(new FileTooBig(maxBytes));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, measure, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
  return { size, sha1: hash.digest("hex") };
}

/** Makes a full disk recognisable; other errors stay as they are. */
export function explainDiskError(error: unknown, directory: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? new DiskFull(directory, error) : error;
}

async function syncToDisk(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
