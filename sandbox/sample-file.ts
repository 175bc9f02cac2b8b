import { gzipSync } from "node:zlib";

/** The smallest valid picture of each kind: one pixel. */
const onePixelJpeg =
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////" +
  "////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";
const onePixelWebp = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAUAmJaQAA3AA/v89WAAAAA==";

const emptyLottie = JSON.stringify({ tgs: 1, v: "5.5.2", fr: 60, ip: 0, op: 60, w: 512, h: 512, layers: [] });

const smallPdf =
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n";

/** The first bytes that identify each type. */
const heads: Readonly<Record<string, () => Buffer>> = {
  "image/jpeg": () => Buffer.from(onePixelJpeg, "base64"),
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
