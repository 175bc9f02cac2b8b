import { describe, expect, test } from "vitest";
import { sniffMediaType } from "./media-type.ts";

describe("sniffMediaType", () => {
  const cases: readonly (readonly [head: string, type: string | undefined])[] = [
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["GIF89a", "image/gif"],
    ["BM\x36\x00", "image/bmp"],
    ["II*\x00", "image/tiff"],
    ["MM\x00*", "image/tiff"],
    ["RIFF\x24\x00\x00\x00WEBPVP8 ", "image/webp"],
    ["RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav"],
    ["RIFF\x24\x00\x00\x00AVI LIST", "video/x-msvideo"],
    ["\x00\x00\x00\x18ftypisom", "video/mp4"],
    ["\x00\x00\x00\x18ftypqt  ", "video/quicktime"],
    ["\x00\x00\x00\x18ftypM4A ", "audio/mp4"],
    ["\x00\x00\x00\x18ftypheic", "image/heic"],
    ["\x1a\x45\xdf\xa3", "video/webm"],
    ["OggS\x00\x02", "audio/ogg"],
    ["ID3\x03", "audio/mpeg"],
    ["\xff\xfb\x90\x00", "audio/mpeg"],
    ["fLaC", "audio/flac"],
    ["%PDF-1.4", "application/pdf"],
    ["MZ\x90\x00", "application/x-msdownload"],
    ["RIFF\x24\x00\x00\x00XXXX", undefined],
    ["plain text", undefined],
    ["", undefined],
  ];

  test.each(cases)("%j is %s", (head, type) => {
    expect(sniffMediaType(Buffer.from(head, "latin1"))).toBe(type);
  });
});
