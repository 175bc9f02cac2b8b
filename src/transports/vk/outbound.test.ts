import { describe, expect, it } from "vitest";
import type { Keyboard } from "../../core/transport/keyboard.ts";
import { formOf, messageIdOf, peerIdOf, randomIdOf, toKeyboard, toSend } from "./outbound.ts";
import { outboundFile, textMessage } from "./testing.ts";

describe("toSend", () => {
  it("text, quote, attachment", () => {
    const random_id = randomIdOf(textMessage());
    expect(toSend(textMessage(), null)).toMatchObject({ peer_ids: 111, random_id, message: "hello" });
    const quoted = { chatType: "vk", chatId: "111", externalId: "17#2" } as const;
    expect(JSON.parse(String(toSend(textMessage({ quoted }), "doc-1_5")["forward"]))).toEqual({
      peer_id: 111,
      conversation_message_ids: [17],
      is_reply: 1,
    });
    expect(toSend(textMessage(), "doc-1_5")["attachment"]).toBe("doc-1_5");
    const content = { type: "file", file: outboundFile(), caption: "The price" } as const;
    expect(toSend(textMessage({ content }), "doc-1_5")).toMatchObject({
      message: "The price",
      attachment: "doc-1_5",
    });
  });

  it("random_id is the same for every attempt of a message, and differs between messages", () => {
    expect(randomIdOf({ id: "a" })).toBe(randomIdOf({ id: "a" }));
    expect(randomIdOf({ id: "a" })).not.toBe(randomIdOf({ id: "b" }));
    for (const id of ["a", "b", "c", "d"]) {
      expect(randomIdOf({ id })).toBeGreaterThan(0);
      expect(randomIdOf({ id })).toBeLessThan(2 ** 31);
    }
  });
});

describe("toKeyboard", () => {
  const inline = (...rows: { text: string; url?: string; payload?: string }[][]): Keyboard => ({
    kind: "inline",
    rows,
  });
  const labels = (keyboard: Keyboard) =>
    (toKeyboard(keyboard)["buttons"] as { action: { label: string } }[][]).map((row) =>
      row.map(({ action }) => action.label),
    );

  it("encodes payloads as JSON and links as open_link", () => {
    expect(
      toKeyboard(
        inline([
          { text: "Yes", payload: "y" },
          { text: "Site", url: "https://a.example/" },
        ]),
      ),
    ).toEqual({
      inline: true,
      buttons: [
        [
          { action: { type: "text", label: "Yes", payload: '{"data":"y"}' } },
          { action: { type: "open_link", label: "Site", link: "https://a.example/" } },
        ],
      ],
    });
  });

  it("wraps wide rows, shortens long labels, drops excess buttons", () => {
    const row = [..."abcdefghijkl"].map((text) => ({ text, payload: text }));
    expect(labels(inline(row))).toEqual([[..."abcde"], [..."fghij"]]);
    expect(labels(inline([{ text: "x".repeat(41), payload: "x" }]))).toEqual([[`${"x".repeat(39)}…`]]);
  });

  it("keyboards under the input field, and their removal", () => {
    const reply = {
      kind: "reply",
      rows: [[{ text: "A" }]],
      oneTime: true,
      resize: true,
      selective: false,
    } as const;
    expect(toKeyboard(reply)).toEqual({
      one_time: true,
      inline: false,
      buttons: [[{ action: { type: "text", label: "A" } }]],
    });
    expect(toKeyboard({ kind: "remove", selective: false })).toEqual({
      one_time: false,
      inline: false,
      buttons: [],
    });
  });
});

it.each([
  ["image", "image/jpeg", "photo"],
  ["image", "image/webp", "doc"],
  ["audio", "audio/ogg; codecs=opus", "audio_message"],
  ["audio", "audio/wav", "doc"],
  ["video", "video/mp4", "doc"],
  ["document", "image/jpeg", "doc"],
] as const)("%s of %s travels as %s", (kind, mimeType, expected) => {
  expect(formOf(outboundFile({ kind, mimeType }))).toBe(expected);
});

it.each([["111"], ["2000000001"]])("peer %s", (chatId) => {
  expect(String(peerIdOf({ chatType: "vk", chatId }))).toBe(chatId);
});

it.each([[""], ["-1"], ["0"], ["annb"]])("no peer: %s", (chatId) => {
  expect(() => peerIdOf({ chatType: "vk", chatId })).toThrow("numeric id");
});

it.each([
  ["17", 17],
  ["17#2", 17],
  ["press:1", undefined],
  ["pending:1", undefined],
])("%s", (externalId, expected) => {
  expect(messageIdOf({ chatType: "vk", chatId: "1", externalId })).toBe(expected);
});
