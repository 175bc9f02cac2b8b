import { crc32, deflateSync, gzipSync } from "node:zlib";

/** The smallest valid picture of each kind: one pixel. */
const onePixelJpeg =
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////" +
  "////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";
const onePixelWebp = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAUAmJaQAA3AA/v89WAAAAA==";

const emptyLottie = JSON.stringify({ tgs: 1, v: "5.5.2", fr: 60, ip: 0, op: 60, w: 512, h: 512, layers: [] });

const smallPdf =
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n";

/** The width and height of the PNG: those of a graffiti, and enough for the picture of a group. */
const pngSide = 512;

/** A grey square. */
function greyPng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pngSide, 0);
  header.writeUInt32BE(pngSide, 4);
  // Eight bits for each pixel, which is a shade of grey.
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc(pngSide * (pngSide + 1), 0x80);
  for (let row = 0; row < pngSide; row++) rows.writeUInt8(0, row * (pngSide + 1));
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The first bytes that identify each type. */
const heads: Readonly<Record<string, () => Buffer>> = {
  "image/jpeg": () => Buffer.from(onePixelJpeg, "base64"),
  "image/png": greyPng,
  "image/webp": () => Buffer.from(onePixelWebp, "base64"),
  "video/mp4": () =>
    Buffer.from("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2\x00\x00\x00\x08moov", "latin1"),
  "video/webm": () => Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"),
  "audio/ogg": () => Buffer.from("OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00OpusHead", "latin1"),
  "audio/mpeg": () => Buffer.from("ID3\x03\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00", "latin1"),
  "application/pdf": () => Buffer.from(smallPdf),
  "application/x-tgsticker": () => gzipSync(emptyLottie),
};

/** Creates a file that starts like the type, padded to `size` if that is larger. */
export function sampleFile(mime: string, size: number | undefined): Buffer {
  const head = heads[mime]?.() ?? Buffer.from("sample\n");
  return size === undefined || size <= head.length ? head : Buffer.concat([head], size);
}
