import { describe, expect, test } from "vitest";
import { DumpHeaderFault, type DumpOptions, dumpReader, timeOf, unescaped } from "./dump-row.ts";

const PHONE = "11111111-1111-4111-8111-111111111111";
const BOT = "22222222-2222-4222-8222-222222222222";
const options: DumpOptions = {
  channels: [
    { id: PHONE, transport: "whatsapp", chatTypes: ["whatsapp", "whatsgroup"] },
    { id: BOT, transport: "telegram", chatTypes: ["telegram", "telegroup"] },
  ],
  channelId: null,
  utcOffsetMinutes: 0,
  now: new Date("2026-06-01T00:00:00Z"),
  since: null,
};
const ROW = {
  direction: "inbound",
  transport: "whatsapp",
  chat_id: "79001234567",
  user_name: "Ann",
  user_username: "",
  user_phone: "79001234567",
  datetime: "2026-05-01T10:00:00.000Z",
  channel_id: PHONE,
  chat_type: "whatsapp",
  message_id: "33333333-3333-4333-8333-333333333333",
  type: "text",
  status: "inbound",
  text: "Hello",
  content_uri: "",
  author_name: "",
  is_edited: "false",
  is_deleted: "false",
};
function read(change: Partial<typeof ROW>, more: Partial<DumpOptions> = {}) {
  const row = { ...ROW, ...change };
  return dumpReader(Object.keys(row), { ...options, ...more })(Object.values(row));
}

test("a row with all columns", () => {
  expect(read({})).toEqual({
    message: {
      channelId: PHONE,
      chatType: "whatsapp",
      chatId: "79001234567",
      name: "Ann",
      username: null,
      phone: "79001234567",
      isInbound: true,
      type: "text",
      status: "inbound",
      text: "Hello",
      contentUri: null,
      authorName: null,
      isEdited: false,
      isDeleted: false,
      sentAt: new Date("2026-05-01T10:00:00Z"),
      messageId: ROW.message_id,
    },
  });
});

test("a row with the columns that every dump has", () => {
  const header = ["Direction", "transport", "chatId", "userName", "userUsername", "userPhone", "dateTime"];
  const cells = ["outbound", "telegram", "111", "Ann", "@ann", "", "2026-05-01 10:00:00"];
  expect(dumpReader(header, options)(cells)).toMatchObject({
    message: {
      channelId: BOT,
      chatType: "telegram",
      chatId: "111",
      username: "ann",
      isInbound: false,
      status: "sent",
      type: "unknown",
      messageId: null,
    },
  });
});

test("without a column that is needed, the header is named", () => {
  expect(() => dumpReader(["chat_id", "text"], options)).toThrow(
    new DumpHeaderFault(
      "The dump has no column direction and no column datetime; its columns are chat_id, text",
    ),
  );
});

describe("left out", () => {
  test.each([
    [{ channel_id: "44444444-4444-4444-8444-444444444444" }, "there is no channel 44444444"],
    [{ channel_id: "", transport: "viber" }, "the account has no channel of viber"],
    [{ direction: "sideways" }, "the direction is neither inbound nor outbound"],
    [{ datetime: "yesterday" }, "the datetime is no time"],
    [{ datetime: "2026-02-31T00:00:00Z" }, "the datetime is no time"],
    [{ datetime: "1970-01-01T00:00:00Z" }, "the datetime is before 2000 or in the future"],
    [{ datetime: "2036-01-01T00:00:00Z" }, "the datetime is before 2000 or in the future"],
    [{ chat_id: " " }, "the chat_id is empty"],
    [{ chat_id: "Ann" }, "the chat_id is no id of whatsapp"],
    [{ chat_type: "viber" }, "whatsapp has no chats of the type viber"],
  ])("%j: %s", (change, fault) => {
    expect(read(change)).toMatchObject({ fault: expect.stringContaining(fault) });
  });

  test("a message that the retention would delete", () => {
    expect(read({}, { since: new Date("2026-05-02T00:00:00Z") })).toEqual({
      fault: "the message is older than MESSAGE_RETENTION_DAYS",
    });
  });

  test("a message that may be of several channels", () => {
    const channels = [...options.channels, { ...options.channels[0], id: BOT.replace("2", "5") }] as const;
    expect(read({ channel_id: "" }, { channels: channels as never })).toEqual({
      fault: "the dump does not name the channel, and the account has 2 of whatsapp",
    });
    expect(read({ channel_id: "" }, { channels: channels as never, channelId: PHONE })).toMatchObject({
      message: { channelId: PHONE },
    });
  });
});

