import { describe, expect, it } from "vitest";
import { Unreadable } from "../kit/json.ts";
import { toEvents } from "./inbound.ts";
import { CONTEXT, sample } from "./testing.ts";
import { readEvent } from "./update.ts";

const events = (name: string) => toEvents(readEvent(sample(name)), CONTEXT);
const picture = {
  type: "media",
  media: "image",
  file: { token: "https://sun1.userapi.com/x.jpg", mimeType: "image/jpeg" },
};

/** The expected bodies of each sample. */
const bodies: readonly { readonly name: string; readonly expected: readonly object[] }[] = [
  { name: "text", expected: [{ type: "text", text: "Hello 👋" }] },
  { name: "photo", expected: [{ ...picture, text: "Look" }] },
  {
    name: "several",
    expected: [
      { ...picture, text: "Both" },
      {
        type: "media",
        media: "document",
        file: { token: "https://vk.com/doc111_5?hash=1", name: "offer.pdf", size: 20480 },
        text: "",
      },
    ],
  },
  {
    name: "voice",
    expected: [
      {
        type: "media",
        media: "audio",
        file: { token: "https://psv4.userapi.com/1.ogg", mimeType: "audio/ogg" },
        text: "",
      },
    ],
  },
  {
    name: "sticker",
    expected: [
      {
        type: "media",
        media: "image",
        file: { token: "https://vk.com/sticker/1-9-512", mimeType: "image/png" },
        text: "",
      },
    ],
  },
  { name: "geo", expected: [{ type: "geo", latitude: 55.75, longitude: 37.62, text: "Moscow" }] },
  { name: "video", expected: [{ type: "text", text: "A film\nhttps://vk.com/video111_7" }] },
  { name: "wall", expected: [{ type: "text", text: "See\nhttps://vk.com/wall-200000001_8\n> A post" }] },
  { name: "market", expected: [{ type: "text", text: "A kettle\nhttps://vk.com/product-200000001_9" }] },
  { name: "call", expected: [{ type: "missing_call" }] },
  { name: "forward", expected: [{ type: "text", text: "> Old words" }] },
  {
    name: "forward-deep",
    expected: [
      {
        ...picture,
        file: { ...picture.file, token: "https://sun1.userapi.com/f.jpg" },
        text: "Does it suit?\n> Their words\n> Older words",
      },
      {
        type: "media",
        media: "document",
        file: { token: "https://vk.com/doc333_6?hash=1", name: "bill.pdf", size: 2048 },
        text: "",
      },
    ],
  },
  {
    name: "later-kind",
    expected: [{ type: "unsupported", what: "whiteboard", text: "Plan\nBuy tea" }],
  },
];

