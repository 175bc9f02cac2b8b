import { describe, expect, it } from "vitest";
import type { TransportEvent } from "../../core/transport/events.ts";
import { toEvents } from "./inbound.ts";
import { sample, sampleNames } from "./testing.ts";
import { readUpdate } from "./update.ts";

const NOW = new Date("2026-09-21T12:00:00Z");
const SENT = new Date(1790000000 * 1000);
const ANN = { name: "Ann B", username: "annb", avatar: { token: "avatar:111" } };
const TEAM = { name: "Team", username: "teamchat" };
const ANN_IN_GROUP = { id: "111", name: "Ann B" };

/** An inbound message from Ann in her private chat; `more` overrides fields. */
function message(body: object, more: object = {}): unknown {
  const base = {
    chatType: "telegram",
    chatId: "111",
    externalId: "15",
    direction: "in",
    sentAt: SENT,
    contact: ANN,
  };
  return { kind: "message", message: { ...base, body, ...more } };
}

function groupMessage(externalId: string, body: object, more: object = {}): unknown {
  const chat = { chatType: "telegroup", chatId: "-1001234567890", externalId, contact: TEAM };
  return message(body, { ...chat, sender: ANN_IN_GROUP, ...more });
}

function media(kind: string, file: object, text = ""): object {
  return { type: "media", media: kind, file, text };
}

const reacted = (emoji: string | null): unknown => ({
  kind: "reaction",
  ref: { chatType: "telegram", chatId: "111", externalId: "15" },
  emoji,
  by: { id: "111", name: "Ann B" },
  at: SENT,
});
const text = (words: string): object => ({ type: "text", text: words });
const moved = { kind: "moved", chatType: "telegroup", chatId: "-4012", newChatId: "-1001234567890" };
const photo = (token: string, more: object = {}): object => ({ token, mimeType: "image/jpeg", ...more });

const PERSON_ANN = { id: "111", name: "Ann B", username: "annb" };
const BOB = { id: "222", name: "Bob" };
const SHOP = { id: "123456", name: "Shop", username: "shop_bot" };
const inGroup = (externalId: string) => ({ chatType: "telegroup", chatId: "-1001234567890", externalId });
const group = (externalId: string, more: object) => ({
  kind: "group",
  ref: inGroup(externalId),
  at: SENT,
  ...more,
});
const joined = (externalId: string, more: object) => ({
  kind: "members",
  ref: inGroup(externalId),
  at: SENT,
  title: "Team",
  ...more,
});
/** A change of Bob's membership, made by Ann unless `by` says otherwise. */
const membership = (change: string, from: string, by: object = PERSON_ANN) => ({
  ...joined(`${change}:222:1790000100:${from}`, { by, members: [{ change, person: BOB }] }),
  at: new Date(1790000100 * 1000),
});

