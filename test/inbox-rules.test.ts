import { describe, expect, test } from "vitest";
import type { Channel } from "../src/core/channel/channel.ts";
import { matcherOf } from "../src/core/chat/by-name.ts";
import { abilitiesOf, newChatOf, obstacleOf } from "../src/core/inbox/abilities.ts";
import { gramsOf } from "../src/core/inbox/chat-list.ts";
import { cursorOf, positionOf } from "../src/core/position.ts";
import type { TransportDefinition } from "../src/core/transport/definition.ts";
import { transports } from "../src/transports/index.ts";
import { postbox } from "./kit/transport.ts";

const nobody = { chatId: null, username: null, phone: null };
const chat = { chat_type: "telegram", chat_id: "77", username: "Ivan", phone: "79990001122" };

describe("a chat is one that the CRM named", () => {
  test.each([
    ["by its id", chat, { ...nobody, chatType: "telegram", chatId: "77" }, true],
    ["by another id", chat, { ...nobody, chatType: "telegram", chatId: "78" }, false],
    [
      "by its id, whatever else is said",
      chat,
      { chatType: "telegram", chatId: "77", username: "eva", phone: null },
      true,
    ],
    [
      "by its username, for another id",
      chat,
      { chatType: "telegram", chatId: "78", username: "ivan", phone: null },
      false,
    ],
    ["by its username in other letters", chat, { ...nobody, chatType: "telegram", username: "iVAN" }, true],
    ["by its phone", chat, { ...nobody, chatType: "telegram", phone: "79990001122" }, true],
    ["by its id as one of another messenger", chat, { ...nobody, chatType: "vk", chatId: "77" }, false],
    ["by nothing", chat, { ...nobody, chatType: "telegram" }, false],
    [
      "by the username that it was begun with",
      { ...chat, chat_id: "@ivan", username: null, phone: null },
      { ...nobody, chatType: "telegram", username: "ivan" },
      true,
    ],
    [
      "by the phone that is its id",
      { chat_type: "whatsapp", chat_id: "79990001122", username: null, phone: null },
      { ...nobody, chatType: "whatsapp", phone: "79990001122" },
      true,
    ],
    [
      "by a phone that is no id",
      { chat_type: "vk", chat_id: "79990001122", username: null, phone: null },
      { ...nobody, chatType: "vk", phone: "79990001122" },
      false,
    ],
  ] as const)("%s", (_name, row, name, expected) => {
    expect(matcherOf([name])(row)).toBe(expected);
  });

  test("whose names are read once, however many chats are asked", () => {
    let reads = 0;
    const names = Array.from({ length: 1_000 }, (_, place) => ({
      ...nobody,
      chatType: "telegram",
      get chatId() {
        reads += 1;
        return String(place);
      },
    })) as Parameters<typeof matcherOf>[0];
    const isNamed = matcherOf(names);
    const once = reads;
    const found = Array.from({ length: 2_000 }, (_, place) => isNamed({ ...chat, chat_id: String(place) }));
    expect(found.filter(Boolean)).toHaveLength(1_000);
    expect(reads).toBe(once);
  });
});

test("how somebody without a chat is reached, messenger by messenger", () => {
  const ways = transports.map(({ definition }) => [definition.id, newChatOf(definition)?.address_by ?? []]);
  expect(Object.fromEntries(ways)).toEqual({
    avito: [],
    instagram: [],
    max: ["phone"],
    maxbot: [],
    telegram: [],
    tgapi: ["username", "phone"],
    viber: [],
    vk: [],
    wapi: ["phone"],
    whatsapp: ["phone"],
  });
});

