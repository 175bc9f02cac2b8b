import { describe, expect, it } from "vitest";
import { parseFileToken } from "./inbound/file-token.ts";
import { toEvents } from "./inbound.ts";
import { ANN, GROUP, SELF, SUPERGROUP, sample } from "./testing.ts";

const NOW = new Date("2026-09-21T15:00:00Z");
const told = (name: string) => toEvents(sample(name), { selfId: SELF, now: NOW });
const from = (messageId: number) => ({ chatType: "telegram", chatId: ANN, externalId: String(messageId) });

describe("messages", () => {
  it("have sender, content, time and chat", () => {
    expect(told("text")).toEqual([
      {
        kind: "message",
        message: {
          ...from(101),
          direction: "in",
          sentAt: new Date(1_790_000_101_000),
          contact: {
            name: "Ann Lee",
            username: "ann_lee",
            phone: "79990000002",
            avatar: expect.objectContaining({ mimeType: "image/jpeg" }),
          },
          body: { type: "text", text: "Good morning 👋" },
        },
      },
    ]);
  });

  it.each([
    ["their own contact", Number(ANN), "79001112233"],
    ["another person's contact", 0, "79990000002"],
  ])("of a person who shares %s", (_, userId, phone) => {
    const raw = JSON.stringify(sample("contact")).replace('"userId":0', `"userId":${userId}`);
    const events = toEvents(JSON.parse(raw), { selfId: SELF, now: NOW });
    expect(events).toMatchObject([{ message: { contact: { phone }, body: { type: "vcard" } } }]);
  });

  it.each([
    ["photo", { type: "media", media: "image", text: "Look", file: { size: 180_000 } }],
    ["video", { type: "media", media: "video", text: "Clip", file: { name: "clip.mp4" } }],
    ["round-video", { type: "media", media: "video", file: { mimeType: "video/mp4" } }],
    ["gif", { type: "media", media: "video" }],
    ["voice", { type: "media", media: "audio", file: { mimeType: "audio/ogg" } }],
    ["music", { type: "media", media: "audio", file: { name: "song.mp3", size: 4_100_000 } }],
    ["document", { type: "media", media: "document", text: "The offer", file: { name: "offer.pdf" } }],
    ["sticker", { type: "media", media: "image", text: "", file: { mimeType: "image/webp" } }],
    ["sticker-animated", { type: "media", media: "document", file: { name: "sticker.tgs" } }],
    ["contact", { type: "vcard", vcard: expect.stringContaining("FN:Carl Moe") }],
    ["place", { type: "geo", latitude: 55.75, longitude: 37.62, text: "" }],
    ["venue", { type: "geo", latitude: 55.75, text: "Café, Main street 1" }],
    ["poll", { type: "text", text: "Lunch?\n• Yes\n• No" }],
    ["dice", { type: "unsupported", what: "dice" }],
    ["view-once", { type: "unsupported", what: "disappearing media" }],
    ["missed-call", { type: "missing_call" }],
  ])("%s", (name, body) => expect(told(name)).toMatchObject([{ kind: "message", message: { body } }]));

  it("files can be opened later, also with an expired reference", () => {
    const [event] = told("photo");
    const body = event?.kind === "message" ? event.message.body : undefined;
    expect(body?.type === "media" && parseFileToken(body.file.token)).toEqual({
      of: "photo",
      id: "5368123456789012345",
      hash: "7012345678901234567",
      reference: "AQADAgATqwEAA3Bob3Rv",
      dc: 2,
      size: "y",
      place: { chatId: ANN, messageId: "104" },
    });
  });

  it.each([
    ["reply", { externalId: "99", body: { type: "text", text: "At noon?" } }],
    ["story-reply", { externalId: `story:${SELF}:12`, body: { type: "unsupported", what: "story" } }],
  ])("%s", (name, quoted) => expect(told(name)).toMatchObject([{ message: { quoted } }]));

  it("an echo from the phone", () => {
    expect(told("echo")).toMatchObject([
      { message: { ...from(120), direction: "echo", contact: { name: "Ann Lee" } } },
    ]);
  });

  it.each([
    ["group-text", GROUP, "Team", { id: ANN, name: "Ann Lee" }],
    ["supergroup-text", SUPERGROUP, "Customers", { id: "512340009", name: "Bob" }],
  ])("%s", (name, chatId, title, sender) => {
    expect(told(name)).toMatchObject([
      { message: { chatType: "telegroup", chatId, contact: { name: title }, sender } },
    ]);
  });

  it("ignores channels, Telegram's service account and saved messages", () => {
    expect(told("channel-post")).toEqual([]);
    const to = (userId: number) => ({
      update: {
        _: "updateNewMessage",
        message: {
          _: "message",
          id: 1,
          peerId: { _: "peerUser", userId },
          date: 1_790_000_000,
          message: "x",
        },
      },
      known: [],
    });
    const context = { selfId: SELF, now: NOW };
    expect([777000, Number(SELF)].flatMap((userId) => toEvents(to(userId), context))).toEqual([]);
  });
});

