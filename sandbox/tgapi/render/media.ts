import type { tl } from "@mtcute/core";
import Long from "long";
import { fileHash, fileReference } from "../world/access.ts";
import type { StoredFile } from "../world/file-store.ts";
import type { Media } from "../world/letter.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

/** The media of a message, with hashes and references for one account. */
export function renderMedia(world: World, viewer: Person, media: Media): tl.TypeMessageMedia {
  if (media.kind === "other") return media.media;
  const file = world.state.files.get(media.file);
  if (!file) return { _: "messageMediaEmpty" };
  if (media.kind === "photo") return { _: "messageMediaPhoto", photo: renderPhoto(world, viewer, file) };
  const video = file.attributes.find((each) => each._ === "documentAttributeVideo");
  const audio = file.attributes.find((each) => each._ === "documentAttributeAudio");
  return {
    _: "messageMediaDocument",
    document: renderDocument(world, viewer, file),
    video: video !== undefined,
    round: video?.roundMessage === true,
    voice: audio?.voice === true,
  };
}

function renderDocument(world: World, viewer: Person, file: StoredFile): tl.RawDocument {
  return {
    _: "document",
    id: Long.fromString(file.id),
    accessHash: fileHash(world, viewer, file.id),
    fileReference: fileReference(world, file.id),
    date: file.date,
    mimeType: file.mimeType,
    size: file.size,
    dcId: file.dc,
    attributes: [...file.attributes],
  };
}

/** A photo has one size, with the letter of the largest. */
export function renderPhoto(world: World, viewer: Person, file: StoredFile): tl.RawPhoto {
  return {
    _: "photo",
    id: Long.fromString(file.id),
    accessHash: fileHash(world, viewer, file.id),
    fileReference: fileReference(world, file.id),
    date: file.date,
    sizes: [{ _: "photoSize", type: "y", w: file.width, h: file.height, size: file.size }],
    dcId: file.dc,
  };
}
