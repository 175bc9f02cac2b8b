import { describe, expect, it } from "vitest";
import type { TransportEvent } from "../../core/transport/events.ts";
import { readCall, Unreadable } from "./inbound/notifications.ts";
import { toComment, toEvents } from "./inbound.ts";
import type { Person } from "./people.ts";
import { ACCOUNT, ANN, sample } from "./testing.ts";

const person: Person = { igsid: ANN, chatId: "ann", contact: { name: "Ann", username: "ann" } };
const now = new Date("2026-09-21T15:00:00Z");
const post = { id: "17890000000000001", src: "", author: "shop", description: "" };
const URL_1 = "https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=Ab";
const mid = (number: string) => `aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlE${number}`;

function eventsOf(body: unknown): TransportEvent[] {
  return readCall(body).flatMap(({ content }) => {
    if (content === null || content instanceof Unreadable) return [];
    if (content.kind === "direct") return toEvents(content, { person, now });
    return content.kind === "comment" ? [toComment(content, { person, now, post })] : [];
  });
}
const events = (name: string): TransportEvent[] => eventsOf(sample(name));
const media = (kind: string, text = "") => ({ type: "media", media: kind, file: { token: URL_1 }, text });

const cdn = (number: number) =>
  `https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=${number}&signature=Ab`;
const fileOf = (number: number, media: string, text = "") => ({
  type: "media",
  media,
  file: { token: cdn(number) },
  text,
});
const words = (text: string) => ({ type: "text", text });
const bodies = (body: unknown): unknown[] =>
  eventsOf(body).map((event) => event.kind === "message" && event.message.body);

/** A call with one item. */
const callWith = (part: object, key = "messaging") => ({
  object: "instagram",
  entry: [{ id: ACCOUNT, time: 1_790_000_000_000, [key]: [part] }],
});
const item = (parts: object) => ({
  sender: { id: ANN },
  recipient: { id: ACCOUNT },
  timestamp: 1_790_000_000_000,
  ...parts,
});
const wrote = (message: object, more: object = {}) =>
  callWith(item({ message: { mid: "mid", ...message }, ...more }));
const attached = (type: string, payload: object | null, more: object = {}) => ({
  attachments: [{ type, payload, ...more }],
});

