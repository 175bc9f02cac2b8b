import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NO_DETAILS } from "../../../test/kit/message-details.ts";
import { asStatus } from "../channel-status.ts";
import { creationEvent } from "./creation-payloads.ts";
import type { Event } from "./event.ts";
import type { ChannelFact, CreationFact, GroupFact, MessageFact, QuotedFact, StatusFact } from "./facts.ts";
import { groupEvent, membersEvent } from "./group-payloads.ts";
import {
  channelEvents,
  editedElsewhereEvents,
  messageEvents,
  newQrEvents,
  phoneEvents,
  renamedChannelEvents,
  statusEvents,
  templateEvents,
  tierEvents,
} from "./payloads.ts";
import { channelV2Event, exportEvent } from "./v2-payloads.ts";

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
  file: { name: null, mimeType: null, size: null },
  isEcho: false,
  sentFromApp: false,
  authorId: null,
  authorName: null,
  contact: { name: "Ann", username: null, phone: null, avatarUri: null, profileId: null },
  extras: {},
  interactive: [],
  quoted: null,
  sender: null,
  isEdited: false,
  isDeleted: false,
  oldInfo: null,
  ...more,
});
const CONTACT = { name: "Ann", username: null, phone: null, avatarUri: null, profileId: null };
/** A quoted message with every field that a message may have. */
const FULL_QUOTE: QuotedFact = {
  messageId: QUOTED,
  type: "text",
  status: "error",
  text: "Is it?",
  contentUri: null,
  isEcho: true,
  authorName: "Eve",
  sentAt: EARLIER,
  contact: {
    name: "Ann",
    username: "ann",
    phone: "79001112233",
    avatarUri: "https://gate.example/files/k0/ann.jpg",
    profileId: "141906442",
  },
  details: {
    error: { code: "SPAM", description: "Suspected spam", data: "[403] x" },
    sentFromApp: true,
    authorId: "crm-1",
    extras: {
      post: { id: "17900", src: "https://social.example/p/17900", author: "our.shop", description: "New in" },
      advert: { id: "1768287444", title: "Mazda 3 2008" },
    },
    interactive: [{ type: "link", text: "B", url: "https://x.example/" }],
    sender: { id: "9", name: "Bob" },
    isEdited: true,
    isDeleted: true,
    oldInfo: { oldText: "Is t?", oldAuthorId: "crm-2" },
  },
};
const REFERRAL = {
  source: "ad",
  sourceId: "1202",
  sourceUrl: "https://fb.example/x",
  headline: "Summer sale",
  body: "Half price",
  ref: "promo7",
  clickId: "Aff-n8",
} as const;
const OF_MESSAGE = { accountId: 7, channelId: CHANNEL, chat: CHAT, subject: MESSAGE };
const STATUS = {
  accountId: 7,
  messageId: MESSAGE,
  requestId: MESSAGE,
  channelId: CHANNEL,
  chat: CHAT,
  at: AT,
};
/** Bodies by kind. */
const bodies = (events: readonly Event[]): Record<string, object> =>
  Object.fromEntries(events.map(({ kind, body }) => [kind, body]));
const OUTGOING = { status: "delivered", isEcho: true, authorId: "crm-1", authorName: "Eve" } as const;

