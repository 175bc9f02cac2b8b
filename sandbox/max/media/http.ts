import type { Blob } from "../../blob-store.ts";
import { answerJson, type Exchange } from "../../http/exchange.ts";
import { readMultipart } from "../../http/multipart.ts";
import { sendFile } from "../../http/send-file.ts";
import { isImageMime } from "../../image-size.ts";
import { sampleFile } from "../../sample-file.ts";
import { opcode } from "../opcode.ts";
import type { World } from "../world/world.ts";
import { readParts } from "./parts.ts";
import { Refused } from "./refused.ts";
import type { Media, MediaKind, Slot } from "./store.ts";

/** The servers for uploads and downloads. */
export async function serveFiles(world: World, exchange: Exchange): Promise<void> {
  try {
    await route(world, exchange);
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    if (!exchange.request.complete) exchange.response.setHeader("Connection", "close");
    answerJson(exchange, status, { error_msg: message, error_code: String(status) });
  }
}

async function route(world: World, exchange: Exchange): Promise<void> {
  const query = new URLSearchParams(exchange.query);
  const kind = /^\/upload\/(photo|video|audio|file)$/.exec(exchange.path)?.[1] as MediaKind | undefined;
  if (kind && exchange.method === "POST") return upload(world, exchange, needSlot(world, kind, query));
  if (exchange.method !== "GET") throw new Refused(405, "method not allowed");
  if (exchange.path === "/sticker") return answerSticker(exchange);
  const file = exchange.path === "/i" ? photoBehind(world, query) : fileBehind(world, exchange, query);
  sendFile(exchange, world.media.blobs, file);
}

function photoBehind(world: World, query: URLSearchParams): Media {
  const file = world.media.byToken(query.get("r") ?? "");
  if (!file) throw new Refused(404, "no such picture");
  return file;
}

function fileBehind(world: World, { path }: Exchange, query: URLSearchParams): Media {
  if (path !== "/file") throw new Refused(404, "nothing here");
  const file = world.media.open(query);
  if (!file) throw new Refused(403, "the link has expired");
  return file;
}

function answerSticker({ response }: Exchange): void {
  response.writeHead(200, { "Content-Type": "image/webp" }).end(sampleFile("image/webp", undefined));
}

function needSlot(world: World, kind: MediaKind, query: URLSearchParams): Slot {
  const slot = world.media.slot(Number(query.get(kind === "photo" ? "photoIds" : "id")));
  const token = query.get(kind === "photo" ? "apiToken" : "sig");
  if (slot?.kind !== kind || slot.token !== token) throw new Refused(403, "no such upload");
  return slot;
}

async function upload(world: World, exchange: Exchange, slot: Slot): Promise<void> {
  if (slot.kind === "photo") return uploadPhoto(world, exchange, slot);
  const { maxFileBytes } = world.settings;
  const whole = await readParts(world.media.blobs, exchange.request, { slot, maxFileBytes });
  if (!whole) return answerJson(exchange, 201, {});
  const media = await world.media.fill(slot, whole.blob, whole.name);
  answerJson(exchange, 200, slot.kind === "video" ? { thumbhash: "" } : {});
  setTimeout(() => finish(world, media), world.settings.processingMs).unref();
}

/** Photos are uploaded as a form with one field, `file`, and are ready at once. */
async function uploadPhoto(world: World, exchange: Exchange, slot: Slot): Promise<void> {
  const { files } = await readMultipart(exchange.request, world.media.blobs, {
    maxFileBytes: world.settings.maxFileBytes,
    maxFieldBytes: 1024,
    tooLarge: () => new Refused(413, "too large"),
    unreadable: () => new Refused(400, "a form with the field file was expected"),
  });
  const file = files.get("file");
  if (!file) throw new Refused(400, "the field file is missing");
  const media = await world.media.fill(slot, file as Blob, file.name ?? "image");
  if (!isImageMime(media.mime)) throw new Refused(400, "not a picture");
  world.changed();
  answerJson(exchange, 200, { photos: { [String(media.id)]: { token: media.token } } });
}

/** The file can now be sent; every client of its owner gets push 136. */
function finish(world: World, { id, kind, owner }: Media): void {
  world.media.finish(id);
  world.changed();
  const payload = { [`${kind}Id`]: id };
  for (const { connection } of world.accounts.get(owner)?.sessions.values() ?? [])
    connection?.push(opcode.notifAttach, payload);
}
