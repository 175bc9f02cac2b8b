import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { Long, type tl } from "@mtcute/core";
import type { OutboundFile } from "../../../core/transport/connector.ts";
import { TransportError } from "../../../core/transport/errors.ts";
import { ask, type Line } from "../line.ts";

/**
 * The maximum size of a part, and the size from which files count as "big" (core.telegram.org/api/files, "Uploading
 * files").
 */
const PART_BYTES = 512 * 1024;
const BIG_FILE_BYTES = 10 * 1024 * 1024;
/** The number of parts in flight, and in memory, at a time. */
const WINDOW = 3;

type UploadLine = Pick<Line, "client" | "callMs" | "signal">;

/** Uploads what the app shows until a video is loaded; undefined if there is none. Throws what the library throws. */
export async function uploadThumbnail(
  line: UploadLine,
  file: OutboundFile,
  signal: AbortSignal,
): Promise<tl.TypeInputFile | undefined> {
  const bytes = file.videoPreview?.thumbnail;
  if (bytes === undefined) return undefined;
  const open = (): Readable => Readable.from([Buffer.from(bytes)]);
  return uploadFile(line, { ...file, name: "thumbnail.jpg", size: bytes.length, open }, signal);
}

/** Uploads a file part by part. Throws what the library throws. */
export async function uploadFile(
  line: UploadLine,
  file: OutboundFile,
  signal: AbortSignal,
): Promise<tl.TypeInputFile> {
  const id = Long.fromBytesLE([...randomBytes(8)]);
  const parts = Math.max(1, Math.ceil(file.size / PART_BYTES));
  const isBig = file.size > BIG_FILE_BYTES;
  const failed = new AbortController();
  const limit = AbortSignal.any([signal, failed.signal]);
  const onItsWay = new Set<Promise<void>>();
  let part = 0;
  const stream = file.open();
  try {
    for await (const bytes of inParts(stream)) {
      const request = isBig
        ? { _: "upload.saveBigFilePart" as const, fileId: id, filePart: part, fileTotalParts: parts, bytes }
        : { _: "upload.saveFilePart" as const, fileId: id, filePart: part, bytes };
      part += 1;
      const sending = savePart(line, request, limit).finally(() => onItsWay.delete(sending));
      sending.catch((error: unknown) => failed.abort(error));
      onItsWay.add(sending);
      if (onItsWay.size >= WINDOW) await Promise.race(onItsWay);
    }
    await Promise.all(onItsWay);
  } finally {
    stream.destroy();
    failed.abort();
  }
  if (part !== parts) throw new TransportError("UNKNOWN_ERROR", "The file ended early", { retry: "later" });
  return isBig
    ? { _: "inputFileBig", id, parts, name: file.name }
    : { _: "inputFile", id, parts, name: file.name, md5Checksum: "" };
}

async function savePart(
  line: UploadLine,
  request: tl.upload.RawSaveFilePartRequest | tl.upload.RawSaveBigFilePartRequest,
  signal: AbortSignal,
): Promise<void> {
  const isSaved = await ask(line, request, signal, { kind: "upload" });
  if (isSaved === true) return;
  throw new TransportError("UNKNOWN_ERROR", "Telegram did not store a part of the file", { retry: "later" });
}

/** Splits into parts of equal size except the last; an empty file has one empty part. */
async function* inParts(stream: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  let isAny = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    waiting.push(Buffer.from(chunk));
    size += chunk.length;
    while (size >= PART_BYTES) {
      const all = Buffer.concat(waiting);
      isAny = true;
      yield all.subarray(0, PART_BYTES);
      waiting = [all.subarray(PART_BYTES)];
      size -= PART_BYTES;
    }
  }
  if (size > 0 || !isAny) yield Buffer.concat(waiting);
}
