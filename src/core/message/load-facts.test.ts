import { describe, expect, it } from "vitest";
import { NO_DETAILS } from "../../../test/kit/message-details.ts";
import type { Keyboard } from "../transport/keyboard.ts";
import { type FactRow, factOf } from "./load-facts.ts";

const PUBLIC_URL = "https://gate.example";
const SENT_AT = new Date("2030-01-02T03:04:05.678Z");

const row = (more: Partial<FactRow> = {}): FactRow => ({
  account_id: 7,
  id: "m1",
  channel_id: "h1",
  chat: "c1",
  chat_type: "telegram",
  chat_id: "111",
  contact_name: "Ann",
  username: null,
  phone: null,
  direction: "in",
  type: "text",
  status: "inbound",
  error: null,
  text: "hello",
  content: null,
  file_key: null,
  file_name: null,
  file_mime: null,
  file_size: null,
  avatar_key: null,
  avatar_name: null,
  author_id: null,
  author_name: null,
  sender: null,
  sent_at: SENT_AT,
  edited_at: null,
  deleted_at: null,
  old_info: null,
  quoted: null,
  quoted_id: null,
  q_type: null,
  q_status: null,
  q_text: null,
  q_direction: null,
  q_error: null,
  q_content: null,
  q_author_id: null,
  q_author_name: null,
  q_sender: null,
  q_sent_at: null,
  q_edited_at: null,
  q_deleted_at: null,
  q_old_info: null,
  q_file_key: null,
  q_file_name: null,
  ...more,
});
const fact = (more: Partial<FactRow>) => factOf(row(more), PUBLIC_URL);

it("reads every column", () => {
  const sender = { id: "9", name: "Bob" };
  const read = fact({
    username: "ann",
    phone: "79001112233",
    avatar_key: "k0",
    avatar_name: "ann.jpg",
    author_id: "crm-1",
    author_name: "Eve",
    sender,
    edited_at: SENT_AT,
    deleted_at: SENT_AT,
    old_info: { oldText: "helo" },
  });
  expect(read).toEqual({
    accountId: 7,
    messageId: "m1",
    channelId: "h1",
    chat: "c1",
    chatType: "telegram",
    chatId: "111",
    sentAt: SENT_AT,
    type: "text",
    status: "inbound",
    error: null,
    text: "hello",
    contentUri: null,
    file: { name: null, mimeType: null, size: null },
    isEcho: false,
    sentFromApp: false,
    authorId: "crm-1",
    authorName: "Eve",
    contact: {
      name: "Ann",
      username: "ann",
      phone: "79001112233",
      avatarUri: "https://gate.example/files/k0/ann.jpg",
      profileId: null,
    },
    extras: {},
    interactive: [],
    quoted: null,
    sender,
    isEdited: true,
    isDeleted: true,
    oldInfo: { oldText: "helo" },
  });
});

it.each([
  ["in", false],
  ["out", true],
  ["echo", true],
] as const)("a message %s: echo %s", (direction, isEcho) => expect(fact({ direction }).isEcho).toBe(isEcho));

it("a message from our own chat page is a marked echo", () => {
  expect(fact({ direction: "out", content: { fromApp: true } })).toMatchObject({
    isEcho: true,
    sentFromApp: true,
  });
});

it("a comment has its post", () => {
  const post = { id: "1", src: "https://social.example/1", author: "shop", description: "New" };
  expect(fact({ content: { post } }).extras).toEqual({ post });
});

it("only a failed message has an error", () => {
  const error = { code: "SPAM", description: "Suspected spam" };
  expect(fact({ direction: "out", status: "error", error }).error).toEqual(error);
  expect(fact({ direction: "out", status: "sent", error }).error).toBeNull();
});

describe("contentUri", () => {
  const attachment = { url: "https://crm.example/a.png" };
  it.each<[string, Partial<FactRow>, string | null]>([
    ["no file", {}, null],
    ["a stored file", { file_key: "k1", file_name: "a.png" }, "https://gate.example/files/k1/a.png"],
    ["a stored file without a name", { file_key: "k1" }, "https://gate.example/files/k1"],
    ["a stored file with an empty name", { file_key: "k1", file_name: "" }, "https://gate.example/files/k1"],
    [
      "a name that needs escapes",
      { file_key: "k1", file_name: "фото 1/2?.png" },
      "https://gate.example/files/k1/%D1%84%D0%BE%D1%82%D0%BE%201%2F2%3F.png",
    ],
    ["the client's own link", { direction: "out", content: { attachment } }, attachment.url],
  ])("%s", (_, columns, uri) => expect(fact(columns).contentUri).toBe(uri));
});

describe("the file", () => {
  const columns = { file_key: "k1", file_name: "a.png", file_mime: "image/png", file_size: 12 };
  it.each<[string, Partial<FactRow>, object]>([
    ["none", {}, { name: null, mimeType: null, size: null }],
    ["a stored one", columns, { name: "a.png", mimeType: "image/png", size: 12 }],
    [
      "the client's, as far as told",
      { content: { attachment: { url: "https://crm.example/b.pdf", name: "b.pdf" } } },
      { name: "b.pdf", mimeType: null, size: null },
    ],
  ])("%s", (_, row, file) => expect(fact(row).file).toEqual(file));
});

