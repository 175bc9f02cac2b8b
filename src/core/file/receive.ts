import { Readable } from "node:stream";
import { type FileStore, FileTooBig } from "../../platform/file/files.ts";
import type { StagedUpload } from "../../platform/file/staged-upload.ts";
import type { FileRoom } from "./room.ts";

export interface Reception {
  readonly store: FileStore;
  readonly id: string;
  /** Grows with each attempt to receive the file. */
  readonly writer: number;
  readonly maxBytes: number;
  readonly room: FileRoom;
  /** What earlier attempts have written; the stream begins behind it. Null: nothing. */
  readonly upload: StagedUpload | null;
  /** Called after each part. `isWhole`: nothing is missing but the completion. */
  onPart(upload: StagedUpload, isWhole: boolean): Promise<void>;
}

/**
 * Stores a stream as a file and returns its size. A file larger than a part is written part by part, so that a later
 * attempt can continue it; room in the quota is reserved before it is written. Throws `FileTooBig`, `NoRoom`,
 * `ClaimLost`, `StagedUploadLost`, and errors of the stream and the store.
 */
export async function receiveFile(stream: Readable, reception: Reception): Promise<number> {
  const { store, id, writer, maxBytes, room, onPart } = reception;
  let upload = reception.upload;
  let size = upload?.bytes ?? 0;
  let bytes: Buffer[] = [];
  let waiting = 0;
  const append = (): Promise<StagedUpload> => store.append(id, upload, { writer, bytes, takesOver: true });
  // The stream may fail before it is read; without a listener that error would be unhandled.
  stream.on("error", () => {});
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new FileTooBig(maxBytes);
      await room.require(size);
      bytes.push(chunk);
      waiting += chunk.length;
      if (waiting < store.partBytes) continue;
      upload = await append();
      await onPart(upload, false);
      [bytes, waiting] = [[], 0];
    }
  } finally {
    stream.destroy();
  }
  if (upload === null)
    return (await store.put(id, Readable.from(bytes, { objectMode: false }), { maxBytes })).size;
  if (waiting > 0) upload = await append();
  await onPart(upload, true);
  await store.complete(id, upload);
  return size;
}