describe("messages of v3", () => {
  it.each<[string, Partial<MessageFact>]>([
    ["message-inbound", {}],
    [
      "message-contact",
      {
        contact: {
          name: "Ann",
          username: "ann",
          phone: "79001112233",
          avatarUri: "https://gate.example/files/k0/ann.jpg",
          profileId: null,
        },
      },
    ],
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
      "message-app",
      { status: "sent", isEcho: true, sentFromApp: true, authorId: "crm-1", authorName: "Eve" },
    ],
    [
      "message-comment",
      {
        chatType: "instagram",
        chatId: "ann.shop",
        extras: {
          post: {
            id: "17900",
            src: "https://social.example/p/17900",
            author: "our.shop",
            description: "New in",
            likes: 12,
            previewSrc: "https://social.example/p/17900.jpg",
          },
        },
      },
    ],
    [
      "message-advert",
      {
        chatType: "avito",
        chatId: "u2i-1",
        contact: { name: "Ann", username: null, phone: null, avatarUri: null, profileId: "141906442" },
        extras: {
          advert: {
            id: "1768287444",
            title: "Mazda 3 2008",
            url: "https://avito.ru/1768287444",
            price: "300 000 ₽",
          },
        },
      },
    ],
    [
      "message-notice",
      { chatType: "avito", chatId: "u2i-1", text: "The order is paid", extras: { isSystem: true } },
    ],
    ["message-referral", { extras: { referral: REFERRAL } }],
    ["message-structured", { text: "Size: 42", interactive: [{ type: "form", payload: '{"size":42}' }] }],
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
          isEcho: true,
          authorName: "Eve",
          sentAt: EARLIER,
          contact: CONTACT,
          details: NO_DETAILS,
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
          contact: CONTACT,
          details: NO_DETAILS,
        },
      },
    ],
    ["message-quoting-full", { quoted: FULL_QUOTE }],
    [
      "message-quoting-unknown",
      {
        quoted: {
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
      },
    ],
  ])("%s", (name, fact) => expectSample(name, bodies(messageEvents(message(fact)))["messages"]));

  it("keeps the order of its chat", () => {
    expect(messageEvents(message())).toMatchObject([
      { ...OF_MESSAGE, kind: "messages" },
      { ...OF_MESSAGE, kind: "message.add" },
    ]);
  });
});

describe("messages of v2", () => {
  const file = { name: "a.png", mimeType: "image/png", size: 1_234 };
  it.each<[string, Partial<MessageFact>]>([
    [
      "v2-message-inbound",
      { contact: { name: "Ann", username: "ann", phone: "79001112233", avatarUri: null, profileId: null } },
    ],
    ["v2-message-group", { chatType: "telegroup", chatId: "-100123", sender: { id: "9", name: "Bob" } }],
    [
      "v2-message-answer",
      {
        text: "Yes",
        interactive: [{ type: "pressed", text: "Yes", payload: "order:1:yes" }],
        quoted: {
          messageId: QUOTED,
          type: "text",
          status: "read",
          text: "Is it?",
          contentUri: null,
          isEcho: true,
          authorName: "Eve",
          sentAt: EARLIER,
          contact: CONTACT,
          details: NO_DETAILS,
        },
      },
    ],
    ["v2-message-quoting-full", { quoted: FULL_QUOTE }],
    [
      "v2-message-echo",
      {
        status: "sent",
        isEcho: true,
        type: "image",
        text: null,
        contentUri: "https://gate.example/files/k1/a.png",
        file,
      },
    ],
    [
      "v2-message-edited",
      {
        ...OUTGOING,
        isEdited: true,
        oldInfo: { oldText: "helo", oldAuthorId: "crm-2", oldAuthorName: "Max" },
      },
    ],
    [
      "v2-message-failed",
      {
        ...OUTGOING,
        sentFromApp: true,
        status: "error",
        error: { code: "SPAM", description: "Suspected spam", data: "[403] x" },
      },
    ],
    [
      "v2-message-comment",
      {
        chatType: "instagram",
        chatId: "ann.shop",
        extras: {
          post: {
            id: "17900",
            src: "https://social.example/p/17900",
            author: "our.shop",
            description: "New in",
            previewSrc: "https://social.example/p/17900.jpg",
          },
        },
      },
    ],
    [
      "v2-message-advert",
      {
        chatType: "avito",
        chatId: "u2i-1",
        extras: {
          advert: {
            id: "1768287444",
            title: "Mazda 3 2008",
            url: "https://avito.ru/1768287444",
            price: "300 000 ₽",
          },
        },
      },
    ],
    [
      "v2-message-notice",
      { chatType: "avito", chatId: "u2i-1", text: "The order is paid", extras: { isSystem: true } },
    ],
    ["v2-message-referral", { extras: { referral: REFERRAL } }],
    ["v2-message-structured", { text: "Size: 42", interactive: [{ type: "form", payload: '{"size":42}' }] }],
    ["v2-message-deleted", { ...OUTGOING, isEdited: true, isDeleted: true, oldInfo: { oldText: "hello" } }],
  ])("%s", (name, fact) => {
    const { messages: _, ...v2 } = bodies(messageEvents(message(fact)));
    expectSample(name, v2);
  });

  it("an edit in the messenger is a status for v3 and an edit for v2", () => {
    const status = { ...STATUS, status: "edited", error: null } as const;
    const events = editedElsewhereEvents(message({ ...OUTGOING, isEdited: true }), status);
    expect(events.map(({ kind }) => kind)).toEqual(["statuses", "message.edit"]);
  });
});