test.each([
  [{ chat_id: "+7 (900) 123-45-67" }, { chatId: "79001234567" }],
  [
    { chat_id: "120363043968066561@g.us", chat_type: "" },
    { chatType: "whatsgroup", chatId: "120363043968066561" },
  ],
  [
    { chat_id: "79001234567@c.us", chat_type: "" },
    { chatType: "whatsapp", chatId: "79001234567" },
  ],
  [{ channel_id: PHONE.toUpperCase() }, { channelId: PHONE }],
  [{ direction: "outbound", status: "received" }, { status: "delivered" }],
  [{ direction: "outbound", status: "READ" }, { status: "read" }],
  [
    { direction: "outbound", status: "error", author_name: "Bob" },
    { status: "error", authorName: "Bob" },
  ],
  [{ author_name: "Bob" }, { authorName: null }],
  [
    { type: "image", content_uri: "https://example.com/a.jpg", text: "" },
    { type: "image", text: null },
  ],
  [{ type: "", content_uri: "https://example.com/a.jpg" }, { type: "document" }],
  [{ content_uri: "javascript:alert(1)" }, { contentUri: null }],
  [{ type: "hologram" }, { type: "text" }],
  [
    { type: "missing_call", text: "" },
    { type: "missing_call", text: null },
  ],
  [{ text: "'=SUM(A1)" }, { text: "=SUM(A1)" }],
  [
    { is_edited: "TRUE", is_deleted: "1" },
    { isEdited: true, isDeleted: true },
  ],
])("%j is read as %j", (change, message) => {
  expect(read(change)).toMatchObject({ message });
});

test.each([
  ["2026-05-01T10:00:00.123Z", 0, "2026-05-01T10:00:00.123Z"],
  ["2026-05-01T10:00:00.1234567Z", 0, "2026-05-01T10:00:00.123Z"],
  ["2026-05-01T13:00:00+03:00", 0, "2026-05-01T10:00:00.000Z"],
  ["2026-05-01T04:30:00-0530", 0, "2026-05-01T10:00:00.000Z"],
  ["2026-05-01 10:00:00", 0, "2026-05-01T10:00:00.000Z"],
  ["2026-05-01 13:00", 180, "2026-05-01T10:00:00.000Z"],
  ["2026-05-01", 0, "2026-05-01T00:00:00.000Z"],
  ["01.05.2026 13:00:05", 180, "2026-05-01T10:00:05.000Z"],
  ["01.05.2026, 10:00", 0, "2026-05-01T10:00:00.000Z"],
  ["1777629600", 180, "2026-05-01T10:00:00.000Z"],
  ["1777629600123", 0, "2026-05-01T10:00:00.123Z"],
])("the time %s, at %i minutes, is %s", (text, offset, expected) => {
  expect(timeOf(text, offset)?.toISOString()).toBe(expected);
});

test.each(["", "10:00", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z", "05/01/2026 10:00", "12"])(
  "%j is no time",
  (text) => {
    expect(timeOf(text, 0)).toBeNull();
  },
);

test.each([
  ["'+79001234567", "+79001234567"],
  ["'-5 degrees", "-5 degrees"],
  ["list:\n'- one\n'- two", "list:\n- one\n- two"],
  ["a;'=b", "a;=b"],
  ["'\ttab", "\ttab"],
  ["it's 5 o'clock", "it's 5 o'clock"],
  ["'quoted'", "'quoted'"],
])("%j was %j", (cell, text) => {
  expect(unescaped(cell)).toBe(text);
});