describe("changes of messages", () => {
  it("an edit", () => {
    expect(told("edit")).toEqual([
      {
        kind: "edited",
        ref: from(101),
        body: { type: "text", text: "Good evening" },
        at: new Date(1_790_000_900_000),
      },
    ]);
  });

  it("ignores a hidden edit", () => {
    const letter = structuredClone(sample("edit")) as { update: { message: object } };
    Object.assign(letter.update.message, { editHide: true });
    expect(toEvents(letter, { selfId: SELF, now: NOW })).toEqual([]);
  });

  it("deletions, by the stored chats of the messages", () => {
    expect(told("deletion")).toEqual([
      { kind: "deleted", ref: from(101), at: NOW },
      { kind: "deleted", ref: from(102), at: NOW },
    ]);
    expect(told("supergroup-deletion")).toMatchObject([
      { kind: "deleted", ref: { chatType: "telegroup", chatId: SUPERGROUP, externalId: "55" } },
    ]);
  });

  it.each([
    ["a person", { _: "updateUserTyping", userId: Number(ANN) }, "telegram", ANN],
    ["a group", { _: "updateChatUserTyping", chatId: 77, fromId: { userId: 5 } }, "telegroup", "-77"],
    [
      "a supergroup",
      { _: "updateChannelUserTyping", channelId: 77, fromId: { userId: 5 } },
      "telegroup",
      "-1000000000077",
    ],
  ])("typing in the chat of %s; nothing else that is done there", (_name, update, chatType, chatId) => {
    const typing = (action: string, more: object = {}) =>
      toEvents(
        { update: { ...update, ...more, action: { _: action } }, known: [] },
        { selfId: SELF, now: NOW },
      );
    expect(typing("sendMessageTypingAction")).toEqual([{ kind: "typing", chatType, chatId, seconds: 6 }]);
    expect(typing("sendMessageCancelAction")).toEqual([]);
    const own = { userId: Number(SELF) };
    expect(typing("sendMessageTypingAction", chatType === "telegram" ? own : { fromId: own })).toEqual([]);
  });

  it("read receipts", () => {
    expect(told("read")).toEqual([
      { kind: "readUpTo", chatType: "telegram", chatId: ANN, upTo: { externalId: "130" }, at: NOW },
    ]);
  });
});

describe("groups", () => {
  const person = (id: string, name: string) => ({ person: { id, name } });
  const bob = person("512340009", "Bob");
  it.each([
    ["notice-created", "added", [person(ANN, "Ann Lee"), person(SELF, "Shop"), bob]],
    ["notice-added", "added", [bob]],
    ["notice-removed", "removed", [bob]],
    ["notice-left", "left", [bob]],
    ["admin", "promoted", [bob]],
  ])("%s", (name, change, people) => {
    const members = people.map((each) => ({ change, ...each }));
    expect(told(name)).toMatchObject([{ kind: "members", title: "Team", members }]);
  });

  it("gives a promotion, which has no time of its own, whole seconds like those of Telegram", () => {
    const events = toEvents(sample("admin"), { selfId: SELF, now: new Date("2026-09-21T15:00:00.900Z") });
    expect(events).toMatchObject([{ at: new Date("2026-09-21T15:00:00Z") }]);
  });

  it.each([
    ["notice-title", { kind: "group", title: "Crew", by: { name: "Ann Lee" } }],
    ["notice-photo", { kind: "group", picture: { size: 52_000 } }],
    ["notice-photo-gone", { kind: "group", picture: null }],
    ["notice-migrated", { kind: "moved", chatId: GROUP, newChatId: SUPERGROUP }],
  ])("%s", (name, event) => expect(told(name)).toMatchObject([event]));
});

describe("reactions", () => {
  interface Letter {
    readonly update: { readonly message?: object; readonly reactions?: object };
    readonly known: readonly object[];
  }
  const reacted = sample("reaction") as unknown as Letter;
  const by = { id: ANN, name: "Ann Lee" };
  const own = { kind: "reaction", ref: from(120), emoji: null, at: NOW };
  it.each([
    ["reaction", { emoji: "👍", at: new Date(1_790_000_130_000) }],
    ["reaction-removed", { emoji: null, at: NOW }],
  ])("%s: both people of a private chat", (name, theirs) => {
    const events = told(name);
    expect(events).toHaveLength(2);
    expect(events).toEqual(expect.arrayContaining([{ ...own, by, ...theirs }, own]));
  });

  it.each([
    ["with reactions", reacted.update.reactions, ["👍", null]],
    ["without reactions", undefined, []],
  ])("a hidden edit %s is no edit", (_, reactions, emoji) => {
    const { update } = sample("edit") as unknown as Letter;
    const message = { ...update.message, editHide: true, ...(reactions !== undefined && { reactions }) };
    const letter = { update: { ...update, message }, known: reacted.known };
    const events = toEvents(letter, { selfId: SELF, now: NOW });
    expect(events).toHaveLength(emoji.length);
    expect(events).toEqual(
      expect.arrayContaining(
        emoji.map((each) => expect.objectContaining({ kind: "reaction", ref: from(101), emoji: each })),
      ),
    );
  });

  it("a group names only the newest ones", () => {
    const raw = JSON.stringify(sample("reaction")).replace(
      `"peer":{"_":"peerUser","userId":${ANN}}`,
      `"peer":{"_":"peerChat","chatId":${GROUP.slice(1)}}`,
    );
    const events = toEvents(JSON.parse(raw.replace('"count":1', '"count":9,"chosenOrder":0')), {
      selfId: SELF,
      now: NOW,
    });
    expect(events).toMatchObject([{ ref: { chatId: GROUP }, emoji: "👍", by }]);
  });
});
