import { fileSize } from "../format.ts";
import type { Abilities } from "../model.ts";
import { composerWords } from "../texts/texts.ts";
import { setTray, trayOf } from "./chosen-files.ts";

export type MediaKind = keyof Abilities["media"];

/** Files that can be sent at once. */
const MAX_FILES = 20;
/** The service takes no larger ones for any messenger. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** Whether files can be added there; assumed until it is known. */
export function takesFiles(abilities: Abilities | null): boolean {
  if (abilities === null) return true;
  const { can_send: canSend, window, media } = abilities;
  return canSend && window?.is_open !== false && Object.keys(media).length > 0;
}

/** Adds files; returns why some of them were not added. */
export function addFiles(place: string, files: readonly File[], abilities: Abilities | null): string | null {
  const faults = files.map((file) => faultOf(file, abilities));
  const good = files.filter((_, index) => faults[index] === null);
  const added = good.slice(0, Math.max(0, MAX_FILES - trayOf(place).length));
  setTray(place, [...trayOf(place), ...added]);
  if (added.length < good.length) return composerWords.value.tooMany(MAX_FILES);
  return faults.find((fault) => fault !== null) ?? null;
}

/** Where a text goes that is sent together with files: into the message of the last one, or into one after them. */
export type CaptionPlace = "with" | "after";

/** Null: there is no text, or no file. Unknown abilities: into a message of its own, which is always possible. */
export function captionPlace(
  text: string,
  files: readonly Pick<File, "type">[],
  { abilities, hasButtons }: { readonly abilities: Abilities | null; readonly hasButtons: boolean },
): CaptionPlace | null {
  const last = files.at(-1);
  if (last === undefined || text.trim() === "") return null;
  const longest = abilities?.media[kindOf(last)]?.max_caption_length ?? 0;
  // Buttons belong to a text.
  return !hasButtons && text.trim().length <= longest ? "with" : "after";
}

/** The media kind of a file. */
export function kindOf({ type }: Pick<File, "type">): MediaKind {
  const [family] = type.split("/");
  const isMedia = family === "image" || family === "audio" || family === "video";
  return isMedia && type !== "image/svg+xml" ? family : "document";
}

/** Why a file cannot be sent through this channel (null: not known yet); null: it can, or only the service knows. */
export function faultOf(
  file: Pick<File, "name" | "size" | "type">,
  abilities: Abilities | null,
): string | null {
  if (file.size === 0) return composerWords.value.emptyFile(file.name);
  if (file.size > MAX_FILE_BYTES) return composerWords.value.overLimit(file.name, fileSize(MAX_FILE_BYTES));
  if (abilities === null) return null;
  const limits = abilities.media[kindOf(file)];
  if (limits === undefined) return composerWords.value.wrongKind(file.name);
  return file.size > limits.max_bytes
    ? composerWords.value.tooLarge(file.name, fileSize(limits.max_bytes))
    : null;
}

const ACCEPTED: Readonly<Record<MediaKind, string>> = {
  image: "image/*",
  audio: "audio/*",
  video: "video/*",
  document: "",
};

/** The types offered by the file chooser: all, if documents can be sent. */
export function acceptOf({ media }: Abilities): string {
  const kinds = Object.keys(media) as MediaKind[];
  return kinds.includes("document") ? "" : kinds.map((kind) => ACCEPTED[kind]).join(",");
}
