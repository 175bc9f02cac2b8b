import { expect, test } from "vitest";
import type { ContactName } from "../../../core/transport/events.ts";
import { sample } from "../testing.ts";
import { readCallback } from "./changes.ts";
import { readContacts } from "./contacts.ts";

const SECONDS = 1_749_416_500;
const AT = new Date(SECONDS * 1000);
const ANN = "16505551234";

const entry = (action: string, contact: object, more: object = {}): object => ({
  type: "contact",
  contact: { phone_number: ANN, ...contact },
  action,
  metadata: { timestamp: String(SECONDS) },
  ...more,
});
const namesIn = (list: readonly unknown[]): ContactName[] =>
  readContacts({ state_sync: list }).events.flatMap((event) =>
    event.kind === "contactNames" ? event.names : [],
  );

test("a call names the contacts of its number", () => {
  expect(readCallback(sample("book-contacts"))).toEqual([
    {
      concern: { phoneId: "106540352242922" },
      notes: [],
      events: [
        {
          kind: "contactNames",
          names: [
            { chatType: "whatsapp", chatId: ANN, name: "Zoe the Florist", at: AT },
            { chatType: "whatsapp", chatId: "16505559876", name: null, at: new Date(AT.getTime() + 1000) },
          ],
        },
      ],
    },
  ]);
});

test.each([
  ["both names", entry("add", { full_name: "Ann Lee", first_name: "Ann" }), "Ann Lee"],
  ["a first name only", entry("add", { first_name: "Ann" }), "Ann"],
  ["spaces around", entry("add", { full_name: "  ", first_name: " Ann " }), "Ann"],
  ["no name", entry("add", {}), null],
  ["a removal", entry("remove", { full_name: "Ann" }), null],
  ["a formatted number", entry("add", { full_name: "Ann", phone_number: "+1 650-555-1234" }), "Ann"],
  ["a number as a time", entry("add", { full_name: "Ann" }, { metadata: { timestamp: SECONDS } }), "Ann"],
])("%s", (_what, item, name) => {
  expect(namesIn([item])).toEqual([{ chatType: "whatsapp", chatId: ANN, name, at: AT }]);
});

test.each<[string, unknown, RegExp]>([
  ["no number", entry("add", { phone_number: "" }), /phone number/],
  ["no contact", entry("add", {}, { contact: "Ann" }), /contact is missing/],
  ["no time", entry("add", { full_name: "Ann" }, { metadata: {} }), /timestamp/],
  ["no object", "Ann", /object in state_sync/],
])("an unreadable item is kept alone: %s", (_what, item, reason) => {
  const good = entry("add", { full_name: "Ann" });
  const read = readContacts({ metadata: { phone_number_id: "1" }, state_sync: [item, good] });
  expect(read.unread).toEqual([
    {
      value: { metadata: { phone_number_id: "1" }, state_sync: [item] },
      reason: expect.stringMatching(reason),
    },
  ]);
  expect(read.events).toHaveLength(1);
});

test("a list that is none is kept whole; other types and actions are reported, a few of each call", () => {
  expect(readContacts({ state_sync: "Ann" })).toMatchObject({
    events: [],
    unread: [{ value: { state_sync: "Ann" } }],
  });
  const odd = [entry("merge", {}), ...Array.from({ length: 5 }, () => ({ type: "label" }))];
  const { unknown, events } = readContacts({ state_sync: odd });
  expect(events).toEqual([]);
  expect(unknown.map(({ kind }) => kind)).toEqual([
    "smb_app_state_sync.action.merge",
    "smb_app_state_sync.type.label",
    "smb_app_state_sync.type.label",
  ]);
});

test("an address book is named in batches", () => {
  const list = Array.from({ length: 450 }, (_, n) =>
    entry("add", { full_name: "Ann", phone_number: `79${n}` }),
  );
  const sizes = readContacts({ state_sync: list }).events.map((event) =>
    event.kind === "contactNames" ? event.names.length : 0,
  );
  expect(sizes).toEqual([200, 200, 50]);
});