describe("interactive", () => {
  const a = { text: "A", payload: "a" };
  const link = { text: "B", url: "https://x.example/" };
  const reply = { oneTime: true, resize: true, selective: true };
  it.each<[string, Keyboard, object[]]>([
    [
      "inline",
      { kind: "inline", rows: [[a], [link]] },
      [
        { type: "callback", ...a },
        { type: "link", ...link },
      ],
    ],
    [
      "reply",
      { kind: "reply", rows: [[{ text: "A" }, { text: "B" }]], ...reply },
      [
        { type: "text", text: "A" },
        { type: "text", text: "B" },
      ],
    ],
    ["interactive", { kind: "interactive", buttons: [a] }, [{ type: "text", ...a }]],
    [
      "rows",
      {
        kind: "rows",
        rows: [[{ type: "callback", intent: "positive", ...a }], [{ type: "message", text: "C" }]],
      },
      [
        { type: "callback", ...a },
        { type: "message", text: "C" },
      ],
    ],
    ["remove", { kind: "remove", selective: false }, []],
  ])("%s buttons of ours", (_, keyboard, items) => {
    expect(fact({ direction: "out", content: { keyboard } }).interactive).toEqual(items);
  });

  it("the button that was pressed", () => {
    expect(fact({ content: { pressed: a } }).interactive).toEqual([{ type: "pressed", ...a }]);
  });
});

describe("quoted", () => {
  const POST = { id: "1", src: "https://social.example/1", author: "shop", description: "New" };
  const ADVERT = { id: "2", title: "Mazda 3 2008" };
  const stored: Partial<FactRow> = {
    quoted_id: "q1",
    q_type: "image",
    q_status: "read",
    q_text: "look",
    q_direction: "out",
    q_sent_at: SENT_AT,
  };
  const expected = {
    messageId: "q1",
    type: "image",
    status: "read",
    text: "look",
    contentUri: null,
    isEcho: true,
    authorName: null,
    sentAt: SENT_AT,
    contact: { name: "Ann", username: null, phone: null, avatarUri: null, profileId: null },
    details: NO_DETAILS,
  };
  it.each<[string, Partial<FactRow>, object]>([
    ["a message of ours", stored, expected],
    [
      "one with the client's link",
      { ...stored, q_content: { attachment: { url: "https://crm.example/a.png" } } },
      { ...expected, contentUri: "https://crm.example/a.png" },
    ],
    [
      "one with a stored file",
      { ...stored, q_file_key: "k2", q_file_name: "a.png" },
      { ...expected, contentUri: "https://gate.example/files/k2/a.png" },
    ],
    [
      "one written on the phone",
      { ...stored, q_direction: "echo", q_author_name: "Eve" },
      { ...expected, isEcho: true, authorName: "Eve" },
    ],
    ["one of the customer", { ...stored, q_direction: "in" }, { ...expected, isEcho: false }],
    [
      "one with everything that a message may have",
      {
        ...stored,
        contact_name: "",
        username: "ann",
        avatar_key: "k0",
        avatar_name: "ann.jpg",
        q_direction: "in",
        q_status: "error",
        q_error: { code: "SPAM", description: "Suspected spam" },
        q_content: {
          fromApp: true,
          pressed: { text: "Yes", payload: "y" },
          post: POST,
          advert: ADVERT,
          profileId: "5",
        },
        q_author_id: "crm-1",
        q_sender: { id: "9", name: "Bob" },
        q_edited_at: SENT_AT,
        q_deleted_at: SENT_AT,
        q_old_info: { oldText: "lok" },
      },
      {
        ...expected,
        status: "error",
        isEcho: false,
        contact: {
          name: "ann",
          username: "ann",
          phone: null,
          avatarUri: "https://gate.example/files/k0/ann.jpg",
          profileId: "5",
        },
        details: {
          error: { code: "SPAM", description: "Suspected spam" },
          sentFromApp: true,
          authorId: "crm-1",
          extras: { post: POST, advert: ADVERT },
          interactive: [{ type: "pressed", text: "Yes", payload: "y" }],
          sender: { id: "9", name: "Bob" },
          isEdited: true,
          isDeleted: true,
          oldInfo: { oldText: "lok" },
        },
      },
    ],
    [
      "one that only the messenger knows",
      { quoted: { externalId: "55", type: "text", text: "old", authorName: "Bob" } },
      {
        messageId: null,
        type: "text",
        status: null,
        text: "old",
        contentUri: null,
        isEcho: null,
        authorName: "Bob",
        sentAt: null,
        contact: null,
        details: null,
      },
    ],
    [
      "what is stored rather than what the messenger says",
      { ...stored, quoted: { externalId: "55", type: "text", text: "old" } },
      expected,
    ],
  ])("%s", (_, columns, quoted) => expect(fact(columns).quoted).toEqual(quoted));

  it("nothing once the quoted message is deleted", () => {
    expect(fact({ quoted_id: "q1" }).quoted).toBeNull();
  });
});
