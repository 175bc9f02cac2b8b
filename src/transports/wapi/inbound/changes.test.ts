import { describe, expect, it } from "vitest";
import type { InboundMessage, TransportEvent } from "../../../core/transport/events.ts";
import { readItems } from "../inbound.ts";
import { MESSAGE_ID, PHONE_ID, sample, sampleNames, WABA_ID } from "../testing.ts";
import { type Change, readCallback, readOne } from "./changes.ts";

const read = (name: string): Change[] => readCallback(sample(name));
const events = (name: string): TransportEvent[] => read(name).flatMap((change) => change.events);
const message = (name: string): InboundMessage => {
  const [event] = events(name);
  if (event?.kind !== "message") throw new Error(`${name} is no message`);
  return event.message;
};

describe("messages", () => {
  const from = { chatType: "whatsapp", chatId: "16505551234", direction: "in" } as const;

  it("maps sender, content and time", () => {
    expect(message("text")).toEqual({
      ...from,
      externalId: "wamid.IN1",
      sentAt: new Date(1749416381_000),
      contact: { name: "Sheena Nelson", phone: "16505551234" },
      body: { type: "text", text: "Does it come in another color?" },
    });
    expect(read("text").map(({ concern }) => concern)).toEqual([{ phoneId: PHONE_ID }]);
  });

  it.each<[string, InboundMessage["referral"]]>([
    [
      "referral",
      {
        source: "ad",
        sourceId: "120226305854810726",
        sourceUrl: "https://fb.me/3cr4Wqqkv",
        headline: "Kettles",
        body: "A third off",
        clickId: "Aff-n8ZTODiE79d22KtAwQKj9e",
      },
    ],
    ["referral-product", { source: "product", sourceId: "kettle-7" }],
    ["text", undefined],
  ])("source of %s", (name, referral) => expect(message(name).referral).toEqual(referral));

  it.each<[string, InboundMessage["body"]]>([
    [
      "image",
      {
        type: "media",
        media: "image",
        file: { token: "1003383421387256", mimeType: "image/jpeg" },
        text: "Is this it?",
      },
    ],
    [
      "sticker",
      {
        type: "media",
        media: "image",
        file: { token: "1003383421387257", mimeType: "image/webp" },
        text: "",
      },
    ],
    [
      "video",
      { type: "media", media: "video", file: { token: "1003383421387258", mimeType: "video/mp4" }, text: "" },
    ],
    [
      "voice",
      {
        type: "media",
        media: "audio",
        file: { token: "1003383421387259", mimeType: "audio/ogg; codecs=opus" },
        text: "",
      },
    ],
    [
      "document",
      {
        type: "media",
        media: "document",
        file: { token: "1003383421387260", mimeType: "application/pdf", name: "order.pdf" },
        text: "Mine",
      },
    ],
    ["location", { type: "geo", latitude: 37.4421, longitude: -122.1615, text: "Philz\n101 Forest Ave" }],
    ["location-bare", { type: "geo", latitude: 37.4421, longitude: -122.1615, text: "" }],
    ["order", { type: "text", text: "x × 1, 7.99 USD" }],
    [
      "order-with-words",
      { type: "text", text: "please deliver today\nLAMP-2 × 2, 30 EUR\nBULB × 3, 4.5 EUR" },
    ],
    ["form-reply", { type: "text", text: "guest: Zoe\nwhen: 2026-12-01\nextras: parking, breakfast" }],
    ["address-reply", { type: "text", text: "Zoe\n4 Mill Lane, Pune\nvalues note: ring twice" }],
    [
      "location-link",
      {
        type: "geo",
        latitude: 18.52,
        longitude: 73.85,
        text: "The mill\n4 Mill Lane (https://mill.example/map)",
      },
    ],
    [
      "voice-type",
      {
        type: "media",
        media: "audio",
        file: { token: "1003383421387299", mimeType: "audio/ogg; codecs=opus" },
        text: "",
      },
    ],
    ["unsupported-type", { type: "unsupported", what: "poll creation" }],
    ["referral-only", { type: "text", text: "/start lamps-may" }],
    ["button-payload", { type: "text", text: "order:7:yes" }],
    ["unsupported", { type: "unsupported", what: "unsupported" }],
    ["flow-reply", { type: "text", text: "Sent" }],
    ["list-reply", { type: "text", text: "Express\nNext day" }],
  ])("%s", (name, body) => {
    expect(message(name)).toMatchObject({ ...from, body });
  });

  it("maps a contact to a vCard", () => {
    expect(message("contacts").body).toEqual({
      type: "vcard",
      vcard: [
        "BEGIN:VCARD",
        "VERSION:3.0",
        "N:Johnson;Barbara;",
        "FN:Barbara Johnson",
        "ORG:Social\\; Tsunami",
        "TEL;type=MOBILE;waid=16505595559:+1 650-559-5559",
        "EMAIL:b@example.com",
        "END:VCARD",
      ].join("\r\n"),
    });
  });

  it.each<[string, InboundMessage["answers"]]>([
    ["form-reply", [{ type: "flow", payload: expect.stringContaining('"guest": "Zoe"') }]],
    ["order-with-words", [{ type: "order", payload: expect.stringContaining('"catalog_id":"1"') }]],
    ["text", undefined],
  ])("structured answers of %s", (name, answers) => expect(message(name).answers).toEqual(answers));

  it("keeps the addresses of a contact", () => {
    expect(message("contact-address").body).toEqual({
      type: "vcard",
      vcard: [
        "BEGIN:VCARD",
        "VERSION:3.0",
        "N:Hill;Bob;;Dr.;",
        "FN:Dr. Bob Hill",
        "ORG:Mill;Flour",
        "TITLE:Miller",
        "EMAIL;type=WORK:bob@mill.example",
        "ADR;type=HOME:;;4 Mill Lane;Pune;MH;411001;India",
        "URL;type=WORK:https://mill.example",
        "BDAY:1990-02-03",
        "END:VCARD",
      ].join("\r\n"),
    });
  });

  it.each(["call-permission", "identity-changed", "edit-empty", "user-id-notice"])(
    "%s is no message",
    (name) => {
      expect(events(name).filter(({ kind }) => kind !== "activity")).toEqual([]);
      expect(read(name).flatMap(({ unread = [] }) => unread)).toEqual([]);
    },
  );

  it.each<[object, InboundMessage["body"], string]>([
    [
      { type: "riddle", riddle: { id: "9", text: "What has keys but no locks?" } },
      { type: "unsupported", what: "riddle", text: "What has keys but no locks?" },
      "type.riddle",
    ],
    [
      { type: "hologram", hologram: { id: "9", mime_type: "video/x-3d", caption: "Look" } },
      { type: "media", media: "video", file: { token: "9", mimeType: "video/x-3d" }, text: "Look" },
      "type.hologram",
    ],
    [
      { type: "interactive", interactive: { type: "stars_reply", stars_reply: { title: "Five" } } },
      { type: "unsupported", what: "stars reply", text: "Five" },
      "interactive.stars_reply",
    ],
    [
      { type: "image", image: { caption: "without a file" } },
      { type: "unsupported", what: "image", text: "without a file" },
      "",
    ],
    [{ type: "interactive" }, { type: "unsupported", what: "interactive" }, ""],
    [
      { type: "text", text: { body: "Hi" }, mood: { name: "merry" } },
      { type: "text", text: "Hi" },
      "field.mood",
    ],
  ])("shows what is new, and reports it: %j", (content, body, kind) => {
    const item = { id: "wamid.1", from: "79001112233", timestamp: "1749416500", ...content };
    const value = { metadata: { phone_number_id: PHONE_ID }, messages: [item] };
    const change = readOne({ field: "messages", value, entryId: WABA_ID });
    expect(change?.events).toMatchObject([{ kind: "message", message: { body } }]);
    expect((change?.unknown ?? []).map((part) => part.kind)).toEqual(kind === "" ? [] : [`messages.${kind}`]);
  });

  it("an edit of a caption may lack the file; one of an unknown kind is kept", () => {
    const edit = (message: object): Change | null => {
      const item = { id: "wamid.2", from: "79001112233", type: "edit" };
      const edited = { ...item, edit: { original_message_id: "wamid.1", message } };
      const value = { metadata: { phone_number_id: PHONE_ID }, messages: [edited] };
      return readOne({ field: "messages", value, entryId: WABA_ID });
    };
    const body = { type: "text", text: "better" };
    expect(edit({ type: "image", image: { caption: "better" } })?.events).toMatchObject([
      { kind: "edited", ref: { externalId: "wamid.1" }, body },
    ]);
    expect(edit({ type: "riddle", riddle: { text: "better" } })?.unread).toHaveLength(1);
  });

  it("names a contact without a name by its number", () => {
    const contacts = [{ phones: [{ phone: "+1 555" }] }];
    const item = { id: "wamid.2", from: "79001112233", type: "contacts", contacts };
    const value = { metadata: { phone_number_id: PHONE_ID }, messages: [item] };
    expect(readOne({ field: "messages", value, entryId: WABA_ID })?.events).toMatchObject([
      { message: { body: { vcard: expect.stringContaining("FN:+1 555") } } },
    ]);
  });

  it("takes the number that a person gives at the business's request", () => {
    expect(message("own-number")).toMatchObject({
      chatId: "US.77",
      contact: { name: "Zoe Hill", phone: "16505550123" },
      body: { type: "vcard", vcard: expect.stringContaining("FN:Zoe Hill") },
    });
    expect(read("own-number")[0]?.unknown).toBeUndefined();
  });

  it("takes a user id for no number, wherever it stands", () => {
    const item = {
      id: "wamid.1",
      from: "US.77",
      timestamp: "1749416500",
      type: "text",
      text: { body: "Hi" },
    };
    const value = { metadata: { phone_number_id: PHONE_ID }, messages: [item] };
    expect(readOne({ field: "messages", value, entryId: WABA_ID })?.events).toMatchObject([
      { kind: "message", message: { chatId: "US.77", contact: { name: "US.77" } } },
    ]);
    const [event] = readOne({ field: "messages", value, entryId: WABA_ID })?.events ?? [];
    expect(event?.kind === "message" && event.message.contact.phone).toBeUndefined();
  });

  it.each([
    ["template-button", { text: "Yes", payload: "order:7:yes" }, "wamid.OUT2"],
    ["button-reply", { text: "Change", payload: "change" }, "wamid.OUT3"],
    ["list-reply", { text: "Express", payload: "express" }, undefined],
  ])("%s", (name, pressed, quoted) => {
    const { body, pressed: found, quoted: of } = message(name);
    expect([found, of?.externalId]).toEqual([pressed, quoted]);
    expect(body).toMatchObject({ type: "text", text: expect.stringContaining(pressed.text) });
  });

  it("a reply names the quoted message; a forwarded message does not", () => {
    expect(message("reply").quoted).toEqual({ externalId: "wamid.OUT1" });
    expect(message("forwarded").quoted).toBeUndefined();
  });

  it("identifies a person without a number by user id", () => {
    expect(message("hidden-number")).toMatchObject({
      chatId: "US.13491208655302741918",
      contact: { name: "Sheena Nelson", username: "sheena" },
    });
    expect(message("hidden-number").formerChatId).toBeUndefined();
  });

  it("prefers the number, and reports the user id as the former chat", () => {
    expect(message("number-and-id")).toMatchObject({
      chatId: "16505551234",
      formerChatId: "US.13491208655302741918",
    });
    expect(message("number-and-id").contact).toEqual({
      name: "Sheena Nelson",
      username: "sheena",
      phone: "16505551234",
    });
  });

  it("maps a message written on the phone to an echo", () => {
    expect(message("echo")).toMatchObject({
      chatId: "16505551234",
      externalId: "wamid.ECHO1",
      direction: "echo",
      contact: { name: "" },
      body: { type: "text", text: "Written on the phone" },
    });
  });

  it("a reaction is not a message, but opens the reply window", () => {
    const at = new Date(1_749_416_396_000);
    expect(events("reaction")).toEqual([
      { kind: "activity", chatType: "whatsapp", chatId: "16505551234", at },
      {
        kind: "reaction",
        ref: { chatType: "whatsapp", chatId: "16505551234", externalId: "wamid.OUT1" },
        emoji: "👍",
        by: { id: "16505551234", name: "Sheena Nelson" },
        at,
      },
    ]);
  });

  it("an inbound call opens the reply window, and is missed if nobody answers; an outbound call does nothing", () => {
    const at = new Date(1749416397_000);
    expect(events("calls")).toEqual([
      { kind: "activity", chatType: "whatsapp", chatId: "16505551234", at },
      {
        kind: "message",
        message: {
          chatType: "whatsapp",
          chatId: "16505551234",
          externalId: "wacid.IN1",
          direction: "in",
          sentAt: new Date(1749416399_000),
          contact: { name: "Sheena Nelson", phone: "16505551234" },
          body: { type: "missing_call" },
        },
      },
    ]);
  });

  it.each([
    ["as a list", { status: ["FAILED"] }, true],
    ["without a status", {}, true],
    ["that was answered", { status: "COMPLETED", duration: 12 }, false],
    ["that was answered, as a list", { status: ["COMPLETED"] }, false],
    ["that lasted", { duration: "12" }, false],
  ])("the end of a call %s: missed is %s", (_name, more, isMissed) => {
    const call = { id: "wacid.1", from: "16505551234", event: "terminate", direction: "USER_INITIATED" };
    const { events: read } = readItems({ calls: [{ ...call, timestamp: "1749416399", ...more }] });
    expect(read.length).toBe(isMissed ? 1 : 0);
  });

  it.each(["group", "status-played", "unknown-field", "template-flagged"])("emits nothing: %s", (name) => {
    expect(events(name)).toEqual([]);
  });

  it("edits, deletions and changed numbers", () => {
    const ref = { chatType: "whatsapp", chatId: "16505551234", externalId: "wamid.IN1" };
    const at = expect.any(Date);
    expect(events("edit")).toEqual([
      { kind: "edited", ref, at, body: { type: "text", text: "Does it come in blue?" } },
    ]);
    expect(events("revoke")).toEqual([{ kind: "deleted", ref, at }]);
    expect(events("number-changed")).toEqual([
      { kind: "moved", chatType: "whatsapp", chatId: "16505551234", newChatId: "12195555358" },
    ]);
  });

  it("a changed user id of a person without a number", () => {
    expect(events("user-id-changed")).toEqual([
      {
        kind: "moved",
        chatType: "whatsapp",
        chatId: "US.13491208655302741918",
        newChatId: "US.22222222222222222222",
      },
    ]);
  });

  it("many in one call, in order, each for its own number", () => {
    const told = read("two-entries").map((change) => [
      change.concern,
      change.events.map((event) =>
        event.kind === "message" ? [event.message.chatId, event.message.body] : event,
      ),
    ]);
    const text = (words: string) => ({ type: "text", text: words });
    expect(told).toEqual([
      [
        { phoneId: PHONE_ID },
        [
          ["16505551234", text("first")],
          ["491511234567", text("second")],
        ],
      ],
      [{ phoneId: PHONE_ID }, [["16505551234", text("third")]]],
      [{ phoneId: "999999999999998" }, [["16505551234", text("another number's")]]],
    ]);
    expect(events("batch").map(({ kind }) => kind)).toEqual(["message", "message", "receipt"]);
  });
});

