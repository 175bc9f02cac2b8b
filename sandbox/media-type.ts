/** Detects a file's type by its first bytes; undefined if unknown. */
export function sniffMediaType(head: Buffer): string | undefined {
  const found = signatures.find(({ offset, bytes }) => {
    const expected = Buffer.from(bytes, "latin1");
    return head.subarray(offset, offset + expected.length).equals(expected);
  });
  if (found?.type === "container") return isoType(head.toString("latin1", 8, 12));
  if (found?.type === "riff") return riffTypes[head.toString("latin1", 8, 12)];
  if (found) return found.type;
  // MPEG audio without tags: eleven sync bits, layer III.
  return head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2 ? "audio/mpeg" : undefined;
}

/** How many bytes from the start are sufficient. */
export const mediaHeadBytes = 64;

const signatures: readonly { readonly offset: number; readonly bytes: string; readonly type: string }[] = [
  { offset: 0, bytes: "\xff\xd8\xff", type: "image/jpeg" },
  { offset: 0, bytes: "\x89PNG\r\n\x1a\n", type: "image/png" },
  { offset: 0, bytes: "GIF8", type: "image/gif" },
  { offset: 0, bytes: "BM", type: "image/bmp" },
  { offset: 0, bytes: "II*\x00", type: "image/tiff" },
  { offset: 0, bytes: "MM\x00*", type: "image/tiff" },
  { offset: 0, bytes: "RIFF", type: "riff" },
  { offset: 4, bytes: "ftyp", type: "container" },
  { offset: 0, bytes: "\x1aE\xdf\xa3", type: "video/webm" },
  { offset: 0, bytes: "OggS", type: "audio/ogg" },
  { offset: 0, bytes: "ID3", type: "audio/mpeg" },
  { offset: 0, bytes: "fLaC", type: "audio/flac" },
  { offset: 0, bytes: "%PDF-", type: "application/pdf" },
  { offset: 0, bytes: "MZ", type: "application/x-msdownload" },
];

const riffTypes: Readonly<Record<string, string>> = {
  WEBP: "image/webp",
  WAVE: "audio/wav",
  "AVI ": "video/x-msvideo",
};

/** By the brand of an ISO base media file. */
function isoType(brand: string): string {
  if (/^(heic|heix|mif1|msf1|hevc)$/.test(brand)) return "image/heic";
  if (brand.startsWith("qt")) return "video/quicktime";
  return brand.startsWith("M4A") ? "audio/mp4" : "video/mp4";
}