describe("statuses", () => {
  const status = (of: Pick<StatusFact, "status" | "error">): Event[] => statusEvents({ ...STATUS, ...of });
  const body = (of: Pick<StatusFact, "status" | "error">) => bodies(status(of))["statuses"];

  it("every status", () => {
    const statuses = ["sent", "delivered", "read", "edited"] as const;
    expectSample(
      "statuses",
      statuses.map((each) => body({ status: each, error: null })),
    );
  });

  it("an error with and without more detail", () => {
    const error = { code: "BAD_CONTACT", description: "There is no such chat" };
    const errors = [error, { ...error, data: "[400] Bad Request: chat not found" }];
    expectSample(
      "statuses-error",
      errors.map((each) => body({ status: "error", error: each })),
    );
  });

  it("keeps the order of its chat", () => {
    expect(status({ status: "sent", error: null })).toMatchObject([
      { ...OF_MESSAGE, kind: "statuses" },
      { ...OF_MESSAGE, kind: "message.status_update" },
    ]);
  });

  it("statuses of v2", () => {
    const error = { code: "BAD_CONTACT", description: "There is no such chat" };
    expectSample("v2-statuses", [
      bodies(status({ status: "delivered", error: null }))["message.status_update"],
      bodies(status({ status: "error", error }))["message.status_update"],
      bodies(statusEvents({ ...STATUS, requestId: null, status: "read", error: null }))[
        "message.status_update"
      ],
    ]);
  });
});

describe("channels", () => {
  const fact = (more: Partial<ChannelFact>): ChannelFact => ({
    accountId: 7,
    channelId: CHANNEL,
    transport: "whatsapp",
    status: asStatus("init", null),
    phoneUnavailable: false,
    name: "Shop",
    phone: "79001112233",
    username: "shop",
    tier: null,
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
    [
      "channel-password-hint",
      {
        status: asStatus("init", "wait_for_password"),
        name: "",
        phone: "",
        username: "",
        passwordHint: "first pet",
      },
    ],
    ["channel-qr", { status: asStatus("init", "qr"), qr: "data:image/png;base64,iVBORw0KGgo=" }],
    ["channel-qridle", { status: asStatus("disabled", "qridle") }],
    ["channel-business", { status: asStatus("active", null), tier: "TIER_1K" }],
  ])("%s", (name, more) => {
    const events = channelEvents(fact(more));
    expectSample(name, bodies(events));
    for (const { accountId, channelId, chat, subject } of events)
      expect({ accountId, channelId, chat, subject }).toEqual({
        accountId: 7,
        channelId: CHANNEL,
        chat: CHANNEL,
        subject: CHANNEL,
      });
  });

  it("a new QR code alone is not a change of status", () => {
    const qr = "data:image/png;base64,iVBORw0KGgo=";
    expectSample("channel-new-qr", bodies(newQrEvents({ ...fact({ status: asStatus("init", "qr") }), qr })));
  });

  it("an unavailable phone is reported on v3, which has a state for it", () => {
    const events = phoneEvents(fact({ status: asStatus("active", null), phoneUnavailable: true }));
    expectSample("channel-phone-unavailable", bodies(events));
  });

  it("a restriction of the account is reported on both, and so is its end", () => {
    const active = fact({ status: asStatus("active", null) });
    const since = new Date("2026-03-01T10:00:00.000Z");
    const until = new Date("2026-03-02T10:00:00.000Z");
    const restrictions = [
      { kind: "new_chats", reason: "No new chats", since, until },
      { kind: "quality", reason: "People complain", since, until: null },
    ] as const;
    expectSample("channel-restricted", bodies(channelEvents({ ...active, restrictions })));
    const ended = channelEvents({ ...active, restrictions: [] });
    expect(ended.map(({ body }) => body)).toEqual([
      expect.objectContaining({ restrictions: [] }),
      expect.objectContaining({ restrictions: [] }),
    ]);
  });

  it("a new name is reported on v2, which has a field for it", () => {
    const events = renamedChannelEvents(fact({ status: asStatus("active", null) }));
    expect(events.map(({ kind }) => kind)).toEqual(["channel.status_update"]);
  });

  it("a change of the tier", () => {
    const active = asStatus("active", null);
    expectSample("channel-tier", bodies(tierEvents(fact({ status: active, tier: "TIER_10K" }))));
  });

  it.each([
    ["channel.create", "init"],
    ["channel.delete", "disabled"],
  ] as const)("%s", (kind, status) => {
    const event = channelV2Event(kind, fact({ status: asStatus(status, null) }));
    expectSample(kind.replace(".", "-"), bodies([event]));
  });
});

