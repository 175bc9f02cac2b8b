import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { OutboundFile } from "../../core/transport/connector.ts";
import type { MediaKind } from "../../core/transport/definition.ts";
import { toMarked } from "./inbound/marks.ts";
import { mayUse } from "./line/hosts.ts";
import { toEdit, toSend, uploadKindOf } from "./outbound.ts";
import { dialogId, idIn, messageIdIn } from "./people/ids.ts";
import { DIALOG } from "./testing.ts";

const ID = 115_000_000_000_000_001n;
const text = (words: string) => ({ type: "text", text: words }) as const;
const quoting = (externalId: string) => ({ chatType: "max", chatId: DIALOG, externalId }) as const;
const base = { chatId: 163n, cid: 1_766_000_000_000, attachment: null };

const file: OutboundFile = {
  url: "https://files.example/x",
  urlIsPublic: true,
  urlMimeType: "application/pdf",
  name: "x.pdf",
  mimeType: "application/pdf",
  kind: "document",
  size: 3,
  open: () => Readable.from([Buffer.from("abc")]),
};

describe("a send", () => {
  test("of a text", () => {
    expect(toSend({ ...base, content: text("hi") })).toEqual({
      chatId: 163n,
      message: { text: "hi", cid: 1_766_000_000_000, elements: [], attaches: [] },
      notify: true,
    });
  });

  test("of a file that was uploaded", () => {
    const attachment = { _type: "FILE", fileId: 55n };
    expect(toSend({ ...base, content: { type: "file", file }, attachment })).toMatchObject({
      message: { text: "", attaches: [attachment] },
    });
    const captioned = { type: "file", file, caption: "The price" } as const;
    expect(toSend({ ...base, content: captioned, attachment })).toMatchObject({
      message: { text: "The price", attaches: [attachment] },
    });
  });

  test.each([
    ["a message", "115000000000000001", { link: { type: "REPLY", messageId: ID } }],
    ["a part of an album", "115000000000000001#2", { link: { type: "REPLY", messageId: ID } }],
    ["an id that is not a MAX message", "mid.1", {}],
  ])("that quotes %s", (_, externalId, expected) => {
    const { message } = toSend({ ...base, content: text("hi"), quoted: quoting(externalId) }) as {
      message: object;
    };
    expect(message).toEqual({ text: "hi", cid: base.cid, elements: [], attaches: [], ...expected });
  });

  test("of a template is rejected", () => {
    const template = {
      externalId: "1",
      name: "a",
      language: "ru",
      category: "UTILITY",
      status: "APPROVED",
      components: [],
    } as const;
    const content = { type: "template", template, values: [], payloads: [] } as const;
    expect(() => toSend({ ...base, content })).toThrow("do not support templates");
  });
});

test("an edit keeps the files", () => {
  expect(toEdit(163n, ID, "new")).toEqual({ chatId: 163n, messageId: ID, text: "new", elements: [] });
});

test.each<[string, MediaKind, string]>([
  ["image/jpeg", "image", "photo"],
  ["IMAGE/PNG; a=b", "image", "photo"],
  ["image/tiff", "image", "file"],
  ["video/mp4", "video", "video"],
  ["video/x-flv", "video", "file"],
  ["audio/ogg; codecs=opus", "audio", "voice"],
  ["audio/mpeg", "audio", "file"],
  ["application/pdf", "document", "file"],
  ["image/jpeg", "document", "file"],
])("%s as %s is sent as %s", (mimeType, kind, expected) => {
  expect(uploadKindOf({ mimeType, kind })).toBe(expected);
});

describe("marks", () => {
  test.each<[string, string, readonly (readonly [string, number, number])[]]>([
    ["*bold*", "bold", [["STRONG", 0, 4]]],
    ["a *b c* d", "a b c d", [["STRONG", 2, 3]]],
    [
      "_i_, ~s~!",
      "i, s!",
      [
        ["EMPHASIZED", 0, 1],
        ["STRIKETHROUGH", 3, 1],
      ],
    ],
    [
      "*жирный* 👋 *два*",
      "жирный 👋 два",
      [
        ["STRONG", 0, 6],
        ["STRONG", 10, 3],
      ],
    ],
    ["2*3*4", "2*3*4", []],
    ["* a *", "* a *", []],
    ["snake_case_name", "snake_case_name", []],
    ["**", "**", []],
    ["*a\nb*", "*a\nb*", []],
    ["https://x.example/_a_/*b*", "https://x.example/_a_/*b*", []],
  ])("of %j", (written, words, marks) => {
    const { text: marked, elements } = toMarked(written);
    expect([marked, elements.map(({ type, from, length }) => [type, from, length])]).toEqual([words, marks]);
  });
});

test("ids", () => {
  expect(dialogId("100200300", "100200399")).toBe("163");
  expect(dialogId("100200300", "163")).toBe("100200399");
  expect(dialogId("-9223372036854775808", "1")).toBe("-9223372036854775807");
  expect(["7", "-7", "x", "1.5", "", "9223372036854775808"].map(idIn)).toEqual([
    7n,
    -7n,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(["115000000000000001#3", "115000000000000001", "mid.5"].map(messageIdIn)).toEqual([
    ID,
    ID,
    undefined,
  ]);
});

const REAL = "wss://api.oneme.ru/websocket";
const EMULATED = "ws://127.0.0.1:9000/websocket";
test.each([
  ["https://i.oneme.ru/i?r=1", REAL, true],
  ["https://vd1.okcdn.ru/v", REAL, true],
  ["https://oneme.ru.evil.example/i", REAL, false],
  ["https://eviloneme.ru/i", REAL, false],
  ["http://i.oneme.ru/i", REAL, false],
  ["https://169.254.169.254/latest", REAL, false],
  ["file:///etc/passwd", REAL, false],
  ["nonsense", REAL, false],
  ["http://127.0.0.1:9001/file/1", EMULATED, true],
  ["http://127.0.0.2:9001/file/1", EMULATED, false],
  ["https://i.oneme.ru/i?r=1", EMULATED, false],
])("%s from %s is allowed: %s", (url, wsUrl, isAsked) => {
  const ask = (): void => mayUse(url, wsUrl);
  if (isAsked) expect(ask).not.toThrow();
  else expect(ask).toThrow("returned an invalid URL for the file");
});