describe("statuses", () => {
  const ref = { chatType: "whatsapp", chatId: "16505551234", externalId: "wamid.OUT1" };
  const at = new Date(1750857384_000);

  it.each([
    ["status-sent", "sent", { ...ref, messageId: MESSAGE_ID }],
    ["status-delivered", "delivered", { ...ref, messageId: MESSAGE_ID }],
    ["status-read", "read", ref],
    [
      "status-hidden-number",
      "delivered",
      { ...ref, chatId: "US.13491208655302741918", externalId: "wamid.OUT9" },
    ],
  ])("%s", (name, status, about) => {
    expect(events(name)).toEqual([{ kind: "receipt", ref: about, status, at }]);
  });

  it("a failure carries its code", () => {
    expect(events("status-failed")).toEqual([
      {
        kind: "failed",
        ref,
        at,
        error: {
          code: "24_HOURS_EXCEEDED",
          description: expect.stringContaining("only a template"),
          data: expect.stringContaining("more than 24 hours have passed"),
        },
      },
    ]);
  });
});

describe("templates", () => {
  const template = {
    externalId: "1689556908129832",
    name: "order_confirmation",
    language: "en_US",
    category: "UTILITY",
  };
  it.each([
    ["template-approved", { status: "APPROVED" }],
    ["template-pending", { status: "PENDING" }],
    ["template-rejected", { status: "REJECTED", reason: "INVALID_FORMAT" }],
    ["template-paused", { status: "PAUSED" }],
    ["template-disabled", { status: "DISABLED" }],
    ["template-reinstated", { status: "APPROVED" }],
  ])("%s", (name, news) => {
    expect(read(name)).toEqual([
      {
        concern: { wabaId: WABA_ID },
        events: [{ kind: "template", template: { ...template, ...news } }],
        refresh: "templates",
        notes: [],
      },
    ]);
  });

  it("other template events trigger a refresh", () => {
    expect(read("template-flagged")).toMatchObject([{ events: [], refresh: "templates" }]);
  });
});

