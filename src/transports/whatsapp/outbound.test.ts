import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { OutboundFile } from "../../core/transport/connector.ts";
import type { MediaKind } from "../../core/transport/definition.ts";
import { messageIdOf } from "./outbound/message-id.ts";
import { toContent } from "./outbound.ts";

const fileOf = (name: string, mimeType: string, kind: MediaKind = "document"): OutboundFile => ({
  url: "https://files.example/x",
  urlIsPublic: true,
  urlMimeType: mimeType,
  name,
  mimeType,
  kind,
  size: 3,
  open: () => Readable.from([Buffer.from("abc")]),
});

test("text is sent without a link preview, which the service would have to fetch", () => {
  expect(toContent({ type: "text", text: "see https://x.example" })).toEqual({
    text: "see https://x.example",
    linkPreview: null,
  });
});

describe("files", () => {
  test.each<[string, string, string, object]>([
    ["a.jpg", "image/jpeg", "image", { mimetype: "image/jpeg" }],
    ["a.png", "image/png", "image", { mimetype: "image/png" }],
    ["a.mp4", "video/mp4", "video", { mimetype: "video/mp4", jpegThumbnail: "" }],
    ["a.mp3", "audio/mpeg", "audio", { mimetype: "audio/mpeg" }],
    ["a.ogg", "audio/ogg", "audio", { ptt: true, mimetype: "audio/ogg; codecs=opus" }],
    ["a.ogg", "audio/ogg; codecs=opus", "audio", { ptt: true, mimetype: "audio/ogg; codecs=opus" }],
    ["hello.was", "image/webp", "sticker", { isAnimated: false }],
    ["a.pdf", "application/pdf", "document", { mimetype: "application/pdf", fileName: "a.pdf" }],
    // Formats that phones do not show in their own form.
    ["a.webp", "image/webp", "document", { mimetype: "image/webp", fileName: "a.webp" }],
    ["a.gif", "image/gif", "document", { mimetype: "image/gif", fileName: "a.gif" }],
    ["a.heic", "image/heic", "document", { mimetype: "image/heic", fileName: "a.heic" }],
    ["a.mov", "video/quicktime", "document", { mimetype: "video/quicktime", fileName: "a.mov" }],
    ["a.flac", "audio/flac", "document", { mimetype: "audio/flac", fileName: "a.flac" }],
  ])("%s (%s) is sent as %s", (name, mimeType, kind, expected) => {
    const content = toContent({ type: "file", file: fileOf(name, mimeType) }) as unknown as Record<
      string,
      unknown
    >;
    expect(content).toMatchObject(expected);
    expect(content[kind]).toMatchObject({ stream: expect.any(Readable) });
  });
});

test.each([
  ["a.jpg", "image/jpeg", "image"],
  ["a.mp4", "video/mp4", "video"],
  ["a.pdf", "application/pdf", "document"],
  // A sticker would lose the text.
  ["hello.was", "image/webp", "document"],
])("the text with %s", (name, mimeType, kind) => {
  const content = toContent({ type: "file", file: fileOf(name, mimeType), caption: "The price" });
  expect(content).toMatchObject({ caption: "The price", [kind]: { stream: expect.any(Readable) } });
});

test("what is known of a voice note and of a video goes with them", () => {
  const waveform = Uint8Array.of(0, 100);
  const voice = { ...fileOf("a.ogg", "audio/ogg", "audio"), voiceNote: { seconds: 7, waveform } };
  expect(toContent({ type: "file", file: voice })).toMatchObject({ ptt: true, seconds: 7, waveform });
  const videoPreview = { seconds: 9, width: 480, height: 640, thumbnail: Uint8Array.of(1, 2, 3) };
  const video = { ...fileOf("a.mp4", "video/mp4", "video"), videoPreview };
  expect(toContent({ type: "file", file: video })).toMatchObject({
    seconds: 9,
    width: 480,
    height: 640,
    jpegThumbnail: "AQID",
  });
});

describe("ids", () => {
  test("are the same for every attempt of a message, and differ otherwise", () => {
    const ids = [
      messageIdOf("send", "a"),
      messageIdOf("send", "b"),
      messageIdOf("edit", "a", "x"),
      messageIdOf("edit", "a", "y"),
      messageIdOf("remove", "a"),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(messageIdOf("send", "a")).toBe(ids[0]);
    expect(ids.every((id) => /^3EB0[0-9A-F]{18}$/.test(id))).toBe(true);
  });
});
