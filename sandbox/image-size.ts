/** A picture's width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** How many bytes from the start are sufficient for `readImageSize`, except for unusual files. */
export const imageHeadBytes = 256 * 1024;

/** Types that can be sent as a photo. */
export function isImageMime(mime: string): boolean {
  return /^image\/(jpeg|png|gif|webp)$/.test(mime);
}

/** Reads the size from the start of a JPEG, PNG, GIF or WEBP; undefined for other types. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24) return undefined;
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  if (bytes.toString("latin1", 1, 4) === "PNG")
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))) {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  const isWebp = bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  return isWebp ? webpSize(bytes) : undefined;
}

/** The MIME type by the first bytes, for pictures only. */
export function imageMime(bytes: Buffer): string | undefined {
  if (!readImageSize(bytes)) return undefined;
  if (bytes[0] === 0xff) return "image/jpeg";
  if (bytes[0] === 0x89) return "image/png";
  return bytes[0] === 0x47 ? "image/gif" : "image/webp";
}

/** Scans the segments for the frame header (SOF0–SOF15 except the three that mean something else). */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let position = 2;
  while (position + 9 < bytes.length && bytes[position] === 0xff) {
    const marker = bytes[position + 1] ?? 0;
    if (marker === 0xff) {
      position++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(position + 7), height: bytes.readUInt16BE(position + 5) };
    position += 2 + bytes.readUInt16BE(position + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
