import { describe, expect, it } from "vitest";
import { toRequest, toWelcome } from "./outbound.ts";
import { fileMessage, JOHN, textMessage } from "./testing.ts";

const head = { receiver: JOHN, sender: { name: "Shop" } };
const url = (path: string) => `https://files.example/${path}`;
const MEGABYTE = 1024 * 1024;
const jpeg = { kind: "image", mimeType: "image/jpeg", urlMimeType: "image/jpeg", name: "a.jpg" } as const;
const mp4 = { kind: "video", mimeType: "video/mp4", urlMimeType: "video/mp4", name: "a.mp4" } as const;

describe("toRequest", () => {
  it.each([
    [textMessage(), { type: "text", text: "hello" }],
    [fileMessage(), { type: "file", media: url("offer.pdf"), size: 16, file_name: "offer.pdf" }],
    [fileMessage({ ...jpeg, url: url("a.JPG?v=1") }), { type: "picture", text: "", media: url("a.JPG?v=1") }],
    [
      fileMessage({ ...jpeg, url: url("a"), size: 5 }),
      { type: "file", media: url("a"), size: 5, file_name: "a.jpg" },
    ],
    [
      fileMessage({ ...jpeg, url: url("a.jpg"), size: 3 * MEGABYTE + 1 }),
      { type: "file", media: url("a.jpg"), size: 3 * MEGABYTE + 1, file_name: "a.jpg" },
    ],
    [
      fileMessage({ ...jpeg, url: url("a.jpg"), urlMimeType: "text/html" }),
      { type: "file", media: url("a.jpg"), size: 16, file_name: "a.jpg" },
    ],
    [fileMessage({ ...mp4, url: url("a.mp4") }), { type: "video", media: url("a.mp4"), size: 16 }],
    [
      fileMessage({ ...mp4, url: url("a.mp4"), size: 27 * MEGABYTE }),
      { type: "file", media: url("a.mp4"), size: 27 * MEGABYTE, file_name: "a.mp4" },
    ],
    [
      fileMessage({ kind: "audio", mimeType: "audio/mpeg", name: "voice", url: url("v") }),
      { type: "file", media: url("v"), size: 16, file_name: "voice.mp3" },
    ],
    [
      fileMessage({ mimeType: "application/x-odd", name: "odd" }),
      { type: "file", media: url("offer.pdf"), size: 16, file_name: "odd.bin" },
    ],
  ])("%#", (message, expected) => {
    expect(toRequest(message, "Shop")).toEqual({ ...head, ...expected });
  });

  it("keeps the extension of a long name", () => {
    const name = String(toRequest(fileMessage({ name: `${"й".repeat(300)}.pdf` }), "Shop")["file_name"]);
    expect([name.length, name.endsWith("й.pdf")]).toEqual([256, true]);
  });

  it.each([
    ["Shop", "Shop"],
    ["", "Bot"],
    ["x".repeat(40), "x".repeat(28)],
    [`${"x".repeat(27)}😀`, "x".repeat(27)],
  ])("sender %s", (given, shown) => {
    expect(toRequest(textMessage(), given)["sender"]).toEqual({ name: shown });
    expect(toWelcome("Hi", given)).toEqual({ sender: { name: shown }, type: "text", text: "Hi" });
  });

  it("rejects content that Viber does not support", () => {
    expect(() => toRequest(textMessage({ to: { chatType: "viber" } }), "Shop")).toThrow("requires the id");
  });
});
