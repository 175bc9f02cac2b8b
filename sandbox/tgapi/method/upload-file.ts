import type { tl } from "@mtcute/core";
import Long from "long";
import { imageHeadBytes, readImageSize } from "../../image-size.ts";
import { sniffMediaType } from "../../media-type.ts";
import { md5 } from "../crypto/hash.ts";
import { randomLong } from "../mtproto/auth-key.ts";
import type { Call } from "../rpc/call.ts";
import { bad } from "../rpc/error.ts";
import { fileHash, readReference } from "../world/access.ts";
import type { StoredFile } from "../world/file-store.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

const maxParts = 4000;
/** Maximum size of a photo, and of its width plus height (core.telegram.org/api/files). */
const maxPhotoBytes = 10 * 1024 * 1024;
const maxPhotoSides = 10_000;

/** The properties of a document besides its bytes. */
type Description = Pick<StoredFile, "mimeType" | "attributes">;

/** Assembles an uploaded photo; refuses anything but a picture. */
export async function takePhoto(call: Call, input: tl.TypeInputFile): Promise<StoredFile> {
  const { blob, size } = await assemble(call, input);
  if (size > maxPhotoBytes) throw bad("PHOTO_SAVE_FILE_INVALID");
  const head = await call.world.files.read(blob, 0, imageHeadBytes);
  const mimeType = sniffMediaType(head);
  if (mimeType !== "image/jpeg" && mimeType !== "image/png" && mimeType !== "image/webp")
    throw bad("IMAGE_PROCESS_FAILED");
  const { width, height } = readImageSize(head) ?? { width: 1280, height: 960 };
  const longest = Math.max(width, height);
  if (width + height > maxPhotoSides || longest > 20 * Math.min(width, height))
    throw bad("PHOTO_INVALID_DIMENSIONS");
  return keep(call.world, {
    kind: "photo",
    blob,
    size,
    mimeType,
    attributes: [],
    width,
    height,
    dc: call.key.dc,
  });
}

/** Assembles an uploaded document. */
export async function takeDocument(
  call: Call,
  input: tl.TypeInputFile,
  { mimeType, attributes }: Description,
): Promise<StoredFile> {
  const { blob, size } = await assemble(call, input);
  const sides = attributes.find((each) => each._ === "documentAttributeImageSize");
  const name = input._ === "inputFileStoryDocument" ? "" : input.name;
  const named = attributes.some((each) => each._ === "documentAttributeFilename") || name === "";
  const file = { blob, size, mimeType, dc: call.key.dc, width: sides?.w ?? 0, height: sides?.h ?? 0 };
  const attribute = { _: "documentAttributeFilename", fileName: name } as const;
  return keep(call.world, {
    ...file,
    kind: "document",
    attributes: named ? attributes : [...attributes, attribute],
  });
}

/** A file that the account may reuse: with its own hash, and a valid reference. */
export function storedFile(
  call: Call,
  { id, accessHash, fileReference }: Pick<tl.RawInputDocument, "id" | "accessHash" | "fileReference">,
  invalid = "MEDIA_INVALID",
): StoredFile {
  const { world } = call;
  const file = world.state.files.get(id.toString());
  if (!file || !fileHash(world, call.person, file.id).equals(accessHash)) throw bad(invalid);
  if (fileReference.length === 0) throw bad("FILE_REFERENCE_EMPTY");
  const issuedAt = readReference(world, file.id, fileReference);
  if (issuedAt === undefined) throw bad("FILE_REFERENCE_INVALID");
  const oldest = Math.max(file.referencesSince, world.clock.now() - world.settings.fileReferenceSeconds);
  if (issuedAt < oldest) throw bad("FILE_REFERENCE_EXPIRED");
  return file;
}

/** Registers a file whose bytes are in the store. */
export function keep(world: World, setup: Omit<StoredFile, "id" | "date" | "referencesSince">): StoredFile {
  const id = randomLong().and(Long.MAX_VALUE).toString();
  const file = { ...setup, id, date: world.clock.now(), referencesSince: 0 };
  world.state.files.set(id, file);
  world.changed();
  return file;
}

/** Joins the parts uploaded by a client, which must be without gaps. */
async function assemble(call: Call, input: tl.TypeInputFile): Promise<{ blob: string; size: number }> {
  if (input._ === "inputFileStoryDocument") throw bad("MEDIA_INVALID");
  const name = uploadName(call.person, input.id);
  if (input.parts <= 0 || input.parts > maxParts) throw bad("FILE_PARTS_INVALID");
  const parts = call.world.files.partsOf(name);
  const sizes = Array.from({ length: input.parts }, (_, index) => parts.get(index)?.size);
  const gap = sizes.indexOf(undefined);
  if (gap >= 0) throw bad(`FILE_PART_${gap}_MISSING`);
  if (sizes.slice(0, -1).some((size) => size !== sizes[0])) throw bad("FILE_PART_SIZE_CHANGED");
  const stored = await call.world.files.assemble(name, input.parts);
  if (input._ === "inputFile" && input.md5Checksum !== "") {
    const bytes = await call.world.files.read(stored.blob, 0, stored.size);
    if (md5(bytes).toString("hex") !== input.md5Checksum) throw bad("MD5_CHECKSUM_INVALID");
  }
  return stored;
}

/** The name under which the parts of an upload are stored. */
export function uploadName({ id }: Person, fileId: Long): string {
  return `${id}/${fileId}`;
}
