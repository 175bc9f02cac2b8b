import { describe, expect, it } from "vitest";
import { Unreadable } from "../kit/json.ts";
import { toEvents, unknownIn } from "./inbound.ts";
import { JOHN, MESSAGE_TOKEN, sample } from "./testing.ts";
import { personIn, readUpdate } from "./update.ts";

const NOW = new Date("2026-09-21T15:00:00Z");
const AT = new Date(1_790_000_000_000);
const CONTEXT = { now: NOW, apiUrl: "https://chatapi.viber.com" };
const events = (name: string) => toEvents(readUpdate(sample(name)), CONTEXT);
const ref = { chatType: "viber", chatId: JOHN, externalId: MESSAGE_TOKEN };
const media = (kind: string, file: object, text = "") => ({ type: "media", media: kind, file, text });
const at = (path: string) => `https://dl-media.viber.com/1/${path}`;

describe("toEvents", () => {
  it.each([
    ["text", { type: "text", text: "Hello 👋" }],
    ["picture", media("image", { token: at("a.jpg"), name: "a.jpg", size: 20480 }, "Look")],
    ["video", media("video", { token: at("a.mp4"), name: "a.mp4", size: 204800 })],
    ["file", media("document", { token: at("offer.pdf"), name: "offer.pdf", size: 20480 })],
    ["sticker", media("image", { token: "https://content.cdn.viber.com/stickers/46105.png" })],
    [
      "contact",
      {
        type: "vcard",
        vcard:
          "BEGIN:VCARD\r\nVERSION:3.0\r\nN:;Lucia\\; Gomez;;;\r\nFN:Lucia\\; Gomez\r\nTEL;TYPE=CELL:+19835552319\r\nEND:VCARD\r\n",
      },
    ],
    ["location", { type: "geo", latitude: 50.76891, longitude: 6.11499, text: "" }],
    ["url", { type: "text", text: "https://shop.example/1" }],
    ["later-kind", { type: "unsupported", what: "poll", text: "Tea?" }],
    ["started", { type: "text", text: "/start promo7" }],
  ])("body of %s", (name, body) => expect(events(name)).toMatchObject([{ message: { body } }]));

  it("tells which link opened the chat", () =>
    expect(events("started")).toMatchObject([{ message: { referral: { source: "link", ref: "promo7" } } }]));

  it("complete message, with every digit of its token", () => {
    expect(events("text")).toEqual([
      {
        kind: "message",
        message: {
          ...ref,
          direction: "in",
          sentAt: AT,
          contact: {
            name: "John Doe",
            avatar: { token: "https://media-direct.cdn.viber.com/download_photo?dlid=1" },
          },
          body: { type: "text", text: "Hello 👋" },
        },
      },
    ]);
    expect(events("hidden-person")).toMatchObject([{ message: { contact: { name: "Subscriber" } } }]);
  });

  it("delivered, seen and failed", () => {
    expect(events("delivered")).toEqual([{ kind: "receipt", ref, status: "delivered", at: AT }]);
    expect(events("seen")).toEqual([
      { kind: "readUpTo", chatType: "viber", chatId: JOHN, upTo: { externalId: MESSAGE_TOKEN }, at: AT },
    ]);
    expect(events("failed")).toMatchObject([
      { kind: "failed", ref, error: { code: "CONTENT_CONVERSION_ERROR", data: "Media size is too large" } },
    ]);
  });

  it.each(["opened", "subscribed", "unsubscribed", "webhook"])("%s emits nothing", (name) =>
    expect(events(name)).toEqual([]),
  );

  it("an event without a message id is unreadable", () => {
    const { message_token: _, ...call } = sample("text") as Record<string, unknown>;
    expect(() => toEvents(readUpdate(call), CONTEXT)).toThrow(Unreadable);
    expect(() => readUpdate([])).toThrow(Unreadable);
  });
});

const PICTURE = "https://dl-media.viber.com/1/a.jpg";
const place = (text: string) => ({ type: "geo", latitude: 50.5, longitude: 6.25, text });
const words = (...lines: readonly string[]) => ({ type: "text", text: lines.join("\n") });
const card = (...more: readonly string[]) =>
  ["BEGIN:VCARD", "VERSION:3.0", "N:;Zoe;;;", "FN:Zoe", "TEL;TYPE=CELL:+4910", ...more, "END:VCARD", ""].join(
    "\r\n",
  );

