import { describe, expect, test } from "vitest";
import { contactAnswered, dealAnswered } from "./creation-answer.ts";

const json = (value: unknown): string => JSON.stringify(value);
const CHAT = { chatType: "whatsapp", chatId: "79990001122" };
const CONTACT = {
  id: "c",
  responsibleUserId: "u",
  name: "Ann",
  contactData: [CHAT],
  uri: "https://crm.example/c",
};
const DEAL = {
  id: "d",
  responsibleUserId: "u",
  name: "Sale",
  contacts: ["c"],
  uri: "https://crm.example/d",
  closed: false,
};

const NONE = "the answer holds no entity";
const none = (...fields: string[]): string => `the answer is no entity, see ${fields.join(", ")}`;

describe("an answer to createContact", () => {
  test.each<[string, unknown, object]>([
    ["the contact", CONTACT, CONTACT],
    ["a list of one", [CONTACT], CONTACT],
    ["only its id", { id: "c" }, { id: "c" }],
    ...["236498711101@lid", "US.1474000000000001"].map((chatId): [string, unknown, object] => {
      const echo = { ...CONTACT, contactData: [{ ...CHAT, chatId }] };
      return [`the id of a hidden person, ${chatId}`, echo, echo];
    }),
    ["ids that are numbers", { id: 7, responsibleUserId: 3 }, { id: "7", responsibleUserId: "3" }],
    [
      "nulls for what is left out",
      { ...CONTACT, uri: null, contactData: [{ ...CHAT, phone: null }] },
      { id: "c", responsibleUserId: "u", name: "Ann", contactData: [CHAT] },
    ],
  ])("%s", (_, answer, entity) => expect(contactAnswered(json(answer), "v3")).toEqual({ entity }));

  test.each<[string, string | null, string]>([
    ["nothing", null, NONE],
    ["an empty body", "", NONE],
    ["a word", "ok", NONE],
    ["a page", "<html></html>", NONE],
    ["half an answer", json(CONTACT).slice(0, -5), NONE],
    ["a text", '"c"', NONE],
    ["null", "null", NONE],
    ["an empty list", "[]", NONE],
    ["a list of two", json([CONTACT, CONTACT]), NONE],
    ["no fields", "{}", none("id")],
    ["an empty id", json({ id: "" }), none("id")],
    ["an id that is none", json({ id: 1.5 }), none("id")],
    ["invalid fields", json({ ...CONTACT, name: 1, uri: {} }), none("name", "uri")],
    [
      "an unknown chat type",
      json({ ...CONTACT, contactData: [{ ...CHAT, chatType: "fax" }] }),
      none("contactData[0].chatType"),
    ],
    [
      "a faulty chat id",
      json({ ...CONTACT, contactData: [CHAT, { ...CHAT, chatId: "+7" }] }),
      none("contactData[1].chatId"),
    ],
  ])("%s is invalid", (_, answer, fault) => expect(contactAnswered(answer, "v3")).toEqual({ fault }));

  test("is parsed in the spelling of v2 if it was requested on v2", () => {
    const chat = { chat_type: "whatsapp", chat_id: "79001112233" };
    const answer = json({ id: 7, responsible_user_id: 3, contact_data: [chat] });
    const contactData = [{ chatType: "whatsapp", chatId: "79001112233" }];
    expect(contactAnswered(answer, "v2")).toEqual({
      entity: { id: "7", responsibleUserId: "3", contactData },
    });
  });
});

describe("an answer to createDeal", () => {
  test.each<[string, unknown, object]>([
    ["the deal", DEAL, DEAL],
    ["a closed one", { ...DEAL, closed: true }, { ...DEAL, closed: true }],
    ["a list of one", [DEAL], DEAL],
    [
      "ids that are numbers",
      { ...DEAL, id: 5, contacts: [7, "c"] },
      { ...DEAL, id: "5", contacts: ["7", "c"] },
    ],
    ["only its id", { id: "d" }, { id: "d" }],
    ["null for what is left out", { id: "d", closed: null, uri: null }, { id: "d" }],
  ])("%s", (_, answer, entity) => expect(dealAnswered(json(answer), "v3")).toEqual({ entity }));

  test.each<[string, unknown, string]>([
    ["no id", { ...DEAL, id: undefined }, none("id")],
    ["contacts that are none", { ...DEAL, contacts: [{}] }, none("contacts[0]")],
    ["closed by a word", { ...DEAL, closed: "yes" }, none("closed")],
  ])("%s is invalid", (_, answer, fault) => expect(dealAnswered(json(answer), "v3")).toEqual({ fault }));
});
