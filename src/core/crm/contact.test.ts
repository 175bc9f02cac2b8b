import { expect, test } from "vitest";
import { type ContactChat, checkContacts } from "./contact.ts";

const faultsOf = (...contactData: ContactChat[]): unknown => {
  try {
    checkContacts([{ id: "good" }, { id: "c", contactData }], (path) => path.toUpperCase());
    return [];
  } catch (error) {
    return (error as { data: unknown }).data;
  }
};

test.each<[ContactChat, string[]]>([
  [{ chatType: "whatsapp", chatId: "79990001122" }, []],
  [{ chatType: "whatsapp", chatId: "+79990001122" }, ["chatId"]],
  [{ chatType: "whatsapp", username: "ann", phone: "7999" }, ["chatId"]],
  [{ chatType: "viber", chatId: "7 999" }, ["chatId"]],
  [{ chatType: "whatsgroup", chatId: "a@b" }, []],
  [{ chatType: "instagram", chatId: "ann" }, []],
  [{ chatType: "instagram", chatId: "@ann" }, ["chatId"]],
  [{ chatType: "telegram", chatId: "@ann" }, []],
  [{ chatType: "telegram", username: "ann" }, []],
  [{ chatType: "telegram", phone: "7999" }, []],
  [{ chatType: "telegram" }, ["chatId"]],
  [{ chatType: "max", phone: "7999" }, []],
  [{ chatType: "max", username: "ann" }, ["chatId"]],
  [{ chatType: "maxgroup", phone: "7999" }, ["chatId"]],
  [{ chatType: "vk", username: "@ann" }, ["chatId", "username"]],
])("%j: %j", (chat, fields) => {
  const expected = fields.map((field) => `CONTACTDATA[1].${field.toUpperCase()}`);
  expect(faultsOf({ chatType: "vk", chatId: "1" }, chat)).toEqual(
    expected.length === 0 ? [] : [{ index: 1, fields: expected }],
  );
});
