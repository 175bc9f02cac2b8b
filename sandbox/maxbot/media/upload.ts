import type { Blob } from "../../blob-store.ts";
import { answerText, type Exchange, readBody } from "../../http/exchange.ts";
import { readMultipart } from "../../http/multipart.ts";
import { sendFile } from "../../http/send-file.ts";
import { sampleFile } from "../../sample-file.ts";
import type { World } from "../world.ts";
import { inspectMedia, type Media, maxBytes, type UploadSlot } from "./media-registry.ts";

/** The maximum of a file in parts, which is assembled in memory. */
const maxResumableBytes = 256 * 1024 * 1024;

/** A file that the upload host rejects. Its real response is not documented. */
class UploadRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `POST` to an address of `POST /uploads`, as one multipart form or in parts with `Content-Range`. */
export async function serveUpload(world: World, exchange: Exchange): Promise<void> {
  try {
    const slot = slotOf(world, exchange);
    const isForm = exchange.request.headers["content-type"]?.startsWith("multipart/form-data") ?? false;
    const file = isForm ? await readForm(world, exchange, slot) : await readPart(world, exchange, slot);
    if (typeof file === "string") answerPlain(exchange, 201, file);
    else await finish(world, exchange, slot, file);
  } catch (error) {
    const [status, message] =
      error instanceof UploadRefused ? [error.status, error.message] : [500, String(error)];
    if (!exchange.request.complete) exchange.response.setHeader("Connection", "close");
    answerText(exchange, status, JSON.stringify({ error_code: String(status), error_msg: message }));
  }
}

type NamedBlob = Blob & { readonly name: string | undefined };

function slotOf(world: World, { method, query }: Exchange): UploadSlot {
  if (method !== "POST") throw new UploadRefused(405, "POST a file here");
  const slot = world.media.slot(new URLSearchParams(query).get("sig") ?? "");
  if (!slot) throw new UploadRefused(403, "Invalid signature");
  if (slot.used) throw new UploadRefused(400, "The address has been used");
  return slot;
}

async function readForm(world: World, { request }: Exchange, slot: UploadSlot): Promise<NamedBlob> {
  const { files } = await readMultipart(request, world.media.blobs, {
    maxFileBytes: maxBytes[slot.type],
    maxFieldBytes: 64 * 1024,
    tooLarge: () => new UploadRefused(413, "File is too large"),
    unreadable: () => new UploadRefused(400, "Malformed multipart body"),
  });
  const file = files.get("data");
  if (!file) throw new UploadRefused(400, "There is no field 'data'");
  return file;
}

/** A string is the range received so far of an incomplete file. */
async function readPart(world: World, { request }: Exchange, slot: UploadSlot): Promise<NamedBlob | string> {
  const bytes = await readBody(request, maxResumableBytes).catch(() => {
    throw new UploadRefused(413, "File is too large");
  });
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers["content-range"] ?? "");
  const [start, end, total] = range ? range.slice(1).map(Number) : [0, bytes.length - 1, bytes.length];
  const arrived = slot.parts.reduce((sum, part) => sum + part.length, 0);
  if (start !== arrived || end !== start + bytes.length - 1)
    throw new UploadRefused(416, `Expected the bytes from ${arrived} on`);
  slot.parts.push(bytes);
  if (end + 1 !== total) return `0-${end}/${total}`;
  const name = /filename="([^"]*)"/.exec(request.headers["content-disposition"] ?? "")?.[1];
  return { ...(await world.media.blobs.put(Buffer.concat(slot.parts))), name };
}

async function finish(world: World, exchange: Exchange, slot: UploadSlot, file: NamedBlob): Promise<void> {
  const inspected = await inspectMedia(world.media.blobs, file, slot.type);
  if ("refused" in inspected) {
    await world.media.blobs.remove(file.key);
    throw inspected.refused === "too_large"
      ? new UploadRefused(413, "File is too large")
      : new UploadRefused(400, "File extension is forbidden");
  }
  slot.used = true;
  slot.parts.length = 0;
  const { type, token, botId } = slot;
  // Pictures are ready at once.
  const notReady = type === "image" ? 0 : world.settings.notReadyCalls;
  const name = file.name ?? type;
  const media = world.media.add({ ...file, name, type, token, botId, mime: inspected.mime, notReady });
  world.changed();
  if (type === "video" || type === "audio") answerPlain(exchange, 200, "<retval>1</retval>");
  else answerText(exchange, 200, JSON.stringify(tokensOf(media)));
}

function tokensOf({ type, token, photoId }: Media): unknown {
  return type === "image" ? { photos: { [String(photoId)]: { token } } } : { token };
}

function answerPlain({ response }: Exchange, status: number, text: string): void {
  if (response.destroyed) return;
  response
    .writeHead(status, { "Content-Type": "text/plain", "Content-Length": Buffer.byteLength(text) })
    .end(text);
}

export const mediaPath = "/media/";

/** `GET` on the address of a file in a message: public. */
export function serveMedia(world: World, exchange: Exchange, path: string): void {
  const media = world.media.byKey(path.slice(mediaPath.length));
  if (!media) answerPlain(exchange, 404, "Not Found");
  else if (exchange.query === "thumbnail") {
    const picture = sampleFile("image/jpeg", undefined);
    exchange.response
      .writeHead(200, { "Content-Type": "image/jpeg", "Content-Length": picture.length })
      .end(picture);
  } else sendFile(exchange, world.media.blobs, media);
}