describe("toEvents", () => {
  it.each([
    ["reaction", "👍"],
    ["reaction-removed", null],
    ["reaction-unknown", null],
  ])("%s", (name, emoji) => {
    const ref = { chatType: "vk", chatId: "111", externalId: "30" };
    expect(events(name)).toEqual([
      { kind: "reaction", ref, emoji, at: CONTEXT.now, by: { id: "111", name: "Ann Bell" } },
    ]);
  });

  it("the community's own reaction, set on VK's page", () => {
    const raw = sample("reaction");
    const object = { ...(raw["object"] as object), reacted_id: -200000001 };
    expect(toEvents(readEvent({ ...raw, object }), CONTEXT)).toMatchObject([
      { kind: "reaction", emoji: "👍" },
    ]);
    expect(toEvents(readEvent({ ...raw, object }), CONTEXT)[0]).not.toHaveProperty("by");
  });

  it.each([
    [
      { type: "chat_title_update", text: "Team 2" },
      [{ kind: "group", ref: { chatId: "2000000001" }, title: "Team 2" }],
    ],
    [{ type: "chat_invite_user", member_id: 111 }, []],
  ])("a service message of a group chat: %j", (action, expected) => {
    const raw = structuredClone(sample("group-chat")) as { object: { message: object } };
    Object.assign(raw.object.message, { action });
    expect(toEvents(readEvent(raw), CONTEXT)).toMatchObject(expected);
  });

  it.each(bodies)("bodies of $name", ({ name, expected }) => {
    expect(events(name).map((event) => event.kind === "message" && event.message.body)).toEqual(expected);
  });

  it("complete message", () => {
    expect(events("text")).toEqual([
      {
        kind: "message",
        message: {
          chatType: "vk",
          chatId: "111",
          externalId: "17",
          direction: "in",
          sentAt: new Date(1_790_000_000_000),
          contact: {
            name: "Ann Bell",
            username: "annb",
            avatar: { token: "https://sun1.userapi.com/a.jpg" },
          },
          body: { type: "text", text: "Hello 👋" },
        },
      },
    ]);
    expect(events("several").map((event) => event.kind === "message" && event.message.externalId)).toEqual([
      "19",
      "19#2",
    ]);
  });

  it("quotes, button presses, group chats", () => {
    expect(events("reply")).toMatchObject([
      { message: { quoted: { externalId: "16", body: { text: "Which one?" } } } },
    ]);
    expect(events("button")).toMatchObject([{ message: { pressed: { text: "Yes", payload: "yes" } } }]);
    expect(events("press")).toMatchObject([
      { message: { externalId: "press:0f1e2d", pressed: { payload: "no" }, quoted: { externalId: "30" } } },
    ]);
    expect(events("group-chat")).toMatchObject([
      {
        message: { chatId: "2000000001", contact: { name: "Team" }, sender: { id: "111", name: "Ann Bell" } },
      },
    ]);
  });

  it("tells which link a message came from", () => {
    const referral = { source: "link", sourceId: "newsletter", ref: "promo7" };
    expect(events("referral")).toMatchObject([{ message: { body: { text: "Hello" }, referral } }]);
  });

  it.each([
    [
      { state: "typing", from_id: 111, to_id: -200000001 },
      [{ kind: "typing", chatType: "vk", chatId: "111", seconds: 10 }],
    ],
    [{ state: "other", from_id: 111, to_id: -200000001 }, []],
    [{ state: "typing", from_id: -200000001, to_id: 111 }, []],
  ])("typing: %j", (object, told) => {
    const event = { type: "message_typing_state", event_id: "1", group_id: 200000001, object };
    expect(toEvents(readEvent(event), CONTEXT)).toEqual(told);
  });

  it("edits, read receipts, and messages written on VK's page", () => {
    expect(events("edited")).toMatchObject([{ kind: "edited", ref: { externalId: "17" } }]);
    expect(events("read")).toMatchObject([{ kind: "readUpTo", chatId: "111", upTo: { externalId: "30" } }]);
    expect(events("echo")).toMatchObject([{ message: { direction: "echo", chatId: "111" } }]);
    expect(events("allow")).toEqual([]);
  });

  it("ignores messages sent by the API", () => {
    const { object, ...rest } = sample("echo") as { object: Record<string, unknown> };
    const { admin_author_id: _, ...sent } = object;
    expect(toEvents(readEvent({ ...rest, object: { ...sent, random_id: 77 } }), CONTEXT)).toEqual([]);
  });

  it("a person whose name could not be fetched has none, so that the stored name stays", () => {
    const unknown = { ...CONTEXT, personOf: () => undefined };
    expect(toEvents(readEvent(sample("text")), unknown)).toMatchObject([
      { message: { contact: { name: "" } } },
    ]);
    expect(toEvents(readEvent(sample("group-chat")), unknown)).toMatchObject([
      { message: { contact: { name: "Team" }, sender: { id: "111", name: "111" } } },
    ]);
  });

  it("rejects payloads that are not events", () => {
    expect(() => readEvent([])).toThrow(Unreadable);
    expect(() => toEvents(readEvent({ type: "message_new", object: {} }), CONTEXT)).toThrow("peer_id");
  });
});
