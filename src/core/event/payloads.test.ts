import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asStatus } from "../channel/status.ts";
import type { ChannelFact, MessageFact, StatusFact } from "./facts.ts";
import { channelEvents, messageEvent, statusEvent } from "./payloads.ts";
import type { Event } from "./publish.ts";

const SAMPLES = new URL("samples/", import.meta.url);
const used: string[] = [];

/** Compares bodies with the sample file of that name, which is written by hand from the interface. */
function expectSample(name: string, bodies: unknown): void {
  used.push(`${name}.json`);
  const expected: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8"));
  expect(JSON.parse(JSON.stringify(bodies))).toEqual(expected);
}

const AT = new Date("2030-01-02T03:04:05.678Z");
const EARLIER = new Date("2030-01-02T03:00:00Z");
const CHANNEL = "0197a1b2-0000-7000-8000-00000000c001";
const CHAT = "0197a1b2-0000-7000-8000-00000000c4a7";
const MESSAGE = "0197a1b2-0000-7000-8000-0000000000a1";
const QUOTED = "0197a1b2-0000-7000-8000-0000000000b2";

const message = (more: Partial<MessageFact> = {}): MessageFact => ({
  accountId: 7,
  messageId: MESSAGE,
  channelId: CHANNEL,
  chat: CHAT,
  chatType: "telegram",
  chatId: "111",
  sentAt: AT,
  type: "text",
  status: "inbound",
  error: null,
  text: "hello",
  contentUri: null,
  isEcho: false,
  authorId: null,
  authorName: null,
  contact: { name: "Ann", username: null, phone: null },
  interactive: [],
  quoted: null,
  sender: null,
  isEdited: false,
  isDeleted: false,
  oldInfo: null,
  ...more,
});
const OUTGOING = { status: "delivered", authorId: "crm-1", authorName: "Eve" } as const;

describe("messageEvent", () => {
  it.each<[string, Partial<MessageFact>]>([
    ["message-inbound", {}],
    ["message-contact", { contact: { name: "Ann", username: "ann", phone: "79001112233" } }],
    [
      "message-file",
      { type: "image", text: null, contentUri: "https://gate.example/files/k1/a.png", chatType: "whatsapp" },
    ],
    ["message-group", { chatType: "telegroup", chatId: "-100123", sender: { id: "9", name: "Bob" } }],
    [
      "message-pressed",
      { text: "Yes", interactive: [{ type: "pressed", text: "Yes", payload: "order:1:yes" }] },
    ],
    ["message-missing-call", { type: "missing_call", text: null }],
    ["message-echo", { status: "sent", isEcho: true, authorName: "Eve" }],
    [
      "message-edited",
      {
        ...OUTGOING,
        isEdited: true,
        oldInfo: { oldText: "helo", oldAuthorId: "crm-2", oldAuthorName: "Max" },
        interactive: [
          { type: "callback", text: "A", payload: "a" },
          { type: "link", text: "B", url: "https://x.example/" },
        ],
      },
    ],
    ["message-deleted", { ...OUTGOING, isDeleted: true, oldInfo: { oldText: "hello" } }],
    [
      "message-failed",
      {
        ...OUTGOING,
        status: "error",
        error: { code: "SPAM", description: "Suspected spam", data: "[403] x" },
      },
    ],
    [
      "message-quoting",
      {
        quoted: {
          messageId: QUOTED,
          type: "image",
          status: "read",
          text: "look",
          contentUri: "https://crm.example/a.png",
          isEcho: false,
          authorName: "Eve",
          sentAt: EARLIER,
        },
      },
    ],
    [
      "message-quoting-echo",
      {
        quoted: {
          messageId: QUOTED,
          type: "text",
          status: "sent",
          text: "from the phone",
          contentUri: null,
          isEcho: true,
          authorName: "Eve",
          sentAt: EARLIER,
        },
      },
    ],
    [
      "message-quoting-unknown",
      {
        quoted: {
          messageId: "55",
          type: "unknown",
          status: null,
          text: null,
          contentUri: null,
          isEcho: false,
          authorName: null,
          sentAt: null,
        },
      },
    ],
  ])("%s", (name, fact) => expectSample(name, messageEvent(message(fact)).body));

  it("keeps the order of its chat", () => {
    expect(messageEvent(message())).toMatchObject({
      accountId: 7,
      kind: "messages",
      channelId: CHANNEL,
      chat: CHAT,
      subject: MESSAGE,
    });
  });
});

describe("statusEvent", () => {
  const status = (of: Pick<StatusFact, "status" | "error">): Event =>
    statusEvent({ accountId: 7, messageId: MESSAGE, channelId: CHANNEL, chat: CHAT, at: AT, ...of });

  it("every status", () => {
    const statuses = ["sent", "delivered", "read", "edited"] as const;
    expectSample(
      "statuses",
      statuses.map((each) => status({ status: each, error: null }).body),
    );
  });

  it("an error with and without more detail", () => {
    const error = { code: "BAD_CONTACT", description: "There is no such chat" };
    const errors = [error, { ...error, data: "[400] Bad Request: chat not found" }];
    expectSample(
      "statuses-error",
      errors.map((each) => status({ status: "error", error: each }).body),
    );
  });

  it("keeps the order of its chat", () => {
    expect(status({ status: "sent", error: null })).toMatchObject({
      accountId: 7,
      kind: "statuses",
      channelId: CHANNEL,
      chat: CHAT,
      subject: MESSAGE,
    });
  });
});

describe("channelEvents", () => {
  const channel = (more: Partial<ChannelFact>): Event[] =>
    channelEvents({
      accountId: 7,
      channelId: CHANNEL,
      transport: "whatsapp",
      status: asStatus("init", null),
      name: "Shop",
      phone: "79001112233",
      username: "shop",
      at: AT,
      qr: null,
      ...more,
    });

  it.each<[string, Partial<ChannelFact>]>([
    ["channel-active", { status: asStatus("active", null) }],
    ["channel-unpaid", { status: asStatus("disabled", "not_enough_money") }],
    [
      "channel-password",
      { status: asStatus("init", "wait_for_password"), name: "", phone: "", username: "" },
    ],
    ["channel-qr", { status: asStatus("init", "qr"), qr: "data:image/png;base64,iVBORw0KGgo=" }],
  ])("%s", (name, fact) => {
    const events = channel(fact);
    expectSample(name, Object.fromEntries(events.map(({ kind, body }) => [kind, body])));
    for (const { accountId, channelId, chat, subject } of events)
      expect({ accountId, channelId, chat, subject }).toEqual({
        accountId: 7,
        channelId: CHANNEL,
        chat: CHANNEL,
        subject: CHANNEL,
      });
  });
});

it("every sample has its case", () => {
  expect(used.toSorted()).toEqual(readdirSync(SAMPLES).toSorted());
});
