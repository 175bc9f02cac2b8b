import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../ids.ts";
import { appendOnDisk, completeOnDisk, discardOnDisk, removeLeftovers } from "./disk-staging.ts";
import type { StagedUpload, UploadPart } from "./staged-upload.ts";

/** The file is larger than allowed. No data is left. */
export class FileTooBig extends Error {
  override readonly name = "FileTooBig";
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`);
  }
}

/** The store cannot be used at the moment: it is full, or away. No data is left. */
export class FilesUnavailable extends Error {
  override readonly name: string = "FilesUnavailable";
}

export class DiskFull extends FilesUnavailable {
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

/** Files by id. A file exists completely or not at all, also after a power failure. */
export interface FileStore {
  /** A good size of a piece of a draft; at least that which `append` requires. */
  readonly partBytes: number;
  /** Writes the whole stream and closes it, replacing an existing file. Throws `FileTooBig`, `DiskFull`, or the stream's error. */
  put(id: string, stream: Readable, options: { maxBytes: number }): Promise<StoredFile>;
  /** Streams the file, or its bytes from `start` to `end` inclusive. Emits ENOENT if it does not exist. */
  open(id: string, range?: { start: number; end: number }): Readable;
  /** The size in bytes; undefined if there is no such file. */
  size(id: string): Promise<number | undefined>;
  /** Removing a missing file succeeds. */
  remove(id: string): Promise<void>;
  /**
   * Starts a draft (null) or appends to one. `writer` is a number that grows with each process that takes over the
   * draft; late writes of an earlier process have no effect. Every piece except the last has at least
   * `MIN_PART_BYTES`. Throws `StagedUploadLost`.
   */
  append(id: string, draft: StagedUpload | null, piece: UploadPart): Promise<StagedUpload>;
  /** Removes the data of a draft; that of a missing one succeeds. */
  discard(id: string, draft: StagedUpload): Promise<void>;
  /** Turns the draft into the file. Idempotent. Throws `StagedUploadLost`. */
  complete(id: string, draft: StagedUpload): Promise<void>;
}

/** Files on the local disk. */
export interface DiskStore extends FileStore {
  path(id: string): string;
}

const PART_BYTES = 1024 * 1024;

/**
 * Ids must be plain names, such as uuids. The last characters select the directory, because the first ones encode the
 * time.
 */
export function createFileStore({ directory }: { directory: string }): DiskStore {
  const path = (id: string): string => {
    if (!/^[\w-]{4,64}$/.test(id)) throw new Error(`"${id}" is not the id of a file`);
    return join(directory, id.slice(-2), id.slice(-4, -2), id);
  };
  return {
    path,
    partBytes: PART_BYTES,
    async put(id, stream, { maxBytes }) {
      // The stream may fail before it is read; without a listener that error would be unhandled.
      stream.on("error", () => {});
      const target = path(id);
      const temporary = `${target}.${newId()}.part`;
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        const stored = await writeStream(temporary, stream, maxBytes);
        await rename(temporary, target);
        await removeLeftovers(target);
        await syncToDisk(dirname(target));
        return stored;
      } catch (error) {
        // A source that nobody reads any longer would keep its connection.
        stream.destroy();
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
    async remove(id) {
      await rm(path(id), { force: true });
      await removeLeftovers(path(id));
    },
    append: (id, draft, piece) =>
      appendOnDisk(path(id), draft, piece).catch((error: unknown) => {
        throw explainDiskError(error, directory);
      }),
    discard: (id, draft) => discardOnDisk(path(id), draft),
    complete: (id, draft) => completeOnDisk(path(id), draft),
  };
}

/**
 * Writes a stream to a new file and syncs it, computing size and hash. On failure the partial file is left. `onBytes` is
 * called with the length of each chunk.
 */
export async function writeStream(
  path: string,
  stream: Readable,
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<StoredFile> {
  const hash = createHash("sha1");
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      onBytes(chunk.length);
      if (size > maxBytes) return done(new FileTooBig(maxBytes));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, measure, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
  return { size, sha1: hash.digest("hex") };
}

/** Converts an error of a full disk to `DiskFull`; returns other errors unchanged. */
export function explainDiskError(error: unknown, directory: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? new DiskFull(directory, error) : error;
}

async function syncToDisk(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
