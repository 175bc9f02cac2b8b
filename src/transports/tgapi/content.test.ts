import { describe, expect, it } from "vitest";
import { toEvents } from "./inbound.ts";
import { ANN, SELF, sample, sampleNames } from "./testing.ts";

const text = (words: string) => ({ type: "text", text: words });
const unsupported = (what: string, words: string) => ({ type: "unsupported", what, text: words });
const photo = (words = "") => ({ type: "media", media: "image", text: words });
const video = { type: "media", media: "video", text: "" };

/** The bodies of the events of each sample. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  links: [text("👋 prices (https://shop.example/p.pdf) and terms")],
  "caption-links": [photo("The lamp (https://lamp.example)")],
  "web-page": [text("see https://lamp.example")],
  checklist: [unsupported("checklist", "Shopping\n☐ Milk\n☑ Bread")],
  "paid-media": [photo("Bought"), video],
  "paid-media-preview": [unsupported("paid media", "See it")],
  "live-photo": [photo("Sea"), video],
  invoice: [unsupported("invoice", "Lamp\nBrass\n45.50 USD")],
  game: [unsupported("game", "Chess\nFor two")],
  story: [unsupported("story", "Shop news (https://t.me/shopnews/s/12)\nNew lamps"), photo()],
  giveaway: [unsupported("giveaway", "Three lamps\nShop news")],
  "poll-media": [photo("When (https://cal.example)\n• Mon\n• Tue\nEither is fine")],
  "view-once-caption": [unsupported("disappearing media", "Only once")],
  forwarded: [text("> Call me\n> at noon")],
  "forwarded-photo": [photo("> The broken one")],
  buttons: [text("Our shop\nMap (https://map.example/7)\nCall\nCode (LAMP10)")],
  "contact-card": [
    { vcard: expect.stringMatching(/ADR:;;Main St 1;Pune\nTEL;TYPE=CELL:79001112233\r\nEND/) },
  ],
  rich: [
    photo(
      "Offer\nFor Ann, see terms (https://terms.example)\n1. Lamp\n> As agreed\n> Bob\nPrices\nLamp | 45\nThe lamp",
    ),
  ],
  "unknown-media": [unsupported("media", "A lamp in 3D\nwith words")],
  empty: [],
  "edited-photo": [photo("price")],
  "reply-elsewhere": [text("in stock?")],
  "reply-hidden": [text("which?")],
  "reply-story-link": [text("nice")],
  "notice-web-app": [text("Order")],
  "notice-gift": [unsupported("gift", "Lamp\nThank you")],
  "reply-keyboard": [text("Which day suits you?\nMonday\nTuesday")],
  "notice-gift-code": [unsupported("gift", "For your help\nhttps://t.me/giftcode/LampGift7")],
  "notice-unique-gift": [unsupported("gift", "Brass Lamp #7 (https://t.me/nft/BrassLamp-7)")],
  "notice-tasks": [unsupported("checklist", "☐ Tea")],
  "notice-poll-option": [unsupported("poll", "+ Wed")],
  "notice-missed-conference": [{ type: "missing_call" }],
  "notice-custom": [text("Shop was verified")],
  "notice-refund": [unsupported("refunded payment", "45 XTR")],
  "notice-profile-photo": [photo()],
  "notice-pin": [],
};

const events = (name: string) =>
  toEvents(sample(`kind-${name}`), { selfId: SELF, now: new Date("2026-09-21T12:00:00Z") });

describe("content", () => {
  it.each(Object.entries(BODIES))("%s", (name, bodies) => {
    const found = events(name).map((event) => {
      if (event.kind === "message") return event.message.body;
      return event.kind === "edited" ? event.body : event;
    });
    expect(found).toHaveLength(bodies.length);
    expect(found).toMatchObject(bodies);
  });

  it("every sample has a case", () => {
    const names = sampleNames().filter((name) => name.startsWith("kind-"));
    expect(
      Object.keys(BODIES)
        .map((name) => `kind-${name}`)
        .toSorted(),
    ).toEqual(names.toSorted());
  });

  it.each([
    ["reply-elsewhere", { externalId: "external:-1000000001007:7", body: photo(), authorName: "Shop news" }],
    ["reply-hidden", { part: "see terms (https://terms.example)", authorName: "Zoe" }],
    ["reply-story-link", { link: "https://t.me/ann_lee/s/3", body: { text: "https://t.me/ann_lee/s/3" } }],
  ])("%s quotes", (name, quoted) => expect(events(name)).toMatchObject([{ message: { quoted } }]));

  it.each(["notice-custom", "notice-refund"])("%s is a notice of the messenger", (name) => {
    expect(events(name)).toMatchObject([{ message: { isSystem: true } }]);
  });

  it("each file of a message is a message, and is deleted with it", () => {
    const ids = events("paid-media").map((event) => event.kind === "message" && event.message.externalId);
    expect(ids).toEqual(["205", "205#2"]);
    const letter = {
      update: { _: "updateDeleteMessages", messages: [205, 206], pts: 1, ptsCount: 1 },
      known: [],
      places: { 205: `${ANN}#2`, 206: ANN },
    };
    const deleted = toEvents(letter, { selfId: SELF, now: new Date() });
    expect(deleted.map((event) => event.kind === "deleted" && event.ref.externalId)).toEqual([
      "205",
      "205#2",
      "206",
    ]);
  });
});