describe("number and business", () => {
  it.each([
    ["tier-number", { wabaId: WABA_ID, digits: "15550783881" }, [{ kind: "tier", tier: "TIER_10K" }]],
    ["tier-business", { wabaId: WABA_ID }, [{ kind: "tier", tier: "TIER_2K" }]],
    ["tier-unlimited", { wabaId: WABA_ID }, [{ kind: "tier", tier: "TIER_UNLIMITED" }]],
    ["blocked", { wabaId: WABA_ID }, [{ kind: "link", state: { status: "disabled", reason: "blocked" } }]],
    [
      "review-rejected",
      { wabaId: WABA_ID },
      [{ kind: "link", state: { status: "disabled", reason: "rejected" } }],
    ],
    [
      "uninstalled",
      { wabaId: WABA_ID },
      [{ kind: "link", state: { status: "disabled", reason: "unauthorized" } }],
    ],
    [
      "block-announced",
      { wabaId: WABA_ID },
      [
        {
          kind: "restriction",
          of: "block_announced",
          restriction: { reason: "Meta will block this business on January 6, 2026", until: null },
        },
      ],
    ],
    ["number-error", { phoneId: PHONE_ID }, []],
  ])("%s", (name, concern, told) => {
    expect(read(name)).toMatchObject([{ concern, events: told }]);
  });

  it("is logged for the operator", () => {
    expect(read("number-error")[0]?.notes).toEqual(["130429 Rate limit hit"]);
    expect(read("block-announced")[0]?.notes).toEqual(["The business will be blocked: SCHEDULE_FOR_DISABLE"]);
  });

  const update = (field: string, value: object) =>
    readCallback({
      object: "whatsapp_business_account",
      entry: [{ id: WABA_ID, changes: [{ field, value }] }],
    });
  it("of a coexisting number: it left the interface, or came back", () => {
    const phone_number = "15550783881";
    const concern = { wabaId: WABA_ID, digits: phone_number };
    const left = { event: "ACCOUNT_OFFBOARDED", phone_number, waba_info: { waba_id: WABA_ID } };
    const state = { status: "disabled", reason: "unauthorized" };
    expect(update("account_update", left)).toMatchObject([{ concern, events: [{ kind: "link", state }] }]);
    expect(update("account_update", { event: "ACCOUNT_RECONNECTED", phone_number })).toMatchObject([
      { concern, events: [], refresh: "health" },
    ]);
  });

  it("known news that change nothing are not reported as unknown", () => {
    expect(update("account_update", { event: "AD_ACCOUNT_LINKED" })[0]?.unknown).toBeUndefined();
    expect(
      update("message_template_quality_update", { new_quality_score: "YELLOW" })[0]?.unknown,
    ).toBeUndefined();
  });

  it.each([
    ["account_update", { event: "ACCOUNT_RESTRICTION", restriction_info: [] }, "health"],
    ["account_update", { event: "PARTNER_ADDED", waba_info: { waba_id: WABA_ID } }, "health"],
    ["account_review_update", { decision: "APPROVED" }, "health"],
    ["phone_number_name_update", { display_phone_number: "1555", decision: "APPROVED" }, "health"],
    ["template_category_update", { message_template_id: 1 }, "templates"],
  ])("%s %j triggers a refresh", (field, value, refresh) => {
    expect(update(field, value)).toMatchObject([{ events: [], refresh }]);
  });

  const until = new Date(1_900_000_000_000);
  const expiration = until.getTime() / 1_000;
  const restriction = (restriction_type: string, ends: unknown = expiration) => ({
    event: "ACCOUNT_RESTRICTION",
    restriction_info: [{ restriction_type, expiration: ends }],
  });
  it.each<[string, object, [string, Date | null] | [string, "ends"] | null]>([
    ["account_update", restriction("RESTRICTED_BIZ_INITIATED_MESSAGING"), ["new_chats", until]],
    [
      "account_update",
      restriction("RESTRICTED_BIZ_INITIATED_MESSAGING", String(expiration)),
      ["new_chats", until],
    ],
    ["account_update", restriction("RESTRICTED_CUSTOMER_INITIATED_MESSAGING", "soon"), ["replies", null]],
    ["account_update", restriction("RESTRICTED_BIZ_INITIATED_MESSAGING", 9e15), ["new_chats", null]],
    ["account_update", restriction("RESTRICTED_ADD_PHONE_NUMBER_ACTION"), null],
    [
      "account_update",
      { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } },
      ["block_announced", "ends"],
    ],
    ["phone_number_quality_update", { display_phone_number: "1555", event: "FLAGGED" }, ["quality", null]],
    [
      "phone_number_quality_update",
      { display_phone_number: "1555", event: "UNFLAGGED" },
      ["quality", "ends"],
    ],
    ["phone_number_quality_update", { display_phone_number: "1555", event: "ONBOARDING" }, null],
  ])("%s %j restricts the account", (field, value, expected) => {
    const events = update(field, value).flatMap((change) => change.events);
    if (expected === null) return expect(events).toEqual([]);
    const [of, end] = expected;
    const reported = end === "ends" ? null : { reason: expect.stringMatching(/./), until: end };
    expect(events).toEqual([{ kind: "restriction", of, restriction: reported }]);
  });

  it("a message refused as spam restricts the number, from the time of the refusal", () => {
    const failed = (code: number) =>
      update("messages", {
        metadata: { phone_number_id: PHONE_ID },
        statuses: [
          {
            id: MESSAGE_ID,
            status: "failed",
            timestamp: "1749416381",
            recipient_id: "16505551234",
            errors: [{ code }],
          },
        ],
      }).flatMap((change) => change.events);
    const day = new Date(1749416381_000 + 86_400_000);
    expect(failed(131048)).toMatchObject([
      { kind: "failed", error: { code: "SPAM" } },
      { kind: "restriction", of: "spam", restriction: { until: day, isEstimate: true } },
    ]);
    expect(failed(131049)).toMatchObject([{ kind: "failed", error: { code: "SPAM" } }]);
  });

  const NOW = new Date("2026-09-21T12:00:00Z");
  const daysAgo = (days: number): number => NOW.getTime() / 1_000 - days * 86_400;
  it.each([
    [
      "account-blocked",
      "account_update",
      { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } },
    ],
    ["tier", "business_capability_update", { max_daily_conversations_per_business: "TIER_2K" }],
  ])("a state older than Meta's retry period triggers a refresh: %s", (_, field, value) => {
    const body = (time: unknown) => ({
      object: "whatsapp_business_account",
      entry: [{ id: WABA_ID, time, changes: [{ field, value }] }],
    });
    for (const time of [daysAgo(7), daysAgo(-1), undefined, null, "odd"])
      expect(readCallback(body(time), NOW)).toMatchObject([{ events: [{}] }]);
    for (const time of [daysAgo(9), String(daysAgo(9)), daysAgo(400)])
      expect(readCallback(body(time), NOW)).toMatchObject([{ events: [], refresh: "health" }]);
  });

  it("a partner's call contains the id of the business", () => {
    const value = { event: "PARTNER_REMOVED", waba_info: { waba_id: "77777" } };
    expect(update("account_update", value)).toMatchObject([{ concern: { wabaId: "77777" } }]);
  });
});

