import { describe, expect, it } from "vitest";
import { Unreadable } from "../kit/json.ts";
import { toEvents } from "./inbound.ts";
import { CONTEXT, DIALOG, GROUP, sample } from "./testing.ts";
import { readUpdate } from "./update.ts";

const events = (name: string) => toEvents(readUpdate(sample(name)), CONTEXT);
const mid = (number: string) => `mid.000000001a9dbe2c019d47d58f2b3d${number}`;
const dialog = { chatType: "max", chatId: DIALOG };
const vcard = "BEGIN:VCARD\r\nVERSION:3.0\r\nTEL;TYPE=cell:79990000111\r\nFN:John Doe\r\nEND:VCARD\r\n";
const picture = {
  type: "media",
  media: "image",
  file: { token: "url:https://i.oneme.ru/i?r=1", mimeType: "image/jpeg" },
};

/** A sample whose message has these fields in its body. */
function withBody(name: string, changed: object): Record<string, unknown> {
  const raw = sample(name) as { readonly message: { readonly body: object } };
  return { ...raw, message: { ...raw.message, body: { ...raw.message.body, ...changed } } };
}

/** The expected bodies of each sample. */
const bodies: readonly (readonly [name: string, ...expected: readonly object[]])[] = [
  ["text", { type: "text", text: "Hello 👋" }],
  ["image", { ...picture, text: "Look" }],
  [
    "album",
    { ...picture, text: "Both" },
    { type: "media", media: "video", file: { token: "video:tok-v", mimeType: "video/mp4" }, text: "" },
  ],
  ["audio", { type: "media", media: "audio", file: { token: "url:https://a.oneme.ru/1.ogg" }, text: "" }],
  [
    "file",
    {
      type: "media",
      media: "document",
      file: { token: "url:https://fd.oneme.ru/getfile?1", name: "offer.pdf", size: 20480 },
      text: "",
    },
  ],
  [
    "sticker",
    {
      type: "media",
      media: "image",
      file: { token: "url:https://i.oneme.ru/s", mimeType: "image/webp" },
      text: "",
    },
  ],
  ["contact", { type: "vcard", vcard }],
  ["location", { type: "geo", latitude: 55.75, longitude: 37.62, text: "" }],
  ["share", { type: "text", text: "A kettle\nRed\nhttps://shop.example/1" }],
  ["share-preview", { type: "text", text: "Have a look: shop.example/kettles" }],
  [
    "forward-nested",
    {
      type: "media",
      media: "image",
      file: { token: "url:https://i.oneme.ru/i?r=5", mimeType: "image/jpeg" },
      text: "Is it still on?\n> Their offer:\n> 20 chairs\n> > Oak only",
    },
    {
      type: "media",
      media: "document",
      file: { token: "url:https://fd.oneme.ru/getfile?5", name: "chairs.pdf", size: 100 },
      text: "",
    },
    { type: "geo", latitude: 59.94, longitude: 30.31, text: "" },
  ],
  ["forward-only", { type: "text", text: "> Closed on Monday" }],
  ["forward-buttons", { type: "text", text: "> Book a table\n> Menu (https://cafe.example/menu)\n> Book" }],
  [
    "contact-person",
    {
      type: "vcard",
      vcard: "BEGIN:VCARD\r\nVERSION:3.0\r\nURL:https://max.ru/zoe_k\r\nFN:Zoe Kay\r\nEND:VCARD\r\n",
    },
  ],
  [
    "poll",
    { type: "text", text: "Vote, please" },
    { type: "unsupported", what: "poll", text: "Which day?\nFriday\nSunday" },
  ],
  ["links", { type: "text", text: "Prices (https://shop.example/prices) and 👋 Zoe (@zoe_k)" }],
  ["button-data", { type: "text", text: "Blue" }],
  [
    "voice-words",
    {
      type: "media",
      media: "audio",
      file: { token: "url:https://a.oneme.ru/2.ogg" },
      text: "call me back",
    },
  ],
  ["started", { type: "text", text: "/start promo7" }],
  [
    "forward",
    {
      type: "media",
      media: "image",
      file: { token: "url:https://i.oneme.ru/i?r=2", mimeType: "image/jpeg" },
      text: "See\n> Old words",
    },
  ],
];

