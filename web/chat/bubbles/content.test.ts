import { expect, test } from "vitest";
import { mapLink, readPlace, readPoll } from "./place.ts";
import { readVcard } from "./vcard.ts";

test.each([
  ["55.75,-37.5", { latitude: 55.75, longitude: -37.5, name: "" }],
  ["0,0\nNull Island", { latitude: 0, longitude: 0, name: "Null Island" }],
  ["55.75, 37.5\nHome\nfloor 2", { latitude: 55.75, longitude: 37.5, name: "Home\nfloor 2" }],
  ["at home", null],
  ["55.75", null],
])("place %j", (text, place) => expect(readPlace(text)).toEqual(place));

test("the map's link contains only the location", () => {
  expect(mapLink({ latitude: 55.75, longitude: 37.5, name: "x" })).toBe(
    "https://www.openstreetmap.org/?mlat=55.75&mlon=37.5#map=16/55.75/37.5",
  );
});

test.each([
  ["Lunch?\n• Yes\n• No", { title: "Lunch?", options: ["Yes", "No"] }],
  ["Lunch?\n• Yes", null],
  ["Lunch?\n• Yes\nor no", null],
  ["Lunch?", null],
  ["\n• Yes\n• No", null],
])("poll %j", (text, poll) => expect(readPoll(text)).toEqual(poll));

test.each([
  [
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Karpova\r\nitem1.TEL;waid=79:+7 900\r\nTEL:tel:+7 901\r\nEND:VCARD",
    { name: "Ann Karpova", phones: ["+7 900", "+7 901"], emails: [], organisation: "" },
  ],
  [
    "BEGIN:VCARD\nN:Karpova;Ann;;;\nEMAIL;TYPE=WORK:a@b.example\nORG:Lamps\\, Ltd;Sales\nEND:VCARD",
    { name: "Ann Karpova", phones: [], emails: ["a@b.example"], organisation: "Lamps, Ltd" },
  ],
  [
    "BEGIN:VCARD\nFN:Long\n  name\nEND:VCARD",
    { name: "Long name", phones: [], emails: [], organisation: "" },
  ],
  ["nothing of it", { name: "", phones: [], emails: [], organisation: "" }],
])("card %j", (text, card) => expect(readVcard(text)).toEqual(card));
