import type { ImageSize } from "../../image-size.ts";
import type { FileStore, StoredFile } from "../../public-files.ts";

/** https://dev.vk.com/ru/reference/objects/doc */
const docTypes: readonly (readonly [type: number, extensions: RegExp])[] = [
  [1, /^(txt|doc|docx|xls|xlsx|ppt|pptx|rtf|odt|ods|pdf|csv|md)$/],
  [2, /^(zip|rar|7z|tar|gz|bz2)$/],
  [3, /^gif$/],
  [4, /^(jpe?g|png|bmp|tiff?|webp|psd|svg)$/],
  [5, /^(ogg|wav|m4a|flac|aac|opus)$/],
  [6, /^(mp4|mov|avi|mkv|webm|3gp|mpe?g)$/],
  [7, /^(fb2|epub|djvu|mobi)$/],
];

/** `report.PDF` → `pdf`; empty if there is none. */
export function extensionOf(name: string): string {
  return /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

export function docFields(files: FileStore, file: StoredFile, title: string, date: number) {
  const ext = extensionOf(file.name);
  const type = docTypes.find(([, extensions]) => extensions.test(ext))?.[0] ?? 8;
  return { title, size: file.size, ext, date, type, url: files.urlOf(file) };
}

/** The letters of the sizes of a picture, with the longest side of each. */
const photoSizes: readonly (readonly [letter: string, side: number])[] = [
  ["s", 75],
  ["m", 130],
  ["x", 604],
  ["y", 807],
  ["z", 1080],
  ["w", 2560],
];

/** All sizes have the same bytes: the emulator does not resize pictures. Largest last. */
export function photoFields(files: FileStore, file: StoredFile, size: ImageSize, date: number) {
  const longest = Math.max(size.width, size.height);
  const url = files.urlOf(file);
  const smaller = photoSizes.filter(([, side]) => side < longest);
  const whole = photoSizes[smaller.length]?.[0] ?? "w";
  const sizes = [...smaller, [whole, longest] as const].map(([type, side]) => ({
    type,
    url,
    width: Math.max(1, Math.round((size.width * side) / longest)),
    height: Math.max(1, Math.round((size.height * side) / longest)),
  }));
  const original = { type: "base", url, ...size };
  return { album_id: -64, date, text: "", sizes, has_tags: false, orig_photo: original };
}

export function audioMessageFields(files: FileStore, file: StoredFile, duration: number) {
  const url = files.urlOf(file);
  const waveform = Array.from({ length: 128 }, (_, index) => (index * 7) % 31);
  return { duration, waveform, link_mp3: url, link_ogg: url };
}

export function graffitiFields(files: FileStore, file: StoredFile, size: ImageSize) {
  return { url: files.urlOf(file), ...size };
}
