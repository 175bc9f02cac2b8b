import type { Content, MediaShape, PhotoSize } from "../shape.ts";
import type { FileKind, FileRegistry, StoredFile } from "./file-registry.ts";

/** The fields of a stored file in a message: https://core.telegram.org/bots/api#available-types */
export function mediaContent(file: StoredFile, thumbnail?: PhotoSize): Content {
  switch (file.kind) {
    case "photo":
      return { photo: thumbnail ? [thumbnail, photoSize(file)] : [photoSize(file)] };
    case "animation": {
      // For backward compatibility, an animation is also a document.
      const shape = mediaShape(file);
      return { animation: shape, document: withoutTraits(shape) };
    }
    default:
      return { [file.kind]: mediaShape(file) };
  }
}

/** A photo's own entry in the list of its sizes. */
function photoSize(file: StoredFile): PhotoSize {
  const { file_id, file_unique_id, size, traits } = file;
  const width = Number(traits["width"] ?? 0);
  const height = Number(traits["height"] ?? 0);
  return { file_id, file_unique_id, file_size: size, width, height };
}

/** The small version before a photo. It has the same bytes: the emulator does not resize pictures. */
export function addThumbnail(files: FileRegistry, photo: StoredFile): PhotoSize | undefined {
  const { width, height } = photoSize(photo);
  const scale = 90 / Math.max(width, height);
  if (scale >= 1) return undefined;
  const traits = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const { file_id: _id, file_unique_id: _unique, path: _path, ...rest } = photo;
  return photoSize(files.add({ ...rest, traits }));
}

const withName: ReadonlySet<FileKind> = new Set(["video", "audio", "document", "animation"]);
const withoutMime: ReadonlySet<FileKind> = new Set(["video_note", "sticker"]);

function mediaShape(file: StoredFile): MediaShape {
  const { kind, traits, name, mime, file_id, file_unique_id, size } = file;
  return {
    ...traits,
    ...(name && withName.has(kind) && { file_name: name }),
    ...(!withoutMime.has(kind) && { mime_type: mime }),
    file_id,
    file_unique_id,
    file_size: size,
  };
}

function withoutTraits({ file_name, mime_type, file_id, file_unique_id, file_size }: MediaShape): MediaShape {
  return { ...(file_name !== undefined && { file_name }), mime_type, file_id, file_unique_id, file_size };
}
