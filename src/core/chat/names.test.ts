import { describe, expect, test } from "vitest";
import { invalidNames, normalChatId, normalNames, normalPhone } from "./names.ts";

describe("normalPhone", () => {
  test.each([
    ["79990001122", "79990001122"],
    ["+79990001122", "79990001122"],
    ["+7 (999) 000-11-22", "79990001122"],
    ["7.999.000.11.22", "79990001122"],
    ["007 999 000 11 22", "79990001122"],
    ["+007 999 000 11 22", "79990001122"],
    ["+49\u00a030\u2011123456", "4930123456"],
    ["\u202a+7 999 000\u201311\u201322\u202c", "79990001122"],
    ["12345", "12345"],
    ["123456789012345", "123456789012345"],
    ["1234", null],
    ["1234567890123456", null],
    ["0012", null],
    ["7999000112x", null],
    ["79990001122@lid", null],
    ["+", null],
    ["", null],
    ["٧٩٩٩٠٠٠١١٢٢", null],
  ])("%j: %j", (given, expected) => expect(normalPhone(given)).toBe(expected));
});

describe("normalChatId", () => {
  test.each([
    ["whatsapp", "+7 (999) 000-11-22", "79990001122"],
    ["whatsapp", "79990001122@s.whatsapp.net", "79990001122"],
    ["whatsapp", "79990001122@c.us", "79990001122"],
    ["whatsapp", "236498711101@lid", "236498711101@lid"],
    ["whatsapp", "US.1474000000000001", "US.1474000000000001"],
    ["whatsapp", "DE.ENT.a_b-1", "DE.ENT.a_b-1"],
    ["whatsapp", "ann", null],
    ["whatsapp", "100", null],
    ["whatsapp", "120363041234567890", null],
    ["viber", "+371 26 123 456", "37126123456"],
    ["viber", "236498711101@lid", null],
    ["viber", "jc9HsWTZ2Yf2NkRZ8KcNug==", "jc9HsWTZ2Yf2NkRZ8KcNug=="],
    ["viber", "+c9HsWTZ/Yf2NkRZ8KcNug==", "+c9HsWTZ/Yf2NkRZ8KcNug=="],
    ["whatsgroup", "120363041234567890@g.us", "120363041234567890"],
    ["whatsgroup", "79990001122-1600000000", "79990001122-1600000000"],
    ["whatsgroup", "@g.us", null],
    ["instagram", "@ann.shop", "ann.shop"],
    ["instagram", "Ann.Shop", "ann.shop"],
    ["instagram", "@", null],
    ["telegram", "-100123", "-100123"],
    ["telegram", "@ann", "@ann"],
    ["vk", "2000000001", "2000000001"],
  ])("%s %j: %j", (chatType, given, expected) => {
    expect(normalChatId(chatType, given)).toBe(expected);
  });
});

test.each([
  ["whatsapp", "236498711101@lid"],
  ["whatsapp", "US.1474000000000001"],
  ["whatsapp", "79990001122"],
  ["whatsgroup", "120363041234567890"],
  ["telegram", "-1001234567890"],
  ["instagram", "ann"],
])("an id that the service returned is unchanged: %s %s", (chatType, chatId) => {
  expect(normalChatId(chatType, chatId)).toBe(chatId);
});

test("a person's names are normalised, and invalid ones are reported", () => {
  const given = {
    chatType: "whatsapp",
    chatId: "+7 999 000 11 22",
    username: "@ann",
    phone: "+7-999-000-11-22",
    uri: 1,
  };
  const normal = {
    chatType: "whatsapp",
    chatId: "79990001122",
    username: "ann",
    phone: "79990001122",
    uri: 1,
  };
  expect(normalNames(given)).toEqual(normal);
  expect(normalNames({ chatType: "telegram", chatId: null })).toEqual({ chatType: "telegram", chatId: null });
  expect(invalidNames(given)).toEqual([]);
  expect(invalidNames({ chatType: "viber", chatId: "x", username: "@", phone: "1" })).toEqual([
    "chatId",
    "username",
    "phone",
  ]);
});
