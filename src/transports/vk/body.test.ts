import { describe, expect, it } from "vitest";
import { toBodies, unknownTypes } from "./body.ts";
import { toEvents } from "./inbound.ts";
import { CONTEXT } from "./testing.ts";
import { readEvent } from "./update.ts";

const GROUP = -200000001;
const NEW = { peer_id: 111, from_id: 111, conversation_message_id: 40, date: 1_790_000_000 };

function eventsOf(message: object, type = "message_new", wrap = type === "message_new") {
  const whole = { ...NEW, ...message };
  return toEvents(readEvent({ type, object: wrap ? { message: whole } : whole }), CONTEXT);
}

function bodiesOf(message: object) {
  return eventsOf(message).map((event) => event.kind === "message" && event.message.body);
}

const attached = (type: string, object: unknown, more: object = {}) => ({
  attachments: [{ type, [type]: object }],
  ...more,
});
const text = (...lines: readonly string[]) => ({ type: "text", text: lines.join("\n") });
const image = (token: string, words = "") => ({
  type: "media",
  media: "image",
  file: { token, mimeType: "image/jpeg" },
  text: words,
});
const photo = (name: string) => ({
  type: "photo",
  photo: { id: 1, owner_id: 111, sizes: [{ type: "x", url: `https://sun1.userapi.com/${name}.jpg` }] },
});
const file = (kind: string, token: string, facts: object, words = "") => ({
  type: "media",
  media: kind,
  file: { token, ...facts },
  text: words,
});
const shown = (what: string, ...lines: readonly string[]) => ({
  type: "unsupported",
  what,
  ...(lines.length > 0 && { text: lines.join("\n") }),
});