describe("what can be done", () => {
  const now = new Date("2030-01-02T00:00:00Z");
  const active = { status: "active", reason: null } as Channel;
  const withWindow: TransportDefinition = {
    ...postbox,
    capabilities: {
      ...postbox.capabilities,
      templates: true,
      media: { image: { maxBytes: 5_000_000, maxCaptionLength: 1_024 }, video: { maxBytes: 500_000_000 } },
      replyWindow: { ms: 3_600_000, code: "24_HOURS_EXCEEDED" },
    },
  };

  test.each([
    ["written just now", "2030-01-01T23:30:00Z", true, "2030-01-02T00:30:00.000Z"],
    ["written too long ago", "2030-01-01T22:00:00Z", false, "2030-01-01T23:00:00.000Z"],
    ["never written", null, false, null],
  ])("somebody who has %s", (_name, at, isOpen, endsAt) => {
    const lastDirectAt = at === null ? null : new Date(at);
    const { window } = abilitiesOf(withWindow, { channel: active, lastDirectAt, now });
    expect(window).toEqual({ is_open: isOpen, ends_at: endsAt, code: "24_HOURS_EXCEEDED" });
  });

  test("without templates nothing is certain of somebody who has never written", () => {
    const { templates: _none, ...capabilities } = withWindow.capabilities;
    const definition = { ...withWindow, capabilities: { ...capabilities, templates: false } };
    expect(abilitiesOf(definition, { channel: active, lastDirectAt: null, now }).window?.is_open).toBe(true);
  });

  test("files are as large as the messenger and the interface allow", () => {
    const { media } = abilitiesOf(withWindow, { channel: active, lastDirectAt: null, now });
    expect(media).toEqual({
      image: { max_bytes: 5_000_000, max_caption_length: 1_024 },
      video: { max_bytes: 50 * 1024 * 1024, max_caption_length: null },
    });
  });

  test.each([
    [{ audio: { maxBytes: 1 } }, "plain", "voice_notes"],
    [{ audio: { maxBytes: 1 } }, undefined, "wav_files"],
    [{ image: { maxBytes: 1 } }, undefined, null],
  ] as const)("recordings with %j and voice notes %s", (media, voiceNotes, expected) => {
    const { voiceNotes: _none, ...capabilities } = { voiceNotes, ...withWindow.capabilities, media };
    const definition = {
      ...withWindow,
      capabilities: voiceNotes === undefined ? capabilities : { ...capabilities, voiceNotes },
    };
    const known = { channel: active, lastDirectAt: null, now };
    expect(abilitiesOf(definition, known).recordings).toBe(expected);
  });

  test.each([
    [null, "channel_deleted"],
    [{ status: "active", reason: null }, null],
    [{ status: "init", reason: "qr" }, "channel_inactive"],
    [{ status: "disabled", reason: "unauthorized" }, "channel_inactive"],
    [{ status: "disabled", reason: "not_enough_money" }, "not_enough_money"],
    [{ status: "disabled", reason: "blocked" }, "blocked"],
    [{ status: "disabled", reason: "rejected" }, "rejected"],
  ] as const)("%j: %s", (channel, obstacle) => {
    expect(obstacleOf(channel)).toBe(obstacle);
  });
});

test.each([
  ["Ivan", ["1:iva", "1:van"]],
  ["iv", ["1: iv"]],
  ["aaaa", ["1:aaa"]],
  ["a b", ["1:a b"]],
  ["ЁЖИК", ["1:ёжи", "1:жик"]],
])("trigrams of %s", (text, grams) => {
  expect(gramsOf(1, text)).toEqual(grams);
});

describe("places", () => {
  const id = "01a2046d-228b-44a5-9ba5-7680cffa617f";
  test("come back as they were", () => {
    const place = { at: 1_900_000_000_123_456, id };
    expect(positionOf(cursorOf(place), "before")).toEqual(place);
  });
  test.each(["", "_", `x_${id}x`, `_${id}`, `-1_${id}`, `zzzzzzzzzzzz_${id}`, "k5_1"])(
    "%j is none",
    (cursor) => {
      expect(() => positionOf(cursor, "before")).toThrow(
        expect.objectContaining({ code: "VALIDATION_ERROR" }),
      );
    },
  );
});