describe("templates and exports", () => {
  it("moderation of a template", () => {
    const template = { templateId: "t-1", name: "order_ready", status: "APPROVED" } as const;
    const events = templateEvents({ accountId: 7, channelId: CHANNEL, ...template });
    expectSample("template", bodies(events));
    for (const event of events) expect(event).toMatchObject({ accountId: 7, chat: CHANNEL, subject: "t-1" });
  });

  it.each([
    ["export-done", "done", "https://gate.example/exports/k1/messages.csv"],
    ["export-pending", "pending", null],
  ] as const)("%s", (name, status, url) => {
    const event = exportEvent({ accountId: 7, exportId: MESSAGE, status, url });
    expect(event).toMatchObject({ accountId: 7, channelId: null, chat: MESSAGE, subject: MESSAGE });
    expectSample(name, bodies([event]));
  });
});

describe("groups", () => {
  const bob = { id: "9", name: "Bob", username: "bob" };
  const group = (more: Partial<GroupFact> = {}): GroupFact => ({
    accountId: 7,
    channelId: CHANNEL,
    chat: CHAT,
    chatType: "telegroup",
    chatId: "-100123",
    name: "Team",
    avatarUri: "https://gate.example/files/k0/team.jpg",
    at: AT,
    by: bob,
    ...more,
  });
  const nobody = { by: null };
  it.each<[string, Event]>([
    ["group-renamed", groupEvent(group(), { changes: ["name"], oldName: "Old team" })],
    ["group-pictured", groupEvent(group(nobody), { changes: ["avatar"], oldName: null })],
    [
      "group-unpictured",
      groupEvent(group({ ...nobody, avatarUri: null }), { changes: ["avatar"], oldName: null }),
    ],
    [
      "group-members",
      membersEvent(group(), [
        { change: "added", person: { id: "10", name: "Ann", phone: "79001112233" } },
        { change: "removed", person: { id: "11", name: "Max", username: "max" } },
      ]),
    ],
  ])("%s", (name, { body, kind, ...event }) => {
    expectSample(name, body);
    expect(kind).toBe(name === "group-members" ? "group_chat.memberships_update" : "group_chat.update");
    expect(event).toEqual({ accountId: 7, channelId: CHANNEL, chat: CHAT, subject: CHAT });
  });
});

describe("creationEvent", () => {
  const base = { accountId: 7, channelId: CHANNEL, chat: CHAT, creationId: QUOTED };
  const contact: CreationFact["request"] = {
    responsibleUserId: "crm-1",
    name: "Ann",
    contactData: [{ chatType: "telegram", chatId: "111" }],
    source: "auto",
  };
  const deal: CreationFact["request"] = {
    responsibleUserId: "crm-1",
    contacts: ["contact-7"],
    source: "byUser",
  };
  const client = { chatId: "111", chatType: "telegram", name: "Ann", username: "ann", phone: null } as const;
  it.each<[string, string, Pick<CreationFact, "request" | "version">]>([
    ["create-contact", "createContact", { request: contact, version: "v3" }],
    ["create-deal", "createDeal", { request: deal, version: "v3" }],
    ["v2-contact-add", "crm_entities.contact_add", { request: contact, version: "v2" }],
    ["v2-deal-add", "crm_entities.deal_add", { request: deal, version: "v2" }],
  ])("%s", (name, kind, asked) => {
    const { body, ...event } = creationEvent({
      ...base,
      ...asked,
      client: asked.request === contact ? client : null,
    });
    expectSample(name, body);
    expect(event).toEqual({ accountId: 7, kind, channelId: CHANNEL, chat: QUOTED, subject: CHAT });
  });
});

it("every sample has its case", () => {
  expect(used.toSorted()).toEqual(readdirSync(SAMPLES).toSorted());
});