describe("toEvents", () => {
  it.each([
    ["text", { type: "text", text: "Hello 👋" }],
    ["image", media("image")],
    ["video", media("video")],
    ["audio", media("audio")],
    ["file", media("document")],
    ["reel", media("video", "A reel")],
    ["share", { type: "text", text: "https://www.instagram.com/p/Shared00001/" }],
    ["story-mention", media("image")],
    ["heart", { type: "text", text: "❤️" }],
    ["ephemeral", { type: "unsupported", what: "ephemeral" }],
    ["unsupported", { type: "unsupported", what: "message" }],
    ["shared-story", fileOf(2, "image")],
    ["shared-post", fileOf(3, "image", "Lake at dawn")],
    ["reel-page", words("How to fold a shirt (https://www.instagram.com/reel/Fold000001/)")],
    ["link", words("Size chart (https://sizes.example/chart)")],
    [
      "place",
      {
        type: "geo",
        latitude: 48.137,
        longitude: 11.575,
        text: "Corner Cafe (https://maps.example/?q=48.1,11.5)",
      },
    ],
    ["new-field", { type: "unsupported", what: "poll", text: "Which colour?\nBlue\nRed" }],
    ["changed-message", words("Is anybody there?")],
    ["standby", words("A person, please")],
    [
      "sent-template",
      words(
        "Welcome\nWhat would you like?\nhttps://shop.example/\nCatalogue (https://shop.example/all)\nTalk to us",
      ),
    ],
  ])("body of %s", (name, body) => {
    expect(events(name).map((event) => event.kind === "message" && event.message.body)).toEqual([body]);
  });

  it.each<[string, object, unknown[]]>([
    ["a view-once picture", attached("ephemeral", { url: cdn(6) }), [fileOf(6, "image")]],
    ["a moving sticker", attached("animated_image", { url: cdn(7) }), [fileOf(7, "image")]],
    [
      "a reel of which only the path is known",
      attached("reel", { url: "/reel/123/" }),
      [words("https://www.instagram.com/reel/123/")],
    ],
    [
      "a shared picture elsewhere",
      attached("share", { url: "https://a.example/b.jpg" }),
      [{ type: "media", media: "image", file: { token: "https://a.example/b.jpg" }, text: "" }],
    ],
    [
      "a shared page elsewhere",
      attached("share", { url: "https://a.example/b" }),
      [words("https://a.example/b")],
    ],
    [
      "a preview of a pasted link",
      {
        text: "see https://sizes.example/chart please",
        ...attached("fallback", null, {
          url: "https://l.facebook.com/l.php?u=https%3A%2F%2Fsizes.example%2Fchart",
        }),
      },
      [words("see https://sizes.example/chart please")],
    ],
    [
      "a preview of a pasted post",
      {
        text: "https://www.instagram.com/p/A1/",
        ...attached("share", { url: "https://www.instagram.com/p/A1/" }),
      },
      [words("https://www.instagram.com/p/A1/")],
    ],
    [
      "a kind that is new",
      attached("ig_note", { note: { text: "Back on Monday" } }),
      [{ type: "unsupported", what: "ig_note", text: "Back on Monday" }],
    ],
    [
      "words of what the API does not show",
      { is_unsupported: true, text: "Ann sent an effect" },
      [{ type: "unsupported", what: "message", text: "Ann sent an effect" }],
    ],
    ["a number instead of words", { text: 42 }, [words("42")]],
    ["a quick reply without words", { quick_reply: { payload: "SIZE_M" } }, [words("SIZE_M")]],
    ["nothing", {}, []],
    [
      "an opening by an advertisement",
      { referral: { source: "ADS", ad_id: "77", ref: "spring" } },
      [words("/start spring")],
    ],
  ])("bodies of %s", (_, message, expected) => expect(bodies(wrote(message))).toEqual(expected));

  it("keeps own words before those of a shared post, and shows a post once", () => {
    expect(bodies(sample("post-with-words"))).toEqual([
      words("Do you have this one in green?"),
      fileOf(4, "image", "Kettles, new colours"),
    ]);
    expect(bodies(sample("post-told-twice"))).toMatchObject([{ media: "image", text: "Autumn list" }]);
  });

  it("what is behind an address decides how it is shown", () => {
    const url = "https://a.example/b";
    const direct = readCall(wrote(attached("share", { url })))[0]?.content;
    if (direct == null || direct instanceof Unreadable || direct.kind !== "direct") throw new Error("unread");
    const kindsOf = (kind: "video" | "page") =>
      toEvents(direct, { person, now, kinds: new Map([[url, kind]]) }).map(
        (event) => event.kind === "message" && event.message.body.type,
      );
    expect([kindsOf("video"), kindsOf("page")]).toEqual([["media"], ["text"]]);
  });

  it("shows products in words, and keeps their data", () => {
    const [question, products] = events("product");
    const referral = { source: "product", sourceId: "7700000000000001", headline: "Blue mug" };
    expect(question).toMatchObject({ message: { body: words("Are both in stock?"), referral } });
    expect(products).toMatchObject({
      message: {
        body: words("Blue mug\n12 €\nMUG-BLUE\nRed mug\n13 €\nMUG-RED"),
        answers: [{ type: "product", payload: expect.stringContaining("https://shop.example/mug2.jpg") }],
      },
    });
  });

  it("all files of a message have an item", () => {
    const files = Array.from({ length: 14 }, (_, index) => ({ type: "image", payload: { url: cdn(index) } }));
    expect(bodies(wrote({ attachments: files }))).toHaveLength(14);
  });

  it.each([
    ["without words", { mid: "mid", num_edit: 0 }],
    ["with words", { mid: "mid", text: "Hi", num_edit: "0" }],
    ["without words later", { mid: "mid", num_edit: 2 }],
  ])("the announcement of a message is no edit: %s", (_, edit) =>
    expect(eventsOf(callWith(item({ message_edit: edit })))).toEqual([]),
  );

  it.each([
    [
      "a press",
      callWith(
        {
          field: "messaging_postbacks",
          value: item({ postback: { mid: "mid", title: "Hours", payload: "H" } }),
        },
        "changes",
      ),
      { message: { pressed: { text: "Hours", payload: "H" } } },
    ],
    [
      "an edit",
      callWith(
        { field: "message_edit", value: item({ message_edit: { mid: "mid", text: "Two", num_edit: 1 } }) },
        "changes",
      ),
      { kind: "edited", body: words("Two") },
    ],
  ])("reads messaging in changes: %s", (_, call, expected) =>
    expect(eventsOf(call)).toMatchObject([expected]),
  );

  it.each<[string, object, object]>([
    [
      "an advertisement beside the message",
      wrote(
        { text: "Hi" },
        { referral: { source: "ADS", ad_id: "77", ads_context_data: { ad_title: "Kettles" } } },
      ),
      { source: "ad", sourceId: "77", headline: "Kettles" },
    ],
    [
      "a link beside a press",
      callWith(
        item({
          postback: { mid: "mid", title: "Prices", payload: "P" },
          referral: { ref: "flyer7", referer_uri: "https://ig.me/m/shop" },
        }),
      ),
      { source: "link", ref: "flyer7", sourceUrl: "https://ig.me/m/shop" },
    ],
    ["a comment on an advertisement", sample("ad-comment") as object, { source: "ad", headline: "Kettles" }],
    [
      "a product",
      wrote({ text: "?", referral: { product: { id: 77 } } }),
      { source: "product", sourceId: "77" },
    ],
  ])("where it came from: %s", (_, call, referral) =>
    expect(eventsOf(call)).toMatchObject([{ message: { referral } }]),
  );

  it.each([
    ["message.poll", sample("new-field")],
    ["attachment.ig_note", wrote(attached("ig_note", {}))],
    ["messaging.optin", callWith(item({ message: { mid: "mid", text: "Hi" }, optin: { ref: "x" } }))],
  ])("reports what it does not know: %s", (what, call) => {
    const [notification] = readCall(call);
    expect(notification?.content).toMatchObject({ unknown: [{ what }] });
  });

  it("quotes a story without an id by its address, and shows that", () => {
    const call = wrote({ text: "Where?", reply_to: { story: { url: cdn(8) } } });
    const quoted = {
      externalId: cdn(8),
      body: { type: "unsupported", what: "story", text: cdn(8) },
      link: cdn(8),
    };
    expect(eventsOf(call)).toMatchObject([{ message: { quoted } }]);
  });

  it("a time up to which messages are read may be a text", () => {
    const call = callWith(item({ read: { watermark: "1790000000000" } }));
    expect(eventsOf(call)).toMatchObject([{ upTo: { sentAt: new Date(1_790_000_000_000) } }]);
  });

  it("a comment without words is shown as one", () => {
    const call = JSON.parse(JSON.stringify(sample("comment")).replace('"price?"', '""'));
    expect(bodies(call)).toEqual([{ type: "unsupported", what: "comment" }]);
  });

  it("a complete message", () => {
    expect(events("text")).toEqual([
      {
        kind: "message",
        message: {
          chatType: "instagram",
          chatId: "ann",
          externalId: mid("01"),
          direction: "in",
          sentAt: new Date(1_790_000_000_000),
          contact: { name: "Ann", username: "ann" },
          body: { type: "text", text: "Hello 👋" },
        },
      },
    ]);
  });

  it("each part of an album has its own id, and is deleted with the album", () => {
    const ids = events("album").map((event) => event.kind === "message" && event.message.externalId);
    expect(ids).toEqual([mid("03"), `${mid("03")}#2`]);
    const gone = events("unsend").map((event) => event.kind === "deleted" && event.ref.externalId);
    expect(gone.slice(0, 2)).toEqual([mid("01"), `${mid("01")}#2`]);
  });

  it.each([
    [
      "story-reply",
      {
        message: {
          quoted: {
            externalId: "17900000000000001",
            body: { type: "unsupported", what: "story", text: expect.stringMatching(/^https:/) },
            link: expect.stringMatching(/^https:/),
          },
        },
      },
    ],
    ["reply", { message: { quoted: { externalId: mid("01") } } }],
    ["quick-reply", { message: { pressed: { text: "Yes", payload: "yes" } } }],
    [
      "postback",
      { message: { pressed: { text: "Order", payload: "order" }, quoted: { externalId: mid("21") } } },
    ],
    [
      "ad",
      {
        message: {
          body: { text: "Is it still on sale?" },
          referral: { source: "ad", sourceId: "120226305854810727", headline: "Kettles", ref: "promo7" },
        },
      },
    ],
    ["opened", { message: { body: { text: "/start promo7" }, referral: { source: "link", ref: "promo7" } } }],
    ["echo", { message: { direction: "echo", chatId: "ann" } }],
    ["edited", { kind: "edited", ref: { externalId: mid("01") }, body: { text: "Hello!" } }],
    ["read", { kind: "readUpTo", upTo: { externalId: mid("20") } }],
    ["read-watermark", { kind: "readUpTo", upTo: { sentAt: new Date(1_790_000_000_000) } }],
    ["comment", { message: { externalId: "17865799348089039", post, body: { text: "price?" } } }],
    ["comment-reply", { message: { quoted: { externalId: "17865799348089039" } } }],
    ["comment-in-entry", { message: { externalId: "17865799348089039" } }],
    ["live-comment", { message: { externalId: "17865799348089041" } }],
  ])("%s", (name, expected) => {
    expect(events(name)).toMatchObject([expected]);
  });

  it("own comments emit nothing", () => {
    const own = JSON.stringify(sample("comment")).replace(`"id":"${ANN}"`, '"id":"17841400000000001"');
    expect(eventsOf(JSON.parse(own))).toEqual([]);
  });

  it("a customer's reaction opens the reply window; a removed one does not", () => {
    const given = JSON.stringify(sample("reaction"));
    const ref = { chatType: "instagram", chatId: "ann", externalId: mid("20") };
    const reacted = { kind: "reaction", ref, by: { id: "ann", name: "Ann" } };
    expect(eventsOf(JSON.parse(given))).toMatchObject([
      { kind: "activity", chatId: "ann" },
      { ...reacted, emoji: "❤" },
    ]);
    expect(eventsOf(JSON.parse(given.replace('"react"', '"unreact"')))).toMatchObject([
      { ...reacted, emoji: null },
    ]);
  });
});
