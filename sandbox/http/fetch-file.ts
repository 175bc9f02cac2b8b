import { Readable, Transform } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { BlobStore } from "../blob-store.ts";
import type { Upload } from "./multipart.ts";

const timeoutMs = 15_000;

/** Why a file could not be downloaded. */
export class FetchFailed extends Error {
  readonly reason: "unreachable" | "too_large";
  constructor(reason: "unreachable" | "too_large") {
    super(reason);
    this.reason = reason;
  }
}

/** Downloads a file by its address, as a platform does. Rejects with `FetchFailed`. */
export async function fetchFile(blobs: BlobStore, url: string, maxBytes: number): Promise<Upload> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  if (!response?.ok || !response.body) {
    await response?.body?.cancel();
    throw new FetchFailed("unreachable");
  }
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body.cancel();
    throw new FetchFailed("too_large");
  }
  const mime = (response.headers.get("content-type") ?? "").split(";")[0]?.trim();
  const blob = await store(blobs, response.body as ReadableStream, maxBytes);
  return { ...blob, mime: mime || "application/octet-stream", name: nameOf(response.url) };
}

async function store(blobs: BlobStore, body: ReadableStream, maxBytes: number) {
  let size = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? new FetchFailed("too_large") : null, chunk);
    },
  });
  const source = Readable.fromWeb(body);
  source.on("error", (error) => counter.destroy(error));
  try {
    return await blobs.putStream(source.pipe(counter));
  } catch (error) {
    source.destroy();
    throw error instanceof FetchFailed ? error : new FetchFailed("unreachable");
  }
}

function nameOf(url: string): string | undefined {
  const last = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
  return last === "" ? undefined : last;
}