describe("a message", () => {
  const bodiesOf = (message: object) =>
    toEvents(readUpdate({ ...(sample("text") as object), message }), CONTEXT).map(
      (event) => event.kind === "message" && event.message.body,
    );

  it.each<[string, object, readonly object[]]>([
    [
      "link with words",
      { type: "url", media: "https://shop.example/c", text: "see this" },
      [words("see this", "https://shop.example/c")],
    ],
    [
      "link that stands in its words",
      { type: "url", media: "https://shop.example/c", text: "see shop.example/c" },
      [words("see shop.example/c")],
    ],
    [
      "text with a link beside it",
      { type: "text", text: "see", media: "https://shop.example/c" },
      [words("see", "https://shop.example/c")],
    ],
    [
      "video with words",
      { type: "video", media: PICTURE, text: "Look" },
      [media("video", { token: PICTURE }, "Look")],
    ],
    [
      "file whose size is written as text",
      { type: "file", media: PICTURE, file_name: "a.pdf", size: "20480" },
      [media("document", { token: PICTURE, name: "a.pdf", size: 20480 })],
    ],
    ["file that is gone", { type: "file", file_name: "a.pdf" }, [words("a.pdf")]],
    [
      "picture that is not at Viber",
      { type: "picture", media: "https://pictures.example/a.jpg", text: "Look" },
      [words("Look", "https://pictures.example/a.jpg")],
    ],
    ["picture without anything", { type: "picture" }, [{ type: "unsupported", what: "image" }]],
    [
      "contact with words",
      { type: "contact", text: "Ask her", contact: { name: "Zoe", phone_number: "+4910" } },
      [words("Ask her"), { type: "vcard", vcard: card() }],
    ],
    [
      "contact with a picture",
      { type: "contact", contact: { name: "Zoe", phone_number: "+4910", avatar: PICTURE } },
      [{ type: "vcard", vcard: card(`PHOTO;VALUE=URI:${PICTURE}`) }],
    ],
    ["contact without a number", { type: "contact", contact: { name: "Zoe" } }, [words("Zoe")]],
    [
      "place with words and an address, as texts",
      { type: "location", text: "here", location: { lat: "50.5", lon: "6.25", address: "Tea street 1" } },
      [place("here\nTea street 1")],
    ],
    [
      "rich media",
      {
        type: "rich_media",
        alt_text: "Cups",
        rich_media: {
          Type: "rich_media",
          Buttons: [
            { Text: '<font color="#fff">Blue<br>cup</font>', ActionType: "reply", ActionBody: "blue" },
            { Text: "<b>Buy</b>", ActionType: "open-url", ActionBody: "https://shop.example/c" },
            { Image: "https://shop.example/c.png", ActionType: "none" },
          ],
        },
      },
      [words("Cups", "Blue", "cup", "Buy (https://shop.example/c)", "https://shop.example/c.png")],
    ],
    [
      "later kind with words",
      { type: "poll", text: "Vote", question: "Tea?", options: [{ text: "Yes" }] },
      [{ type: "unsupported", what: "poll", text: "Vote\nTea?\nYes" }],
    ],
    [
      "a sticker without a picture",
      { type: "sticker", sticker_id: 40133 },
      [{ type: "unsupported", what: "sticker" }],
    ],
    ["text without words", { type: "text" }, []],
  ])("%s", (_, message, expected) => expect(bodiesOf(message)).toEqual(expected));

  it("brings the data that the bot's last message had for it", () => {
    const message = { type: "text", text: "Yes", tracking_data: "step 3" };
    expect(toEvents(readUpdate({ ...(sample("text") as object), message }), CONTEXT)).toMatchObject([
      { message: { answers: [{ type: "tracking_data", payload: "step 3" }] } },
    ]);
  });

  it.each([
    [{ type: "poll" }, ["message.poll"]],
    [{ type: "text" }, ["message.empty"]],
    [{ type: "text", text: "a", effect: "snow" }, ["message.effect"]],
    [{ type: "picture", media: PICTURE, thumbnail: PICTURE, text: "" }, []],
  ])("what is unknown of %j", (message, expected) => {
    expect(unknownIn(readUpdate({ ...(sample("text") as object), message }))).toEqual(expected);
  });
});

it.each([
  ["text", JOHN],
  ["seen", JOHN],
  ["started", JOHN],
  ["webhook", undefined],
])("the person of %s", (name, person) => expect(personIn(sample(name))).toBe(person));
