import { describe, expect, test } from "vitest";
import { type Address, addressOf, chatNameOf, jidOf, parseJid } from "./addresses.ts";

describe("JIDs", () => {
  test.each<[string | null | undefined, Address]>([
    ["79990000001@s.whatsapp.net", { kind: "phone", digits: "79990000001" }],
    ["79990000001:12@s.whatsapp.net", { kind: "phone", digits: "79990000001" }],
    ["79990000001_1:12@s.whatsapp.net", { kind: "phone", digits: "79990000001" }],
    ["79990000001@c.us", { kind: "phone", digits: "79990000001" }],
    ["79990000001:99@hosted", { kind: "phone", digits: "79990000001" }],
    ["123456789@lid", { kind: "hidden", id: "123456789" }],
    ["123456789:3@lid", { kind: "hidden", id: "123456789" }],
    ["120363041234567890@g.us", { kind: "group", id: "120363041234567890" }],
    ["79990000001-1600000000@g.us", { kind: "group", id: "79990000001-1600000000" }],
    ["status@broadcast", { kind: "other" }],
    ["120363041234567890@newsletter", { kind: "other" }],
    ["0@bot", { kind: "other" }],
    ["", { kind: "other" }],
    [undefined, { kind: "other" }],
    [null, { kind: "other" }],
  ])("%s", (jid, expected) => expect(parseJid(jid)).toEqual(expected));

  test("other JIDs have no chat name and no address", () => {
    expect([jidOf({ kind: "other" }), chatNameOf({ kind: "other" })]).toEqual([null, null]);
  });
});

describe("chats", () => {
  test.each<["whatsapp" | "whatsgroup", string, string]>([
    ["whatsapp", "79990000001", "79990000001@s.whatsapp.net"],
    ["whatsapp", "123456789@lid", "123456789@lid"],
    ["whatsgroup", "120363041234567890", "120363041234567890@g.us"],
    ["whatsgroup", "79990000001-1600000000", "79990000001-1600000000@g.us"],
  ])("%s %s converts both ways", (chatType, chatId, jid) => {
    const address = addressOf({ chatType, chatId });
    expect(address).not.toBeNull();
    expect(jidOf(address ?? { kind: "other" })).toBe(jid);
    expect(chatNameOf(parseJid(jid))).toEqual({ chatType, chatId });
  });

  test.each<["whatsapp" | "whatsgroup", string, string | null]>([
    ["whatsapp", "+7 (999) 000-00-01", "79990000001@s.whatsapp.net"],
    ["whatsapp", "79990000001@c.us", "79990000001@s.whatsapp.net"],
    ["whatsgroup", "120363041234567890@g.us", "120363041234567890@g.us"],
    ["whatsapp", "", null],
    ["whatsapp", "1234", null],
    ["whatsapp", "ann", null],
    ["whatsapp", "120363041234567890@g.us", null],
    ["whatsapp", "123456789012345678901", null],
    ["whatsgroup", "status@broadcast", null],
    ["whatsgroup", "", null],
  ])("%s %s: %s", (chatType, chatId, jid) => {
    const address = addressOf({ chatType, chatId });
    expect(address === null ? null : jidOf(address)).toBe(jid);
  });
});
