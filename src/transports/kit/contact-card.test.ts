import { expect, it } from "vitest";
import { toVcard } from "./contact-card.ts";

it("builds a card, with escaped names", () => {
  expect(toVcard({ phone: "+7 900", firstName: "Ann", lastName: "B; C" })).toBe(
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:B\\; C;Ann;;;\r\nFN:Ann B\\; C\r\nTEL;TYPE=CELL:+7 900\r\nEND:VCARD\r\n",
  );
});

const CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL:+7 (900) 11\nEND:VCARD";

it.each([
  ["keeps a whole one", CARD, CARD],
  ["adds the number", CARD.replace("\nTEL:+7 (900) 11", ""), "FN:Ann\nTEL;TYPE=CELL:790011\r\nEND:VCARD"],
  ["adds the name", "BEGIN:VCARD\nTEL:790011\nADR:;;Main St 1;Pune\nEND:VCARD", "Pune\nFN:Ann\r\nEND:VCARD"],
  ["completes what is no card", "ORG:Shop\n", "ORG:Shop\nFN:Ann\r\nTEL;TYPE=CELL:790011\r\n"],
])("%s", (_, vcard, expected) =>
  expect(toVcard({ phone: "790011", firstName: "Ann", vcard })).toContain(expected),
);