describe("an attachment", () => {
  it.each<[string, object, readonly object[]]>([
    [
      "post with a photo, a source, and the post that it shares",
      attached("wall", {
        id: 8,
        owner_id: GROUP,
        text: "Sale",
        attachments: [
          photo("a"),
          { type: "link", link: { url: "https://shop.example/sale", title: "Prices" } },
        ],
        copyright: { name: "The Paper", link: "https://paper.example/7" },
        copy_history: [{ id: 3, owner_id: -5, text: "First\nSecond", attachments: [photo("b")] }],
      }),
      [
        image(
          "https://sun1.userapi.com/a.jpg",
          [
            "https://vk.com/wall-200000001_8",
            "> Sale",
            "> The Paper (https://paper.example/7)",
            "> Prices",
            "> https://shop.example/sale",
            "> https://vk.com/wall-5_3",
            "> First",
            "> Second",
          ].join("\n"),
        ),
        image("https://sun1.userapi.com/b.jpg"),
      ],
    ],
    [
      "comment on a post",
      attached("wall_reply", { id: 30, owner_id: GROUP, post_id: 28, text: "How much?" }),
      [text("https://vk.com/wall-200000001_28?reply=30", "> How much?")],
    ],
    [
      "comment on a photo, with a photo",
      attached("wall_reply", { id: 31, owner_id: GROUP, photo_id: 5, attachments: [photo("c")] }),
      [image("https://sun1.userapi.com/c.jpg", "https://vk.com/photo-200000001_5?reply=31")],
    ],
    [
      "comment on a video",
      attached("wall_reply", { id: 32, owner_id: GROUP, video_id: 6, text: "Nice" }),
      [text("https://vk.com/video-200000001_6?reply=32", "> Nice")],
    ],
    [
      "comment on a product",
      attached("wall_reply", { id: 33, owner_id: GROUP, item_id: 7, text: "In stock?" }),
      [text("https://vk.com/product-200000001_7?reply=33", "> In stock?")],
    ],
    [
      "post of a discussion",
      attached("wall_reply", { id: 34, owner_id: GROUP, topic_id: 9, text: "Me too" }),
      [text("https://vk.com/topic-200000001_9?post=34", "> Me too")],
    ],
    [
      "product with its price",
      attached("market", {
        id: 9,
        owner_id: GROUP,
        title: "A kettle",
        description: "Two litres",
        price: { amount: "100000", text: "1 000 ₽" },
      }),
      [text("A kettle", "1 000 ₽", "Two litres", "https://vk.com/product-200000001_9")],
    ],
    [
      "list of products",
      attached("market_album", { id: 4, owner_id: GROUP, title: "Kettles" }),
      [text("Kettles", "https://vk.com/market-200000001?section=album_4")],
    ],
    [
      "list of products under its other name",
      {
        attachments: [
          { type: "market_album", market_market_album: { id: 4, owner_id: GROUP, title: "Pots" } },
        ],
      },
      [text("Pots", "https://vk.com/market-200000001?section=album_4")],
    ],
    [
      "story, with the picture and the link on it",
      attached("story", {
        id: 6,
        owner_id: 111,
        photo: photo("s").photo,
        link: { text: "Menu", url: "https://cafe.example/menu" },
      }),
      [
        image(
          "https://sun1.userapi.com/s.jpg",
          "https://vk.com/story111_6\nMenu (https://cafe.example/menu)",
        ),
      ],
    ],
    [
      "poll",
      attached("poll", {
        id: 2,
        owner_id: 111,
        question: "Tea?",
        answers: [{ text: "Yes" }, { text: "No" }],
      }),
      [shown("poll", "Tea?", "- Yes", "- No", "https://vk.com/poll111_2")],
    ],
    [
      "article",
      attached("article", { title: "On tea", subtitle: "Part one", url: "https://vk.com/@shop-tea" }),
      [text("On tea", "Part one", "https://vk.com/@shop-tea")],
    ],
    [
      "link with a price and a button",
      attached("link", {
        url: "https://shop.example/1",
        title: "A cup",
        product: { price: { text: "300 ₽" } },
        button: { title: "Buy", action: { type: "open_url", url: "https://shop.example/buy/1" } },
      }),
      [text("A cup", "https://shop.example/1", "300 ₽", "Buy (https://shop.example/buy/1)")],
    ],
    [
      "link that stands in the text",
      attached(
        "link",
        { url: "https://shop.example/1/", title: "A cup" },
        { text: "See shop.example/1, please" },
      ),
      [text("See shop.example/1, please")],
    ],
    [
      "link of which the text has a longer one",
      attached("link", { url: "https://shop.example/1" }, { text: "https://shop.example/12" }),
      [text("https://shop.example/12", "https://shop.example/1")],
    ],
    [
      "post whose address was pasted",
      attached(
        "wall",
        { id: 8, owner_id: GROUP, text: "Sale" },
        { text: "look vk.ru/feed?w=wall-200000001_8" },
      ),
      [text("look vk.ru/feed?w=wall-200000001_8")],
    ],
    [
      "document without an address",
      attached("doc", { id: 5, owner_id: 111, title: "Offer.pdf", ext: "pdf" }),
      [text("Offer.pdf", "https://vk.com/doc111_5")],
    ],
    [
      "document whose size is written as text",
      attached("doc", { title: "a.mp4", ext: "MP4", url: "https://vk.com/doc1", size: "20480" }),
      [file("video", "https://vk.com/doc1", { name: "a.mp4", size: 20480 })],
    ],
    [
      "graffiti of a wall",
      attached("graffiti", { photo_586: "https://vk.com/g586.png" }),
      [file("image", "https://vk.com/g586.png", { mimeType: "image/png" })],
    ],
    [
      "voice message with its transcript",
      attached(
        "audio_message",
        { link_ogg: "https://vk.com/1.ogg", transcript: "good day" },
        { text: "Listen" },
      ),
      [file("audio", "https://vk.com/1.ogg", { mimeType: "audio/ogg" }, "Listen\ngood day")],
    ],
    [
      "song without an address",
      attached("audio", { id: 3, owner_id: 111, artist: "The Cups", title: "Tea", url: "" }),
      [text("The Cups – Tea", "https://vk.com/audio111_3")],
    ],
    [
      "song whose address is a stream",
      attached("audio", { id: 3, owner_id: 111, title: "Tea", url: "https://vk.com/index.m3u8?extra=1" }),
      [text("Tea", "https://vk.com/audio111_3")],
    ],
    [
      "episode of a podcast",
      attached("podcast", {
        artist: "Tea Talk",
        title: "One",
        url: "https://psv4.userapi.com/1.mp3",
        podcast_info: { description: "About cups" },
      }),
      [
        file(
          "audio",
          "https://psv4.userapi.com/1.mp3",
          { mimeType: "audio/mpeg", name: "Tea Talk – One.mp3" },
          "About cups",
        ),
      ],
    ],
    [
      "video message with its transcript",
      attached("video_message", { id: 5, owner_id: 111, transcript: "good day" }),
      [text("good day", "https://vk.com/video111_5")],
    ],
    [
      "short video",
      attached("clip", { id: 5, owner_id: GROUP, title: "Steam" }),
      [text("Steam", "https://vk.com/clip-200000001_5")],
    ],
    [
      "set of stories",
      attached("narrative", { id: 5, owner_id: GROUP, title: "Best of" }),
      [text("Best of", "https://vk.com/narrative-200000001_5")],
    ],
    ["answered call", attached("call", { state: "reached", initiator_id: 111 }), []],
    [
      "call of a group",
      attached("group_call_in_progress", { join_link: "https://vk.com/call/join/abc" }),
      [text("https://vk.com/call/join/abc")],
    ],
    [
      "gift with its words",
      attached("gift", { id: 1, thumb_256: "https://vk.com/gift.png" }, { text: "For you" }),
      [file("image", "https://vk.com/gift.png", { mimeType: "image/png" }, "For you")],
    ],
    [
      "sticker of a person, and one of which only the number is known",
      {
        attachments: [
          {
            type: "ugc_sticker",
            ugc_sticker: { images: [{ url: "https://vk.com/ugc.png", width: 512, height: 512 }] },
          },
          { type: "sticker", sticker: { sticker_id: 9008, product_id: 1 } },
        ],
      },
      [
        file("image", "https://vk.com/ugc.png", { mimeType: "image/png" }),
        file("image", "https://vk.com/sticker/1-9008-512", { mimeType: "image/png" }),
      ],
    ],
    [
      "transfer of money",
      attached("money_transfer", { id: 1, amount: { amount: "10000", text: "100 ₽" }, comment: "For tea" }),
      [shown("money_transfer", "100 ₽", "For tea")],
    ],
    [
      "request of money",
      attached("money_request", { amount: { text: "100 ₽" }, init_url: "https://vk.com/pay?1" }),
      [shown("money_request", "100 ₽", "https://vk.com/pay?1")],
    ],
    [
      "mini app",
      attached("mini_app", { app: { id: 7, title: "Tables" }, description: "Book a table" }),
      [text("Tables", "Book a table", "https://vk.com/app7")],
    ],
    [
      "event",
      attached("event", { id: 12, text: "Tasting", address: "Tea street 1" }),
      [text("Tasting", "Tea street 1", "https://vk.com/event12")],
    ],
    [
      "community",
      attached("group", { id: 13, name: "Tea club", status: "Every Monday" }),
      [text("Tea club", "Every Monday", "https://vk.com/club13")],
    ],
    [
      "curator",
      attached("curator", { id: 14, name: "Tess", description: "Calm music" }),
      [text("Tess", "Calm music", "https://vk.com/music/curator/14")],
    ],
    [
      "text broadcast",
      attached("textlive", { textlive_id: 15, title: "The final" }),
      [text("The final", "https://vk.com/textlive15")],
    ],
    [
      "playlist",
      attached("audio_playlist", { id: 16, owner_id: GROUP, title: "Rain", description: "For evenings" }),
      [text("Rain", "For evenings", "https://vk.com/music/playlist/-200000001_16")],
    ],
    [
      "artist",
      attached("artist", { id: "17", domain: "thecups", name: "The Cups" }),
      [text("The Cups", "https://vk.com/artist/thecups")],
    ],
    [
      "page of donations",
      attached("donut_link", {
        text: "Support us",
        action: { url: "https://vk.com/donut/shop" },
        button: { title: "Join", action: { url: "https://vk.com/donut/shop?join" } },
      }),
      [text("Support us", "https://vk.com/donut/shop", "Join (https://vk.com/donut/shop?join)")],
    ],
    [
      "carousel of cards",
      attached("pretty_cards", {
        cards: [{ title: "Cup", price: { text: "3 €" }, link_url: "https://shop.example/c" }],
      }),
      [text("Cup", "3 €", "https://shop.example/c")],
    ],
    [
      "photo without any size",
      attached("photo", { id: 4, owner_id: 111, text: "The label", sizes: [] }),
      [text("The label", "https://vk.com/photo111_4")],
    ],
    [
      "photo whose sizes have no width",
      attached("photo", {
        sizes: [
          { type: "s", url: "https://vk.com/s.jpg", width: 0, height: 0 },
          { type: "w", url: "https://vk.com/w.jpg", width: 0, height: 0 },
          { type: "x", url: "https://vk.com/x.jpg", width: 0, height: 0 },
        ],
      }),
      [image("https://vk.com/w.jpg")],
    ],
    [
      "photo with sizes written as text",
      attached("photo", {
        sizes: [
          { url: "https://vk.com/big.jpg", width: "900", height: "900" },
          { url: "https://vk.com/small.jpg", width: 80, height: 80 },
        ],
      }),
      [image("https://vk.com/big.jpg")],
    ],
    [
      "later kind",
      attached("whiteboard", { title: "Plan", items: [{ text: "Buy tea" }], secret_number: 5 }),
      [shown("whiteboard", "Plan", "Buy tea")],
    ],
  ])("%s", (_, message, expected) => expect(bodiesOf(message)).toEqual(expected));
});