describe("unreadable payloads", () => {
  it.each([
    ["nothing", undefined],
    ["another object", { object: "page", entry: [] }],
    ["no entries", { object: "whatsapp_business_account" }],
    ["entries of another kind", { object: "whatsapp_business_account", entry: [1, null, {}] }],
    [
      "a message without an id",
      {
        object: "whatsapp_business_account",
        entry: [
          {
            id: "1",
            changes: [{ field: "messages", value: { metadata: { phone_number_id: "5" }, messages: [{}] } }],
          },
        ],
      },
    ],
  ])("%s emits nothing", (_name, body) => {
    expect(readCallback(body).flatMap((change) => change.events)).toEqual([]);
  });

  it.each([["entry"], ["changes"]])("a body whose %s is not a list is rejected", (name) => {
    const body = { object: "whatsapp_business_account", entry: [{ id: WABA_ID, changes: [] }] };
    const odd = name === "entry" ? { ...body, entry: "x" } : { ...body, entry: [{ changes: "x" }] };
    expect(() => readCallback(odd)).toThrow(`${name} is not a list`);
  });

  it("an unreadable item becomes a dead letter, and the items beside it are emitted", () => {
    const metadata = { phone_number_id: PHONE_ID };
    const good = { id: "wamid.2", from: "16505551234", type: "text", text: { body: "hi" } };
    const bad = { id: "wamid.1" };
    const value = { metadata, messages: [bad, good, null] };
    const entry = [{ id: WABA_ID, changes: [{ field: "messages", value }] }];
    const [change] = readCallback({ object: "whatsapp_business_account", entry });
    expect(change?.events).toMatchObject([{ message: { externalId: "wamid.2" } }]);
    expect(change?.unread).toEqual([
      {
        reason: "person is missing",
        payload: { field: "messages", entryId: WABA_ID, value: { metadata, messages: [bad] } },
      },
      {
        reason: "object in messages is missing",
        payload: { field: "messages", entryId: WABA_ID, value: { metadata, messages: [null] } },
      },
    ]);
    expect(change?.unread?.map(({ payload }) => readOne(payload)?.unread?.length)).toEqual([1, 1]);
  });

  it("a number without an id is found by its digits", () => {
    const value = { metadata: { display_phone_number: "+1 555-078-3881" }, messages: [] };
    const entry = [{ id: WABA_ID, changes: [{ field: "messages", value }] }];
    const [change] = readCallback({ object: "whatsapp_business_account", entry });
    expect(change?.concern).toEqual({ wabaId: WABA_ID, digits: "15550783881" });
  });
});

it("every sample has Meta's format", () => {
  for (const name of sampleNames())
    expect(sample(name)).toMatchObject({ object: "whatsapp_business_account", entry: expect.any(Array) });
});
