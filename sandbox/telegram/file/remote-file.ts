import { Readable, Transform } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { BlobStore } from "../../blob-store.ts";
import type { Upload } from "../../http/multipart.ts";
import { type ApiError, badRequest } from "../call/api-error.ts";
import type { FileKind } from "./file-registry.ts";

/** https://core.telegram.org/bots/api#sending-files: 5 MB for photos, 20 MB for the rest. */
const maxPhotoBytes = 5 * 1024 * 1024;
const maxFileBytes = 20 * 1024 * 1024;
const timeoutMs = 15_000;

/** The content types allowed for each kind of message; other kinds accept everything but a web page. */
const expectedTypes: Partial<Readonly<Record<FileKind, RegExp>>> = {
  photo: /^image\//,
  video: /^video\//,
  animation: /^(video\/|image\/gif)/,
  audio: /^audio\//,
  voice: /^(audio\/|application\/ogg)/,
  sticker: /^(image\/|video\/webm)/,
};

/** Downloads a file by address, as the platform does. */
export async function fetchRemote(blobs: BlobStore, url: string, kind: FileKind): Promise<Upload> {
  if (!URL.canParse(url)) throw badRequest("wrong file identifier/HTTP URL specified");
  const response = await request(url);
  const mime =
    (response.headers.get("content-type") ?? "application/octet-stream").split(";")[0]?.trim() ?? "";
  const expected = expectedTypes[kind] ?? /^(?!text\/html)/;
  if (!expected.test(mime)) {
    await response.body?.cancel();
    throw badRequest("wrong type of the web page content");
  }
  const limit = kind === "photo" ? maxPhotoBytes : maxFileBytes;
  const blob = await store(blobs, response, limit);
  return { ...blob, mime, name: nameOf(response.url) };
}

async function request(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  if (response?.ok) return response;
  await response?.body?.cancel();
  throw unreachable();
}

async function store(blobs: BlobStore, response: Response, limit: number) {
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (!response.body || declared > limit) {
    await response.body?.cancel();
    throw unreachable();
  }
  let size = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > limit ? new Error("too large") : null, chunk);
    },
  });
  const source = Readable.fromWeb(response.body as ReadableStream);
  source.on("error", (error) => counter.destroy(error));
  try {
    return await blobs.putStream(source.pipe(counter));
  } catch {
    source.destroy();
    throw unreachable();
  }
}

function unreachable(): ApiError {
  return badRequest("failed to get HTTP URL content");
}

function nameOf(url: string): string | undefined {
  const last = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
  return last === "" ? undefined : last;
}
