import { describe, expect, it } from "vitest";
import { Unreadable } from "../kit/json.ts";
import { toEvents } from "./inbound.ts";
import { JOHN, MESSAGE_TOKEN, sample } from "./testing.ts";
import { personIn, readUpdate } from "./update.ts";

const NOW = new Date("2026-09-21T15:00:00Z");
const AT = new Date(1_790_000_000_000);
const events = (name: string) => toEvents(readUpdate(sample(name)), NOW);
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
          "BEGIN:VCARD\r\nVERSION:3.0\r\nN:;Lucia\\; Gomez;;;\r\nFN:Lucia\\; Gomez\r\nTEL:+19835552319\r\nEND:VCARD",
      },
    ],
    ["location", { type: "geo", latitude: 50.76891, longitude: 6.11499, text: "" }],
    ["url", { type: "text", text: "https://shop.example/1" }],
    ["later-kind", { type: "unsupported", what: "poll" }],
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
    expect(() => toEvents(readUpdate(call), NOW)).toThrow(Unreadable);
    expect(() => readUpdate([])).toThrow(Unreadable);
  });
});

it.each([
  ["text", JOHN],
  ["seen", JOHN],
  ["started", JOHN],
  ["webhook", undefined],
])("the person of %s", (name, person) => expect(personIn(sample(name))).toBe(person));
