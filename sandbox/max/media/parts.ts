import type { IncomingMessage } from "node:http";
import { Readable, Transform } from "node:stream";
import type { Blob, BlobStore } from "../../blob-store.ts";
import { Refused } from "./refused.ts";
import type { Slot } from "./store.ts";

/** A completely uploaded file. */
interface Whole {
  readonly blob: Blob;
  readonly name: string;
}

/** The parts received so far, by the file's id. */
const incoming = new WeakMap<Slot, Blob[]>();

/**
 * Takes one part of a file: its raw bytes, `Content-Range: bytes 0-99/1000` and `Content-Disposition: attachment;
 * filename=…`. Parts arrive in order. Undefined while parts are missing.
 */
export async function readParts(
  blobs: BlobStore,
  request: IncomingMessage,
  { slot, maxFileBytes }: { slot: Slot; maxFileBytes: number },
): Promise<Whole | undefined> {
  const { start, end, total } = rangeOf(request);
  if (total > maxFileBytes) throw new Refused(413, "too large");
  const parts = incoming.get(slot) ?? [];
  if (parts.reduce((sum, { size }) => sum + size, 0) !== start) throw new Refused(416, "not the next part");
  const limit = limited(end - start + 1);
  request.on("close", () => {
    if (!request.complete) limit.destroy(new Error("the client went away"));
  });
  const part = await blobs.putStream(request.pipe(limit));
  if (part.size !== end - start + 1) {
    await blobs.remove(part.key);
    throw new Refused(400, "the body does not fit Content-Range");
  }
  parts.push(part);
  incoming.set(slot, parts);
  if (end + 1 < total) return undefined;
  incoming.delete(slot);
  return { blob: await join(blobs, parts), name: nameOf(request) };
}

/** With or without the unit; PyMax writes both. */
function rangeOf({ headers }: IncomingMessage): { start: number; end: number; total: number } {
  const found = /^(?:bytes )?(\d+)-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "");
  const [start = 0, end = 0, total = 0] = (found ?? []).slice(1).map(Number);
  if (!found || end < start || end >= total) throw new Refused(400, "Content-Range is missing or wrong");
  return { start, end, total };
}

function nameOf({ headers }: IncomingMessage): string {
  const found = /filename="?([^";]+)"?/.exec(headers["content-disposition"] ?? "");
  if (!found?.[1]) throw new Refused(400, "Content-Disposition names no file");
  return decodeURIComponent(found[1]);
}

/** Fails if more bytes arrive than were declared. */
function limited(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? new Refused(400, "the body does not fit Content-Range") : null, chunk);
    },
  });
}

async function join(blobs: BlobStore, parts: readonly Blob[]): Promise<Blob> {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const whole = await blobs.putStream(Readable.from(bytesOf(blobs, parts)));
  await Promise.all(parts.map(({ key }) => blobs.remove(key)));
  return whole;
}

async function* bytesOf(blobs: BlobStore, parts: readonly Blob[]): AsyncIterable<Buffer> {
  for (const { key } of parts) yield* blobs.read(key);
}
