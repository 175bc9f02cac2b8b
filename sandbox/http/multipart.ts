import type { IncomingMessage } from "node:http";
import busboy from "busboy";
import type { Blob, BlobStore } from "../blob-store.ts";
import { isSystemError } from "../system-error.ts";

/** An uploaded file. */
export interface Upload extends Blob {
  readonly name: string | undefined;
  readonly mime: string;
}

export interface Multipart {
  /** In the order of the body; the last value of a name counts. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Upload>;
}

export interface MultipartLimits {
  readonly maxFileBytes: number;
  readonly maxFieldBytes: number;
  /** The platform's error. */
  readonly tooLarge: () => Error;
  readonly unreadable: () => Error;
}

/** Streams every file to disk, so that a large one uses no memory. */
export async function readMultipart(
  request: IncomingMessage,
  blobs: BlobStore,
  limits: MultipartLimits,
): Promise<Multipart> {
  const fields: Record<string, string> = {};
  const files = new Map<string, Upload>();
  const writing: Promise<void>[] = [];
  let exceeded = false;
  const form = openForm(request, limits);
  const failures: unknown[] = [];
  /** The rest of the body is read, and left out. */
  const fail = (error: unknown): void => {
    failures.push(error);
    request.unpipe(form);
    request.resume();
    form.destroy();
  };
  form.on("field", (name, value) => {
    fields[name] = value;
  });
  form.on("file", (name, stream, info) => {
    stream.on("limit", () => {
      exceeded = true;
    });
    const store = async () => {
      const blob = await blobs.putStream(stream);
      files.set(name, { ...blob, name: info.filename, mime: info.mimeType });
    };
    writing.push(store().catch(fail));
  });
  await new Promise<void>((resolve, reject) => {
    form.on("close", resolve);
    form.on("error", () => reject(failures.find(isSystemError) ?? limits.unreadable()));
    request.on("close", () => {
      if (!request.complete) reject(new Error("the client went away"));
    });
    request.pipe(form);
  }).finally(() => Promise.all(writing));
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  if (exceeded) throw limits.tooLarge();
  return { fields, files };
}

function openForm(request: IncomingMessage, limits: MultipartLimits): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: { fileSize: limits.maxFileBytes, fieldSize: limits.maxFieldBytes },
    });
  } catch {
    throw limits.unreadable();
  }
}