describe("a forwarded message", () => {
  const forwarded = { from_id: 7, conversation_message_id: 3, date: 1_789_999_999 };

  it("has its words quoted at every depth, below the person's own, and each file as an item", () => {
    expect(
      bodiesOf({
        text: "Does it suit?",
        fwd_messages: [
          {
            ...forwarded,
            text: "Two\nlines",
            attachments: [photo("a"), { type: "video", video: { id: 7, owner_id: 7, title: "A film" } }],
            fwd_messages: [
              {
                ...forwarded,
                text: "Deep",
                attachments: [
                  { type: "doc", doc: { title: "Invoice.pdf", ext: "pdf", url: "https://vk.com/doc2_1" } },
                ],
              },
            ],
            reply_message: { ...forwarded, text: "Asked before" },
          },
          {
            ...forwarded,
            geo: { coordinates: { latitude: 1, longitude: 2 }, place: { title: "Cafe Luna" } },
          },
        ],
      }),
    ).toEqual([
      image(
        "https://sun1.userapi.com/a.jpg",
        [
          "Does it suit?",
          "> Two",
          "> lines",
          "> A film",
          "> https://vk.com/video7_7",
          "> Deep",
          "> Asked before",
        ].join("\n"),
      ),
      file("document", "https://vk.com/doc2_1", { name: "Invoice.pdf" }),
      { type: "geo", latitude: 1, longitude: 2, text: "> Cafe Luna" },
    ]);
  });

  it("gives a message without words of its own a file", () => {
    expect(bodiesOf({ text: "", fwd_messages: [{ ...forwarded, attachments: [photo("a")] }] })).toEqual([
      image("https://sun1.userapi.com/a.jpg"),
    ]);
  });
});