const CASES: Readonly<Record<string, readonly unknown[]>> = {
  text: [message(text("hi"))],
  photo: [message(media("image", photo("AgAClarge", { size: 90000 }), "c"))],
  "album-photo": [message(media("image", photo("AgACalbum")), { externalId: "16" })],
  video: [
    message(media("video", { token: "BAACv", name: "v.mp4", mimeType: "video/mp4", size: 5000 }, "look")),
  ],
  "video-note": [message(media("video", { token: "DQACn", mimeType: "video/mp4", size: 700 }))],
  animation: [message(media("video", { token: "CgACa", name: "a.mp4", mimeType: "video/mp4", size: 800 }))],
  voice: [message(media("audio", { token: "AwACv", mimeType: "audio/ogg", size: 9000 }))],
  audio: [
    message(media("audio", { token: "CQACm", name: "song.mp3", mimeType: "audio/mpeg", size: 3000000 })),
  ],
  document: [
    message(
      media("document", { token: "BQACd", name: "a.pdf", mimeType: "application/pdf", size: 1 }, "contract"),
    ),
  ],
  "document-image": [
    message(media("document", { token: "BQACi", name: "a.png", mimeType: "image/png", size: 10 })),
  ],
  sticker: [message(media("image", { token: "CAACs", mimeType: "image/webp", size: 2000 }))],
  "sticker-video": [message(media("video", { token: "CAACv", mimeType: "video/webm", size: 2001 }))],
  "sticker-animated": [
    message(
      media("document", {
        token: "CAACt",
        name: "sticker.tgs",
        mimeType: "application/x-tgsticker",
        size: 2002,
      }),
    ),
  ],
  "contact-own": [
    message(
      {
        type: "vcard",
        vcard:
          "BEGIN:VCARD\r\nVERSION:3.0\r\nN:B\\; C;Ann;;;\r\nFN:Ann B\\; C\r\nTEL;TYPE=CELL:+7 900 111-22-33\r\nEND:VCARD\r\n",
      },
      { contact: { ...ANN, phone: "79001112233" } },
    ),
  ],
  "contact-vcard": [
    message({
      type: "vcard",
      vcard: "BEGIN:VCARD\nVERSION:3.0\nFN:X\nTEL;TYPE=CELL:79001112233\r\nEND:VCARD",
    }),
  ],
  location: [message({ type: "geo", latitude: 55.7, longitude: 37.6, text: "" })],
  venue: [message({ type: "geo", latitude: 55.7, longitude: 37.6, text: "Cafe, Main St 1" })],
  poll: [message({ type: "unsupported", what: "poll", text: "?\n• a" })],
  "unknown-kind": [message({ type: "unsupported", what: "message" })],
  reply: [
    message(text("yes"), {
      quoted: { externalId: "14", body: text("agree"), part: "agree", authorName: "Shop" },
    }),
  ],
  "reply-external": [
    message(text("that one"), {
      quoted: { externalId: "external:-1009:7", body: text("price"), authorName: "News" },
    }),
  ],
  reaction: [reacted("👍")],
  "reaction-removed": [reacted(null)],
  started: [
    message(text("/start promo7"), { externalId: "19", referral: { source: "link", ref: "promo7" } }),
  ],
  "reply-story": [
    message(text("nice"), {
      quoted: {
        externalId: "story:111:3",
        body: { type: "unsupported", what: "story", text: "https://t.me/annb/s/3" },
        authorName: "Ann B",
        link: "https://t.me/annb/s/3",
      },
    }),
  ],
  "group-text": [groupMessage("40", text("hello all"))],
  "group-anonymous": [
    groupMessage("41", text("from the admins"), { sender: { id: "-1001234567890", name: "Team" } }),
  ],
  "topic-text": [groupMessage("42", text("in a topic"))],
  "group-own": [],
  "group-joined": [joined("44", { by: PERSON_ANN, members: [{ change: "added", person: SHOP }] })],
  "group-joined-many": [
    joined("75", {
      by: PERSON_ANN,
      members: [
        { change: "added", person: BOB },
        { change: "added", person: { id: "333", name: "Eve", username: "eve" } },
      ],
    }),
  ],
  "group-left": [joined("73", { by: BOB, members: [{ change: "left", person: BOB }] })],
  "group-removed": [joined("74", { by: PERSON_ANN, members: [{ change: "removed", person: BOB }] })],
  "group-renamed": [group("70", { by: PERSON_ANN, title: "Team" })],
  "group-pictured": [
    group("71", {
      by: { id: "-1001234567890", name: "Team", username: "teamchat" },
      picture: { token: "AgACl", mimeType: "image/jpeg" },
    }),
  ],
  "group-unpictured": [group("72", { by: PERSON_ANN, picture: null })],
  "group-migrated": [moved],
  "group-migrated-from": [moved],
  "member-joined": [membership("added", "left:member", BOB)],
  "member-added-as-administrator": [
    membership("added", "left:administrator"),
    membership("promoted", "left:administrator"),
  ],
  "member-promoted": [membership("promoted", "member:administrator")],
  "member-demoted": [membership("demoted", "administrator:member")],
  "member-left": [membership("left", "administrator:left", BOB)],
  "member-banned": [membership("removed", "restricted:kicked")],
  "member-restricted": [],
  "member-restricted-outside": [],
  "bot-removed": [
    {
      ...membership("removed", "member:kicked"),
      ref: inGroup("removed:123456:1790000100:member:kicked"),
      members: [{ change: "removed", person: SHOP }],
    },
  ],
  "bot-joined-channel": [],
  "edited-text": [
    {
      kind: "edited",
      ref: { chatType: "telegram", chatId: "111", externalId: "15" },
      body: text("hi!"),
      at: new Date(1790000050 * 1000),
    },
  ],
  "edited-live-location": [],
  press: [
    message(text("B"), {
      externalId: "callback:4382bfdwdsb323b2d9",
      sentAt: NOW,
      pressed: { text: "B", payload: "b1" },
      quoted: { externalId: "16", body: text("pick") },
    }),
  ],
  "press-inaccessible": [
    message(text("old"), {
      externalId: "callback:77",
      sentAt: NOW,
      pressed: { text: "old", payload: "old" },
      quoted: { externalId: "9" },
    }),
  ],
  "press-group": [
    groupMessage("callback:78", text("B"), {
      sentAt: NOW,
      pressed: { text: "B", payload: "b1" },
      quoted: { externalId: "60", body: text("pick") },
    }),
  ],
  "press-inline": [],
  blocked: [],
  "channel-post": [],
};

function read(name: string): TransportEvent[] {
  return toEvents(readUpdate(sample(name)), { botId: "123456", now: NOW });
}

describe("toEvents", () => {
  it.each(Object.entries(CASES))("%s", (name, expected) => {
    expect(read(name)).toEqual(expected);
  });

  it("every sample has a case", () => {
    // Those of single kinds of content are in `content.test.ts`.
    const names = sampleNames().filter((name) => !name.startsWith("kind-"));
    expect(Object.keys(CASES).toSorted()).toEqual(names.toSorted());
  });

  it.each(["paid_media", "dice", "game", "invoice", "checklist", "giveaway", "giveaway_winners"])(
    "maps %s to unsupported",
    (kind) => {
      const update = sample("unknown-kind");
      const [event] = toEvents(
        readUpdate({ ...update, message: { ...update.message, [kind]: {} } as never }),
        { botId: "1", now: NOW },
      );
      expect(event).toMatchObject({
        message: { body: { type: "unsupported", what: kind.replace("_", " ") } },
      });
    },
  );

  it("keeps ids beyond 32 bits", () => {
    const update = sample("text");
    const chat = { id: 9007199254740991, type: "private", first_name: "Far" };
    const [event] = toEvents(readUpdate({ ...update, message: { ...update.message, chat } as never }), {
      botId: "1",
      now: NOW,
    });
    expect(event).toMatchObject({ message: { chatId: "9007199254740991" } });
  });
});
