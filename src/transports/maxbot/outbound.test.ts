import { describe, expect, it } from "vitest";
import type { Keyboard, RowButton } from "../../core/transport/keyboard.ts";
import {
  chatIdOf,
  firstAttempt,
  mayPassLink,
  midOf,
  toEdit,
  toNewMessage,
  uploadTypeOf,
} from "./outbound.ts";
import { fileMessage, outboundFile, textMessage } from "./testing.ts";

const upload = { source: "upload", uploadAs: "file", withIntents: true } as const;
const rows = (...buttons: RowButton[][]): Keyboard => ({ kind: "rows", rows: buttons });
const callback = (text: string): RowButton => ({ type: "callback", text, payload: text });
const keyboardOf = (keyboard: Keyboard, attempt: Parameters<typeof toNewMessage>[2] = upload) =>
  toNewMessage(textMessage({ keyboard }), null, attempt)["attachments"];

describe("toNewMessage", () => {
  it("text, quote, file", () => {
    expect(toNewMessage(textMessage(), null, upload)).toEqual({ text: "hello" });
    const quoted = { chatType: "max", chatId: "1", externalId: "mid.ab#2" } as const;
    expect(toNewMessage(textMessage({ quoted }), null, upload)["link"]).toEqual({
      type: "reply",
      mid: "mid.ab",
    });
    const file = { type: "file", payload: { token: "t" } };
    expect(toNewMessage(fileMessage(), file, upload)).toEqual({ attachments: [file] });
    const captioned = textMessage({ content: { type: "file", file: outboundFile(), caption: "The price" } });
    expect(toNewMessage(captioned, file, upload)).toEqual({ text: "The price", attachments: [file] });
  });

  it("all three button types, with intents unless they were refused", () => {
    const keyboard = rows([
      { type: "callback", text: "Yes", payload: "y", intent: "positive" },
      { type: "link", text: "Site", url: "https://a.example/" },
      { type: "message", text: "Later" },
    ]);
    const [link, message] = [
      { type: "link", text: "Site", url: "https://a.example/" },
      { type: "message", text: "Later" },
    ];
    const yes = { type: "callback", text: "Yes", payload: "y" };
    const payload = (first: object) => [
      { type: "inline_keyboard", payload: { buttons: [[first, link, message]] } },
    ];
    expect(keyboardOf(keyboard)).toEqual(payload({ ...yes, intent: "positive" }));
    expect(keyboardOf(keyboard, { ...upload, withIntents: false })).toEqual(payload(yes));
  });

  it("wraps rows that are too wide", () => {
    const wide = rows([..."abcdefgh"].map(callback), [
      { type: "link", text: "1", url: "https://a.example/" },
      ...[..."234"].map(callback),
    ]);
    const [keyboard] = keyboardOf(wide) as [{ payload: { buttons: unknown[][] } }];
    expect(keyboard.payload.buttons.map((row) => row.length)).toEqual([7, 1, 3, 1]);
  });

  it("an edited text keeps the attachments, a file replaces text and attachments", () => {
    expect(toEdit({ text: "a" }, null)).toEqual({ text: "a" });
    const file = { type: "file", payload: { token: "t" } };
    expect(toEdit({ file: outboundFile() }, file)).toEqual({ text: "", attachments: [file] });
  });
});

describe("files", () => {
  it.each([
    ["image", "image/jpeg", "image"],
    ["image", "image/svg+xml", "file"],
    ["video", "video/mp4", "video"],
    ["video", "video/x-msvideo", "file"],
    ["audio", "audio/ogg; codecs=opus", "audio"],
    ["document", "image/jpeg", "file"],
  ] as const)("%s of %s is uploaded as %s", (kind, mimeType, expected) => {
    expect(uploadTypeOf(outboundFile({ kind, mimeType }))).toBe(expected);
  });

  it("only public pictures are sent as a link", () => {
    const picture = { kind: "image", mimeType: "image/png", urlMimeType: "image/png" } as const;
    expect(mayPassLink(outboundFile({ ...picture, urlIsPublic: true }))).toBe(true);
    expect(mayPassLink(outboundFile({ ...picture, urlIsPublic: false }))).toBe(false);
    expect(mayPassLink(outboundFile({ ...picture, urlMimeType: "text/html", urlIsPublic: true }))).toBe(
      false,
    );
    expect(firstAttempt(fileMessage({ urlIsPublic: true })).source).toBe("upload");
  });
});

describe("ids", () => {
  it.each([["446543212"], ["-72345678901234"]])("chat %s", (chatId) => {
    expect(String(chatIdOf({ chatType: "max", chatId }))).toBe(chatId);
  });
  it.each([[undefined], ["0"], ["john"], ["12345678901234567890"]])("rejects the chat id %s", (chatId) => {
    const to = { chatType: "max", ...(chatId !== undefined && { chatId }) } as const;
    expect(() => chatIdOf(to)).toThrow("numeric id");
  });
  it.each([
    ["mid.00ab", "mid.00ab"],
    ["mid.00ab#3", "mid.00ab"],
    ["callback:1", undefined],
    ["start:1", undefined],
    ["pending:1", undefined],
  ])("%s", (externalId, expected) => {
    expect(midOf({ chatType: "max", chatId: "1", externalId })).toBe(expected);
  });
});