describe("toEvents", () => {
  it.each(bodies.map(([name, ...expected]) => ({ name, expected })))(
    "bodies of $name",
    ({ name, expected }) => {
      expect(events(name).map((event) => event.kind === "message" && event.message.body)).toEqual(expected);
    },
  );

  it("complete message of a dialog", () => {
    expect(events("text")).toEqual([
      {
        kind: "message",
        message: {
          ...dialog,
          externalId: mid("01"),
          direction: "in",
          sentAt: new Date(1_790_000_000_000),
          contact: {
            name: "John Doe",
            username: "johnd",
            avatar: { token: "url:https://i.oneme.ru/i?r=large" },
          },
          body: { type: "text", text: "Hello 👋" },
        },
      },
    ]);
  });

  it("people who share their own contact tell their number; another person's contact does not", () => {
    const [shared] = events("contact");
    expect(shared).toMatchObject({ message: { contact: { name: "John Doe", phone: "79990000111" } } });
    const raw = JSON.stringify(sample("contact")).replace('"user_id":123456789,"first', '"user_id":1,"first');
    const others = toEvents(readUpdate(JSON.parse(raw)), CONTEXT);
    expect(others).toMatchObject([{ message: { body: { type: "vcard" } } }]);
    expect(others[0]).not.toHaveProperty("message.contact.phone");
  });

  it("each part of an album has its own id, and is removed with the album", () => {
    const ids = events("album").map((event) => event.kind === "message" && event.message.externalId);
    expect(ids).toEqual([mid("03"), `${mid("03")}#2`]);
    const removed = events("removed").map((event) => event.kind === "deleted" && event.ref.externalId);
    expect(removed.slice(0, 2)).toEqual([mid("01"), `${mid("01")}#2`]);
    expect(removed).toHaveLength(12);
  });

  it("reports an edit of each file of an album, and files that the edit added", () => {
    const first = mid("03");
    const image = (text: string) => ({ type: "media", media: "image", text });
    expect(events("edited-album")).toMatchObject([
      { kind: "edited", ref: { ...dialog, externalId: first }, body: image("Both, newer") },
      { kind: "message", message: { externalId: `${first}#2`, body: image("") } },
      { kind: "edited", ref: { ...dialog, externalId: `${first}#2` }, body: image("") },
    ]);
  });

  it.each([
    ["a text", "text", { text: null, attachments: null }],
    ["an edit", "edited", { text: "", attachments: [] }],
    ["an edit of a keyboard", "edited", { text: "", attachments: [{ type: "inline_keyboard" }] }],
  ])("%s without content makes no event", (_, name, empty) => {
    expect(toEvents(readUpdate(withBody(name, empty)), CONTEXT)).toEqual([]);
  });

  it("a message that only forwards has an id of its own", () => {
    const [forwarded] = events("forward-only");
    expect(forwarded).toMatchObject({ message: { externalId: "forward:mid.b1:1790000000000" } });
  });

  it("an answer to a button of a reply keyboard has its payload", () => {
    expect(events("button-data")).toMatchObject([
      { message: { body: { text: "Blue" }, pressed: { text: "Blue", payload: "color:blue" } } },
    ]);
    const alone = withBody("button-data", { text: null });
    expect(toEvents(readUpdate(alone), CONTEXT)).toMatchObject([
      { message: { body: { text: "color:blue" }, pressed: { payload: "color:blue" } } },
    ]);
  });

  it.each<[string, object, object | undefined]>([
    ["an image without an address", { type: "image", payload: {} }, { type: "unsupported", what: "image" }],
    [
      "a share without an address",
      { type: "share", payload: { token: "t" }, title: "Kettles" },
      { type: "text", text: "Kettles" },
    ],
    ["an empty share", { type: "share", payload: {} }, { type: "unsupported", what: "share" }],
    [
      "a place with a name",
      { type: "location", latitude: 1, longitude: 2, title: "Cafe" },
      { type: "geo", text: "Cafe" },
    ],
    [
      "a contact with a number beside its card",
      {
        type: "contact",
        payload: { vcf_info: "BEGIN:VCARD\nFN:Bo\nEND:VCARD", vcf_phone: "+7 900" },
      },
      { type: "vcard", vcard: "BEGIN:VCARD\nFN:Bo\nTEL;TYPE=CELL:+7 900\r\nEND:VCARD" },
    ],
    [
      "a contact without anything",
      { type: "contact", payload: {} },
      { type: "unsupported", what: "contact" },
    ],
    [
      "an unknown type with an address",
      { type: "story", payload: { url: "https://max.ru/s/1", id: "1" }, caption: "New!" },
      { type: "unsupported", what: "story", text: "https://max.ru/s/1\nNew!" },
    ],
    ["an unknown type without words", { type: "view_once" }, { type: "unsupported", what: "view_once" }],
  ])("body of %s", (_, attachment, expected) => {
    const update = readUpdate(withBody("text", { text: null, attachments: [attachment] }));
    expect(toEvents(update, CONTEXT)).toMatchObject([{ message: { body: expected } }]);
  });

  it("a quote has the words of the quoted message, also of what it forwards, and not its buttons", () => {
    const reply = {
      type: "reply",
      message: {
        mid: "mid.q",
        text: "Choose",
        attachments: [{ type: "inline_keyboard", payload: { buttons: [[{ type: "callback", text: "A" }]] } }],
        link: { type: "forward", message: { mid: "mid.r", text: "Old" } },
      },
    };
    const raw = withBody("text", { text: "This" });
    const update = readUpdate({ ...raw, message: { ...(raw["message"] as object), link: reply } });
    expect(toEvents(update, CONTEXT)).toMatchObject([
      {
        message: {
          body: { text: "This" },
          quoted: { externalId: "mid.q", body: { type: "text", text: "Choose\n> Old" } },
        },
      },
    ]);
  });

  it("the label of a press is that of a button that is pressed, not of a link beside it", () => {
    const raw = JSON.parse(
      JSON.stringify(sample("press"))
        .replaceAll('"payload":"yes"', '"x":1')
        .replaceAll('"type":"callback"', '"type":"link"'),
    );
    expect(toEvents(readUpdate(raw), CONTEXT)).toMatchObject([{ message: { pressed: { payload: "" } } }]);
  });

  it("tells which link opened the dialog", () =>
    expect(events("started")).toMatchObject([{ message: { referral: { source: "link", ref: "promo7" } } }]));

  it("a reply has a quote; a button press has label and payload", () => {
    expect(events("reply")).toMatchObject([
      { message: { quoted: { externalId: mid("01"), body: { text: "Which one?" } } } },
    ]);
    expect(events("press")).toMatchObject([
      {
        message: {
          ...dialog,
          externalId: "callback:f9LHodD0cOL",
          body: { text: "Yes" },
          pressed: { text: "Yes", payload: "yes" },
          quoted: { externalId: mid("0c"), body: { type: "text", text: "Shall we?" } },
        },
      },
    ]);
  });

  it("a press on a deleted message is assigned to the dialog of bot and person", () => {
    const { message: _, ...press } = sample("press") as Record<string, unknown>;
    const chatId = String(555_000_001n ^ 123_456_789n);
    expect(toEvents(readUpdate(press), CONTEXT)).toMatchObject([
      { message: { chatType: "max", chatId, body: { text: "yes" } } },
    ]);
  });

  it("edits, groups and group updates", () => {
    expect(events("edited")).toMatchObject([{ kind: "edited", ref: { externalId: mid("01") } }]);
    expect(events("group")).toMatchObject([
      {
        message: {
          chatType: "maxgroup",
          chatId: GROUP,
          contact: { name: "Team" },
          sender: { id: "123456789", name: "John Doe" },
        },
      },
    ]);
    expect(events("group-title")).toMatchObject([{ kind: "group", title: "Crew", by: { name: "John Doe" } }]);
    expect(events("group-added")).toMatchObject([
      { kind: "members", title: "Team", members: [{ change: "added", person: { id: "123456789" } }] },
    ]);
    expect(events("group-left")).toMatchObject([{ members: [{ change: "left" }] }]);
    expect(events("bot-added")).toMatchObject([
      { members: [{ change: "added", person: { id: "555000001" } }] },
    ]);
  });

  it("ignores own messages, channels and other update types", () => {
    const own = sample("text") as { message: { sender: { user_id: number } } };
    own.message.sender.user_id = 555_000_001;
    expect(toEvents(readUpdate(own), CONTEXT)).toEqual([]);
    const posted = sample("text") as { message: { recipient: { chat_type: string } } };
    posted.message.recipient.chat_type = "channel";
    expect(toEvents(readUpdate(posted), CONTEXT)).toEqual([]);
    expect(events("stopped")).toEqual([]);
    expect(() => readUpdate([])).toThrow(Unreadable);
  });
});
