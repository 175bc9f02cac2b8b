import type { Upload } from "../../http/multipart.ts";
import { imageHeadBytes, imageMime, readImageSize } from "../../image-size.ts";
import { badRequest } from "../call/api-error.ts";
import type { Call } from "../call/call.ts";
import type { FileKind, StoredFile } from "./file-registry.ts";
import { fetchRemote } from "./remote-file.ts";

const maxPhotoBytes = 10 * 1024 * 1024;
const maxPhotoSides = 10_000;
const maxPhotoRatio = 20;

/** A file named by a call: by identifier, by address, or as a part of the request. */
export interface FileReference {
  /** The text of the parameter; empty if it is an upload under the parameter's own name. */
  readonly value: string;
  /** The name of the part that may contain the upload. */
  readonly part: string;
  readonly kind: FileKind;
  /** Properties that the bytes do not show: duration, title and so on. */
  readonly traits: Readonly<Record<string, unknown>>;
}

/** https://core.telegram.org/bots/api#sending-files: the three ways to name a file. */
export async function resolveFile(call: Call, reference: FileReference): Promise<StoredFile> {
  const { value, kind } = reference;
  const upload = findUpload(call, reference);
  if (upload) return store(call, reference, upload);
  if (value === "" || value.startsWith("attach://")) {
    throw badRequest(`there is no ${kind.replace("_", " ")} in the request`);
  }
  if (/^https?:\/\//i.test(value))
    return store(call, reference, await fetchRemote(call.world.files.blobs, value, kind));
  return reuse(call, value, kind);
}

function findUpload(call: Call, { value, part }: FileReference): Upload | undefined {
  const { uploads } = call.args;
  if (value.startsWith("attach://")) return uploads.get(value.slice("attach://".length));
  return value === "" ? uploads.get(part) : undefined;
}

/** A known identifier is sent again with its kind. */
function reuse(call: Call, fileId: string, kind: FileKind): StoredFile {
  const file = call.world.files.find(call.bot.id, fileId);
  if (!file) throw badRequest("wrong file identifier/HTTP URL specified");
  if (file.kind === kind) return file;
  throw badRequest(`can't use file of type ${nameOf(file.kind)} as ${nameOf(kind)}`);
}

function nameOf(kind: FileKind): string {
  const words = kind.split("_").map((word) => word[0]?.toUpperCase() + word.slice(1));
  return words.join("");
}

async function store(call: Call, reference: FileReference, upload: Upload): Promise<StoredFile> {
  const { files } = call.world;
  if (upload.size === 0) throw badRequest("file must be non-empty");
  const photo = reference.kind === "photo" ? await checkPhoto(call, upload) : undefined;
  const kind = actualKind(reference.kind, upload.mime);
  const file = files.add({
    botId: call.bot.id,
    kind,
    blobKey: upload.key,
    size: upload.size,
    mime: photo?.mime ?? upload.mime,
    name: upload.name,

    traits: kind === reference.kind ? { ...reference.traits, ...photo?.traits } : {},
  });
  call.world.changed();
  return file;
}

/** https://core.telegram.org/bots/api#sendvoice: other formats may be sent as Audio or Document. */
function actualKind(kind: FileKind, mime: string): FileKind {
  if (kind !== "voice" || /^audio\/(ogg|mpeg|mp4|x-m4a|opus)/.test(mime)) return kind;
  if (mime === "application/ogg" || mime === "application/octet-stream") return kind;
  return mime.startsWith("audio/") ? "audio" : "document";
}

/** https://core.telegram.org/bots/api#sendphoto */
async function checkPhoto(call: Call, upload: Upload) {
  if (upload.size > maxPhotoBytes) {
    const reason = `file of size ${upload.size} bytes is too big for a photo`;
    throw badRequest(`${reason}; the maximum size is ${maxPhotoBytes} bytes`);
  }
  const head = await call.world.files.blobs.head(upload.key, imageHeadBytes);
  const size = readImageSize(head);
  if (!size) throw badRequest("IMAGE_PROCESS_FAILED");
  const { width, height } = size;
  const ratio = Math.max(width, height) / Math.max(1, Math.min(width, height));
  if (width + height > maxPhotoSides || ratio > maxPhotoRatio) throw badRequest("PHOTO_INVALID_DIMENSIONS");
  return { traits: size, mime: imageMime(head) ?? "image/jpeg" };
}
