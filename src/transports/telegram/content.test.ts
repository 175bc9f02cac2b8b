import { describe, expect, it } from "vitest";
import { toEvents } from "./inbound.ts";
import { sample, sampleNames } from "./testing.ts";
import { readUpdate } from "./update.ts";

const text = (words: string) => ({ type: "text", text: words });
const unsupported = (what: string, words?: string) => ({
  type: "unsupported",
  what,
  ...(words !== undefined && { text: words }),
});
const photo = (words = "") => ({
  type: "media",
  media: "image",
  file: { token: "AgACl", mimeType: "image/jpeg", size: 90000 },
  text: words,
});
const video = (token: string) => ({
  type: "media",
  media: "video",
  file: { token, mimeType: "video/mp4" },
  text: "",
});
const answer = (type: string) => ({ type, payload: expect.stringMatching(/^\{.*\}$/) });

/** The bodies of the messages of each sample, or the whole events. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  links: [text("👋 prices (https://shop.example/p.pdf) and terms, https://shop.example")],
  "caption-links": [{ media: "document", text: "The plan (https://plan.example/7)" }],
  "web-app-data": [text("Order\nphone: +7999\nitems name: Lamp")],
  poll: [
    unsupported(
      "poll",
      "When (https://cal.example)?\nFor the visit\n• Mon\n• Tue (https://tue.example)\nEither is fine",
    ),
    photo(),
  ],
  checklist: [unsupported("checklist", "Shopping\n☐ Milk\n☑ Bread")],
  "checklist-done": [unsupported("checklist", "☑ Milk\n☐ Bread")],
  "checklist-added": [unsupported("checklist", "☐ Tea")],
  "paid-media-preview": [unsupported("paid media", "See it")],
  "paid-media": [photo("Bought"), video("BAACv")],
  "live-photo": [photo("Sea"), video("LIVEv")],
  invoice: [unsupported("invoice", "Lamp\nBrass\n45.50 USD")],
  game: [unsupported("game", "Chess\nFor two\nBest: Ann")],
  dice: [unsupported("dice", "🎯 6")],
  story: [unsupported("story", "News (https://t.me/shopnews/s/12)")],
  giveaway: [unsupported("giveaway", "Three lamps\nNews")],
  gift: [unsupported("gift", "Thank you")],
  "unique-gift": [unsupported("gift", "Brass Lamp #7 (https://t.me/nft/BrassLamp-7)\nYours")],
  "users-shared": [photo("Bob Lee @boblee\n333")],
  "chat-shared": [text("Neighbours @neighbours")],
  payment: [
    text(
      "45.50 USD\ninvoice_payload: order-7\nname: Ann B\nphone_number: 79001112233\nshipping_address country_code: IN\nshipping_address city: Pune\nshipping_address street_line1: 1 Main St\nshipping_address post_code: 411001",
    ),
  ],
  refund: [unsupported("refunded payment", "45 XTR\ninvoice_payload: order-7")],
  passport: [unsupported("passport", "79001112233\nann@mail.example")],
  "poll-option": [unsupported("poll", "+ Wed")],
  "declined-post": [unsupported("suggested post", "Not this week")],
  forwarded: [text("> Call me\n> at noon")],
  "forwarded-photo": [photo("> The broken one")],
  "forwarded-by-telegram": [text("New lamps")],
  keyboard: [text("> Our shop\nMap (https://map.example/7)\nCall\nCode (LAMP10)")],
  rich: [
    photo(
      "Offer\nFor Ann, see terms (https://terms.example)\n1. Lamp\n> As agreed\n> Bob\nLamp | 45\nThe lamp\nMore\n2+2\nBuy (https://buy.example)",
    ),
  ],
  "audio-unnamed": [{ media: "audio", file: { name: "Band - Song" } }],
  "reply-task": [text("this one")],
  "reply-quote-links": [text("really?")],
  "reply-elsewhere": [text("in stock?")],
  "unknown-words": [unsupported("message", "A lamp in 3D\nTurn it")],
  "flags-not-set": [text("Is the lamp in stock?")],
  empty: [],
  "edited-photo": [photo("price (https://shop.example/p)")],
  "edited-empty": [],
};

const events = (name: string) =>
  toEvents(readUpdate(sample(`kind-${name}`)), { botId: "123456", now: new Date() });

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
    ["web-app-data", { answers: [{ type: "web_app_data", payload: expect.stringContaining('"+7999"') }] }],
    ["users-shared", { answers: [answer("users_shared")] }],
    ["chat-shared", { answers: [answer("chat_shared")] }],
    ["payment", { answers: [answer("successful_payment")] }],
    ["refund", { isSystem: true }],
    ["reply-task", { quoted: { externalId: "9", part: "Bread", body: text("Bread") } }],
    ["reply-quote-links", { quoted: { part: "see terms (https://terms.example)" } }],
    ["reply-elsewhere", { quoted: { body: photo(), authorName: "News", link: "https://t.me/shopnews/7" } }],
  ])("%s has more than words", (name, more) => {
    expect(events(name)[0]).toMatchObject({ message: more });
  });

  it("an edit that only concerns buttons is none", () => {
    const { edited_message } = sample("kind-edited-photo");
    const { edit_date: _, ...rest } = { ...edited_message, reply_markup: { inline_keyboard: [] } };
    const update = readUpdate({ update_id: 1, edited_message: rest });
    expect(toEvents(update, { botId: "123456", now: new Date() })).toEqual([]);
  });

  it("each file of a message is a message", () => {
    expect(events("paid-media")).toMatchObject([
      { message: { externalId: "15" } },
      { message: { externalId: "15#2" } },
    ]);
  });
});
