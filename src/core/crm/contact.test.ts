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
  [{ chatType: "whatsapp", chatId: "+7 (999) 000-11-22" }, []],
  [{ chatType: "whatsapp", chatId: "236498711101@lid" }, []],
  [{ chatType: "whatsapp", chatId: "US.1474000000000001" }, []],
  [{ chatType: "whatsapp", chatId: "ann" }, ["chatId"]],
  [{ chatType: "whatsapp", username: "ann", phone: "+7 999 000" }, ["chatId"]],
  [{ chatType: "viber", chatId: "7 999" }, ["chatId"]],
  [{ chatType: "whatsgroup", chatId: "a@b" }, []],
  [{ chatType: "instagram", chatId: "ann" }, []],
  [{ chatType: "instagram", chatId: "@ann" }, []],
  [{ chatType: "telegram", chatId: "@ann" }, []],
  [{ chatType: "telegram", username: "ann" }, []],
  [{ chatType: "telegram", phone: "+7 999 000" }, []],
  [{ chatType: "telegram" }, ["chatId"]],
  [{ chatType: "max", phone: "+7 999 000" }, []],
  [{ chatType: "max", username: "ann" }, ["chatId"]],
  [{ chatType: "max", phone: "7999" }, ["phone"]],
  [{ chatType: "maxgroup", phone: "+7 999 000" }, ["chatId"]],
  [{ chatType: "vk", username: "@ann" }, ["chatId"]],
])("%j: %j", (chat, fields) => {
  const expected = fields.map((field) => `CONTACTDATA[1].${field.toUpperCase()}`);
  expect(faultsOf({ chatType: "vk", chatId: "1" }, chat)).toEqual(
    expected.length === 0 ? [] : [{ index: 1, fields: expected }],
  );
});
