import type { tl } from "@mtcute/core";
import { sniffMediaType } from "../../media-type.ts";
import type { Call, Methods } from "../rpc/call.ts";
import { bad, RpcError } from "../rpc/error.ts";
import { resolvePeer } from "../rpc/peer.ts";
import { groupOf } from "../world/directory.ts";
import type { StoredFile } from "../world/file-store.ts";
import { storedFile, uploadName } from "./upload-file.ts";

const kilobyte = 1024;
const largestPart = 512 * kilobyte;
const megabyte = 1024 * kilobyte;
const maxParts = 4000;
/** Files up to this size are uploaded with `upload.saveFilePart`. */
const maxSmallBytes = 10 * megabyte;

/** Uploads and downloads in parts (core.telegram.org/api/files). */
export const uploadMethods = {
  async "upload.saveFilePart"({ fileId, filePart, bytes }, call) {
    checkPart(filePart, bytes);
    if (filePart * bytes.length > maxSmallBytes) throw bad("FILE_PART_TOO_BIG");
    await call.world.files.putPart(uploadName(call.person, fileId), filePart, bytes);
    return true;
  },

  async "upload.saveBigFilePart"({ fileId, filePart, fileTotalParts, bytes }, call) {
    checkPart(filePart, bytes, filePart === fileTotalParts - 1);
    if (fileTotalParts === 0 || fileTotalParts > maxParts) throw bad("FILE_PARTS_INVALID");
    await call.world.files.putPart(uploadName(call.person, fileId), filePart, bytes, fileTotalParts);
    return true;
  },

  async "upload.getFile"({ location, offset, limit, precise, cdnSupported }, call) {
    const file = findFile(call, location);
    if (file.dc !== call.key.dc) throw new RpcError(303, `FILE_MIGRATE_${file.dc}`);
    checkRange(offset, limit, precise === true);
    if (cdnSupported && call.world.settings.cdn) return cdnRedirect(call, file);
    const bytes = await call.world.files.read(file.blob, offset, limit);
    const head = offset === 0 ? bytes : await call.world.files.read(file.blob, 0, 64);
    return { _: "upload.file", type: fileType(head), mtime: file.date, bytes };
  },

  "upload.getCdnFile": () => {
    throw bad("FILE_TOKEN_INVALID");
  },
  "upload.getCdnFileHashes": () => {
    throw bad("CDN_METHOD_INVALID");
  },
} satisfies Methods;

/** Only the last part may have any size. */
function checkPart(part: number, { length }: Uint8Array, isLast = true): void {
  if (part < 0 || part >= maxParts) throw bad("FILE_PART_INVALID");
  if (length === 0) throw bad("FILE_PART_EMPTY");
  if (length > largestPart) throw bad("FILE_PART_TOO_BIG");
  if (!isLast && (length % kilobyte !== 0 || largestPart % length !== 0)) throw bad("FILE_PART_SIZE_INVALID");
}

/** The part must be within one megabyte of the file, aligned to 4 KB, or to 1 KB with `precise`. */
function checkRange(offset: number, limit: number, precise: boolean): void {
  const step = precise ? kilobyte : 4 * kilobyte;
  if (offset < 0 || offset % step !== 0) throw bad("OFFSET_INVALID");
  if (limit <= 0 || limit > megabyte || limit % step !== 0) throw bad("LIMIT_INVALID");
  if (!precise && megabyte % limit !== 0) throw bad("LIMIT_INVALID");
  if (Math.floor(offset / megabyte) !== Math.floor((offset + limit - 1) / megabyte))
    throw bad("LIMIT_INVALID");
}

function findFile(call: Call, location: tl.TypeInputFileLocation): StoredFile {
  switch (location._) {
    case "inputDocumentFileLocation":
    case "inputPhotoFileLocation":
      return storedFile(call, location, "LOCATION_INVALID");
    case "inputPeerPhotoFileLocation":
      return peerPhoto(call, location);
    default:
      throw bad("LOCATION_INVALID");
  }
}

function peerPhoto(call: Call, { peer, photoId }: tl.RawInputPeerPhotoFileLocation): StoredFile {
  const ref = resolvePeer(call, peer);
  const photo = groupOf(call.world, ref)?.photo ?? call.world.state.people.get(ref.id)?.photo;
  const file = photo === photoId.toString() ? call.world.state.files.get(photo) : undefined;
  if (!file) throw bad("LOCATION_INVALID");
  return file;
}

/** There is no CDN: the redirect leads nowhere. */
function cdnRedirect(call: Call, { id }: StoredFile): tl.upload.RawFileCdnRedirect {
  return {
    _: "upload.fileCdnRedirect",
    dcId: 203,
    fileToken: Buffer.from(id),
    encryptionKey: Buffer.alloc(32, call.key.dc),
    encryptionIv: Buffer.alloc(16),
    fileHashes: [],
  };
}

function fileType(head: Buffer): tl.storage.TypeFileType {
  switch (sniffMediaType(head)) {
    case "image/jpeg":
      return { _: "storage.fileJpeg" };
    case "image/png":
      return { _: "storage.filePng" };
    case "image/gif":
      return { _: "storage.fileGif" };
    case "image/webp":
      return { _: "storage.fileWebp" };
    case "application/pdf":
      return { _: "storage.filePdf" };
    case "audio/mpeg":
      return { _: "storage.fileMp3" };
    case "video/mp4":
      return { _: "storage.fileMp4" };
    default:
      return { _: "storage.fileUnknown" };
  }
}