describe("a message", () => {
  it.each<[string, object, readonly object[]]>([
    [
      "with a place keeps the place's name and address",
      {
        text: "here",
        geo: {
          coordinates: { latitude: "1.5", longitude: 2 },
          place: { title: "Cafe Luna", address: "Tea street 1" },
        },
      },
      [{ type: "geo", latitude: 1.5, longitude: 2, text: "here\nCafe Luna\nTea street 1" }],
    ],
    [
      "with coordinates as one text",
      { geo: { coordinates: "55.75 37.62" } },
      [{ type: "geo", latitude: 55.75, longitude: 37.62, text: "" }],
    ],
    [
      "with a place of which only the name is known",
      { geo: { place: { title: "Cafe Luna" } } },
      [text("Cafe Luna")],
    ],
    [
      "with a carousel",
      {
        text: "Our cups",
        template: {
          type: "carousel",
          elements: [
            {
              title: "Cup",
              description: "Blue",
              buttons: [{ action: { type: "open_link", label: "Buy", link: "https://shop.example/c" } }],
            },
          ],
        },
      },
      [text("Our cups", "Cup", "Blue", "Buy (https://shop.example/c)")],
    ],
    ["without anything is none", { text: "", attachments: [] }, []],
    ["that only opens the chat by a link", { text: "", ref: "promo7" }, [text("/start promo7")]],
    ["of a button without a label", { text: "", payload: '{"data":"yes"}' }, [text("yes")]],
    [
      "with two photos, of which the second has its own id",
      { text: "Both", attachments: [photo("a"), photo("b")] },
      [image("https://sun1.userapi.com/a.jpg", "Both"), image("https://sun1.userapi.com/b.jpg")],
    ],
  ])("%s", (_, message, expected) => expect(bodiesOf(message)).toEqual(expected));

  it.each([
    ['{"command":"start"}', '{"command":"start"}'],
    [{ command: "start" }, '{"command":"start"}'],
    ['{"data":"no"}', "no"],
    ['"Yes"', "Yes"],
    ["5", "5"],
    ["not json", "not json"],
  ])("has the payload %j of a button", (payload, expected) => {
    expect(eventsOf({ text: "Go", payload })).toMatchObject([
      { message: { pressed: { text: "Go", payload: expected } } },
    ]);
    const press = { type: "message_event", object: { ...NEW, user_id: 111, event_id: "e", payload } };
    expect(toEvents(readEvent(press), CONTEXT)).toMatchObject([
      { message: { pressed: { payload: expected } } },
    ]);
  });
});

describe("an edit", () => {
  const edit = (message: object) => eventsOf({ update_time: 1_790_000_100, ...message }, "message_edit");

  it("names every part, and brings a file that it adds", () => {
    expect(edit({ text: "New", attachments: [photo("a"), photo("b")] })).toMatchObject([
      { kind: "message", message: { externalId: "40#2" } },
      { kind: "edited", ref: { externalId: "40" }, body: { text: "New", file: {} } },
      { kind: "edited", ref: { externalId: "40#2" }, body: { file: {} } },
    ]);
  });

  it("without content is none", () => expect(edit({ text: "", attachments: [] })).toEqual([]));
});

it("finds the types that are not known, at every depth", () => {
  const later = { type: "whiteboard", whiteboard: {} };
  const post = {
    type: "wall",
    wall: { copy_history: [{ attachments: [{ type: "hologram", hologram: {} }] }] },
  };
  const { message } = readEvent({
    type: "message_new",
    object: {
      message: {
        attachments: [post, photo("a")],
        fwd_messages: [{ fwd_messages: [{ attachments: [later] }] }],
      },
    },
  });
  expect(unknownTypes(message)).toEqual(["hologram", "whiteboard"]);
  expect(toBodies({})).toEqual([]);
});
