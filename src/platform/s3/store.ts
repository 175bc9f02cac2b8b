import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { type FileStore, FileTooBig, type StoredFile } from "../file/files.ts";
import {
  MIN_PART_BYTES,
  type StagedUpload,
  StagedUploadLost,
  type UploadPart,
} from "../file/staged-upload.ts";
import { createS3Client, type S3Client, S3Error, type S3Options, type UploadedPart } from "./client.ts";

/** Files in a bucket of an S3-compatible store, read and written as streams, a few megabytes at a time. */
export interface S3Store extends FileStore {
  close(): Promise<void>;
}

/** A draft is a multipart upload. */
interface S3Draft extends StagedUpload {
  readonly uploadId: string;
  readonly parts: readonly UploadedPart[];
}

export function createS3Store(options: S3Options): S3Store {
  const client = createS3Client(options);
  return {
    put: (id, stream, { maxBytes }) => put(client, keyOf(id), { stream, maxBytes }),
    open: (id, range) => Readable.from(read(client, keyOf(id), range), { objectMode: false }),
    size: (id) => client.size(keyOf(id)),
    remove: (id) => client.remove(keyOf(id)),
    append: (id, draft, piece) => append(client, keyOf(id), { draft: draft as S3Draft | null, piece }),
    partBytes: MIN_PART_BYTES,
    discard: (id, draft) => discard(client, keyOf(id), draft as S3Draft),
    complete: (id, draft) => complete(client, keyOf(id), draft as S3Draft),
    close: client.close,
  };
}

function keyOf(id: string): string {
  if (!/^[\w-]{4,64}$/.test(id)) throw new Error(`"${id}" is not the id of a file`);
  return id;
}

async function* read(
  client: S3Client,
  key: string,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* await client.get(key, range);
  } catch (error) {
    if (error instanceof S3Error && error.status === 404)
      throw Object.assign(new Error(`There is no file ${key}`, { cause: error }), { code: "ENOENT" });
    throw error;
  }
}

/**
 * Stores a file of one piece directly, and a larger one as a multipart upload, whose parts become visible together.
 */
async function put(
  client: S3Client,
  key: string,
  { stream, maxBytes }: { stream: Readable; maxBytes: number },
): Promise<StoredFile> {
  // The stream may fail before it is read; without a listener that error would be unhandled.
  stream.on("error", () => {});
  const hash = createHash("sha1");
  let size = 0;
  let draft: S3Draft | null = null;
  try {
    let bytes: Buffer[] = [];
    let waiting = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new FileTooBig(maxBytes);
      hash.update(chunk);
      bytes.push(chunk);
      waiting += chunk.length;
      if (waiting < MIN_PART_BYTES) continue;
      draft = await append(client, key, { draft, piece: { writer: 1, bytes } });
      [bytes, waiting] = [[], 0];
    }
    if (draft === null) await client.put(key, bytes);
    else await complete(client, key, await appendRest(client, key, { draft, bytes }));
    return { size, sha1: hash.digest("hex") };
  } catch (error) {
    stream.destroy();
    if (draft !== null) await client.abort(key, draft.uploadId).catch(() => undefined);
    throw error;
  }
}

async function appendRest(
  client: S3Client,
  key: string,
  { draft, bytes }: { draft: S3Draft; bytes: readonly Buffer[] },
): Promise<S3Draft> {
  return bytes.length === 0 ? draft : append(client, key, { draft, piece: { writer: 1, bytes } });
}

/**
 * Each process that takes over the upload leaves a gap in the part numbers, so that a part still being sent by an
 * earlier process has a number that is in no list.
 */
async function append(
  client: S3Client,
  key: string,
  { draft, piece: { writer, bytes } }: { draft: S3Draft | null; piece: UploadPart },
): Promise<S3Draft> {
  const uploadId = draft?.uploadId ?? (await client.begin(key));
  const last = draft?.parts.at(-1)?.number ?? 0;
  const number = last + 1 + (draft === null ? 0 : writer - draft.writer);
  const part = await client
    .uploadPart(key, { uploadId, number, body: bytes })
    .catch(async (error: unknown) => {
      // No draft refers to this upload yet.
      if (draft === null) await client.abort(key, uploadId).catch(() => undefined);
      throw isMissing(error) ? new StagedUploadLost(key, error) : error;
    });
  return {
    bytes: bytes.reduce((sum, { length }) => sum + length, draft?.bytes ?? 0),
    writer,
    uploadId,
    parts: [...(draft?.parts ?? []), part],
  };
}

async function complete(client: S3Client, key: string, draft: S3Draft): Promise<void> {
  try {
    await client.complete(key, draft.uploadId, draft.parts);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if ((await client.size(key)) !== draft.bytes) throw new StagedUploadLost(key, error);
  }
}

async function discard(client: S3Client, key: string, { uploadId }: S3Draft): Promise<void> {
  await client.abort(key, uploadId).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Error && (error.code === "NoSuchUpload" || error.code === "InvalidPart");
}
