import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { Keyboard } from "../../core/transport/keyboard.ts";
import type { TemplateComponent } from "../../core/transport/template.ts";
import { chooseForm } from "./outbound/media.ts";
import { type MediaPart, toPayload } from "./outbound.ts";
import { fileMessage, MESSAGE_ID, templateMessage, textMessage } from "./testing.ts";

const COMMON = {
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to: "16505551234",
  biz_opaque_callback_data: MESSAGE_ID,
};
const payload = (message: OutboundMessage, media: MediaPart | null = null): object =>
  toPayload(message, { media, listLabel: "Menu" });
const failure = (message: OutboundMessage, media: MediaPart | null = null): TransportError => {
  try {
    payload(message, media);
  } catch (error) {
    if (error instanceof TransportError) return error;
  }
  throw new Error("was not refused");
};
const buttons = (count: number): Keyboard => ({
  kind: "interactive",
  buttons: Array.from({ length: count }, (_, index) => ({ text: `B${index}`, payload: `p${index}` })),
});

describe("text", () => {
  it("is sent unchanged", () => {
    expect(payload(textMessage())).toEqual({
      ...COMMON,
      type: "text",
      text: { body: "hello", preview_url: false },
    });
  });

  it("with a URL has a preview", () => {
    const content = { type: "text", text: "see https://shop.example" } as const;
    expect(payload(textMessage({ content }))).toMatchObject({ text: { preview_url: true } });
  });

  it("with a quote", () => {
    const quoted = { chatType: "whatsapp", chatId: "16505551234", externalId: "wamid.IN1" } as const;
    expect(payload(textMessage({ quoted }))).toMatchObject({ context: { message_id: "wamid.IN1" } });
  });
});

describe("recipients", () => {
  it.each([
    ["16505551234", { to: "16505551234" }],
    ["+1 (650) 555-1234", { to: "16505551234" }],
    ["US.13491208655302741918", { recipient: "US.13491208655302741918" }],
    ["US.ENT.11815799212886844830", { recipient: "US.ENT.11815799212886844830" }],
  ])("%s", (chatId, expected) => {
    const made = payload(textMessage({ to: { chatType: "whatsapp", chatId } }));
    const { to, recipient } = made as { to?: string; recipient?: string };
    expect(recipient === undefined ? { to } : { recipient }).toEqual(expected);
    expect(to === undefined || recipient === undefined).toBe(true);
  });

  it.each(["", "ann", "123", "1650555.1234"])("rejects %j", (chatId) => {
    expect(failure(textMessage({ to: { chatType: "whatsapp", chatId } }))).toMatchObject({
      code: "BAD_CONTACT",
      retry: "never",
    });
  });
});

describe("files", () => {
  const media = (form: MediaPart["form"]): MediaPart => ({ form, source: { id: "44" } });

  it.each([
    ["image", { type: "image", image: { id: "44" } }],
    ["video", { type: "video", video: { id: "44" } }],
    ["audio", { type: "audio", audio: { id: "44" } }],
    ["document", { type: "document", document: { id: "44", filename: "photo.jpg" } }],
  ] as const)("%s", (form, expected) => {
    expect(payload(fileMessage(), media(form))).toEqual({ ...COMMON, ...expected });
  });

  it("with a text, also above buttons", () => {
    const { content } = fileMessage();
    if (content.type !== "file") throw new Error("no file");
    const captioned = textMessage({ content: { ...content, caption: "The price" } });
    expect(payload(captioned, media("image"))).toMatchObject({ image: { id: "44", caption: "The price" } });
    expect(payload({ ...captioned, keyboard: buttons(2) }, media("image"))).toMatchObject({
      interactive: { header: { image: { id: "44" } }, body: { text: "The price" } },
    });
  });

  it("are voice notes if they are Ogg", () => {
    const message = fileMessage({ kind: "audio", mimeType: "audio/ogg; codecs=opus" });
    expect(payload(message, media("audio"))).toMatchObject({ audio: { id: "44", voice: true } });
  });

  it("are sent by link", () => {
    const source = { link: "https://files.example/photo.jpg" };
    expect(payload(fileMessage(), { form: "image", source })).toMatchObject({ image: source });
  });

  it("with buttons become the header", () => {
    expect(payload(fileMessage({}, { keyboard: buttons(2) }), media("image"))).toMatchObject({
      type: "interactive",
      interactive: {
        type: "button",
        header: { type: "image", image: { id: "44" } },
        body: { text: "photo.jpg" },
      },
    });
  });

  it.each([
    ["audio", 1],
    ["image", 4],
  ] as const)("%s has no %i buttons", (form, count) => {
    expect(failure(fileMessage({}, { keyboard: buttons(count) }), media(form)).code).toBe("GENERAL_ERROR");
  });

  const MB = 1024 * 1024;
  it.each([
    ["image", "image/jpeg", 5 * MB, "image"],
    ["image", "image/jpeg", 5 * MB + 1, "document"],
    ["image", "IMAGE/PNG; x=1", 1, "image"],
    ["image", "image/webp", 1, "document"],
    ["image", "image/gif", 1, "document"],
    ["video", "video/mp4", 16 * MB, "video"],
    ["video", "video/mp4", 16 * MB + 1, "document"],
    ["video", "video/quicktime", 1, "document"],
    ["audio", "audio/ogg; codecs=opus", 16 * MB, "audio"],
    ["audio", "audio/mpeg", 1, "audio"],
    ["audio", "audio/wav", 1, "document"],
    ["document", "image/jpeg", 1, "document"],
    ["document", "application/pdf", 40 * MB, "document"],
  ] as const)("%s %s of %i bytes is shown as %s", (kind, mimeType, size, form) => {
    const { content } = fileMessage({ kind, mimeType, size });
    expect(content.type === "file" && chooseForm(content.file)).toBe(form);
  });
});

describe("buttons", () => {
  it.each([1, 3])("%i are reply buttons", (count) => {
    const { buttons: list } = buttons(count) as Extract<Keyboard, { kind: "interactive" }>;
    expect(payload(textMessage({ keyboard: buttons(count) }))).toEqual({
      ...COMMON,
      type: "interactive",
      interactive: {
        type: "button",
        body: { text: "hello" },
        action: {
          buttons: list.map(({ text, payload: id }) => ({ type: "reply", reply: { id, title: text } })),
        },
      },
    });
  });

  it.each([4, 10])("%i become a list", (count) => {
    const { buttons: list } = buttons(count) as Extract<Keyboard, { kind: "interactive" }>;
    expect(payload(textMessage({ keyboard: buttons(count) }))).toMatchObject({
      interactive: {
        type: "list",
        body: { text: "hello" },
        action: {
          button: "Menu",
          sections: [{ rows: list.map(({ text, payload: id }) => ({ id, title: text })) }],
        },
      },
    });
  });

  it("rejects a text above 1,024 characters", () => {
    const content = { type: "text", text: "x".repeat(1025) } as const;
    expect(failure(textMessage({ content, keyboard: buttons(1) })).code).toBe("TOO_LONG_TEXT");
  });

  it.each<Keyboard>([
    { kind: "rows", rows: [] },
    { kind: "inline", rows: [] },
    { kind: "remove", selective: false },
  ])("rejects keyboards of another kind: $kind", (keyboard) => {
    expect(failure(textMessage({ keyboard })).code).toBe("GENERAL_ERROR");
  });
});

describe("templates", () => {
  const body = (text: string): TemplateComponent => ({ type: "BODY", text });
  const header = (format: string, text?: string): TemplateComponent =>
    text === undefined ? { type: "HEADER", format } : { type: "HEADER", format, text };
  const choices = (...types: string[]): TemplateComponent => ({
    type: "BUTTONS",
    buttons: types.map((type) => ({
      type,
      text: type,
      ...(type === "URL" ? { url: "https://shop.example/{{1}}" } : {}),
    })),
  });
  const text = (value: string) => ({ type: "text", text: value });
  const reply = (index: string, value: string) => ({
    type: "button",
    sub_type: "quick_reply",
    index,
    parameters: [{ type: "payload", payload: value }],
  });
  type Case = [string, TemplateComponent[], string[], string[], object[] | undefined];

  it.each<Case>([
    ["without variables", [body("Hello")], [], [], undefined],
    [
      "header, then body",
      [body("{{1}} {{2}}"), header("TEXT", "{{1}}")],
      ["h", "b1", "b2"],
      [],
      [
        { type: "header", parameters: [text("h")] },
        { type: "body", parameters: [text("b1"), text("b2")] },
      ],
    ],
    [
      "names",
      [body("{{first_name}} {{day}}")],
      ["Ann", "Monday"],
      [],
      [
        {
          type: "body",
          parameters: [
            { type: "text", parameter_name: "first_name", text: "Ann" },
            { type: "text", parameter_name: "day", text: "Monday" },
          ],
        },
      ],
    ],
    [
      "a picture",
      [header("IMAGE"), body("x")],
      ["https://cdn.example/a.png"],
      [],
      [{ type: "header", parameters: [{ type: "image", image: { link: "https://cdn.example/a.png" } }] }],
    ],
    [
      "a URL with a variable suffix",
      [body("{{1}}"), choices("QUICK_REPLY", "URL")],
      ["b", "track/7"],
      [],
      [
        { type: "body", parameters: [text("b")] },
        { type: "button", sub_type: "url", index: "1", parameters: [text("track/7")] },
      ],
    ],
    [
      "payloads of the quick-reply buttons",
      [body("x"), choices("PHONE_NUMBER", "QUICK_REPLY", "QUICK_REPLY")],
      [],
      ["yes", "no"],
      [reply("1", "yes"), reply("2", "no")],
    ],
    [
      "an empty payload, which is omitted",
      [body("x"), choices("QUICK_REPLY", "QUICK_REPLY")],
      [],
      ["", "no"],
      [reply("1", "no")],
    ],
    [
      "payloads of all buttons",
      [body("x"), choices("PHONE_NUMBER", "QUICK_REPLY")],
      [],
      ["call", "yes"],
      [reply("1", "yes")],
    ],
    [
      "more payloads than buttons",
      [body("x"), choices("QUICK_REPLY")],
      [],
      ["yes", "no"],
      [reply("0", "yes")],
    ],
    [
      "a document with the name in its address",
      [header("DOCUMENT"), body("x")],
      ["https://cdn.example/a/invoice%20A-17.pdf?sig=1"],
      [],
      [
        {
          type: "header",
          parameters: [
            {
              type: "document",
              document: {
                link: "https://cdn.example/a/invoice%20A-17.pdf?sig=1",
                filename: "invoice A-17.pdf",
              },
            },
          ],
        },
      ],
    ],
    ...[
      { type: "OTP", otp_type: "COPY_CODE", text: "Copy code" },
      {
        type: "URL",
        text: "Copy code",
        url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
      },
    ].map(
      (button): Case => [
        `a one-time code, whose button is listed as ${button.type}`,
        [body("*{{1}}* is your code."), { type: "BUTTONS", buttons: [button] }],
        ["123456"],
        [],
        [
          { type: "body", parameters: [text("123456")] },
          { type: "button", sub_type: "url", index: "0", parameters: [text("123456")] },
        ],
      ],
    ),
    [
      "a one-time code whose text is not listed",
      [{ type: "BODY" }, { type: "BUTTONS", buttons: [{ type: "OTP" }] }],
      ["123456"],
      [],
      [
        { type: "body", parameters: [text("123456")] },
        { type: "button", sub_type: "url", index: "0", parameters: [text("123456")] },
      ],
    ],
    [
      "a coupon",
      [
        body("Take {{1}} off"),
        { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY" }, { type: "COPY_CODE" }] },
      ],
      ["20 %", "SALE20"],
      [],
      [
        { type: "body", parameters: [text("20 %")] },
        {
          type: "button",
          sub_type: "copy_code",
          index: "1",
          parameters: [{ type: "coupon_code", coupon_code: "SALE20" }],
        },
      ],
    ],
    [
      "a form",
      [body("x"), { type: "BUTTONS", buttons: [{ type: "FLOW", text: "Book" }] }],
      [],
      [],
      [
        {
          type: "button",
          sub_type: "flow",
          index: "0",
          parameters: [{ type: "action", action: { flow_token: MESSAGE_ID } }],
        },
      ],
    ],
    [
      "a carousel",
      [
        body("New: {{1}}"),
        {
          type: "CAROUSEL",
          cards: [
            { components: [header("IMAGE"), body("Lamp {{1}}"), choices("QUICK_REPLY", "URL")] },
            { components: [header("IMAGE"), body("Chair"), choices("QUICK_REPLY")] },
          ],
        },
      ],
      ["lights", "https://cdn.example/1.png", "L1", "lamp/1", "https://cdn.example/2.png"],
      ["p1", "p2"],
      [
        { type: "body", parameters: [text("lights")] },
        {
          type: "carousel",
          cards: [
            {
              card_index: 0,
              components: [
                {
                  type: "header",
                  parameters: [{ type: "image", image: { link: "https://cdn.example/1.png" } }],
                },
                { type: "body", parameters: [text("L1")] },
                reply("0", "p1"),
                { type: "button", sub_type: "url", index: "1", parameters: [text("lamp/1")] },
              ],
            },
            {
              card_index: 1,
              components: [
                {
                  type: "header",
                  parameters: [{ type: "image", image: { link: "https://cdn.example/2.png" } }],
                },
                reply("0", "p2"),
              ],
            },
          ],
        },
      ],
    ],
    ["payloads without buttons", [body("x")], [], ["yes"], undefined],
    ["a template whose components are unknown", [], ["a"], [], [{ type: "body", parameters: [text("a")] }]],
  ])("%s", (_name, components, values, payloads, expected) => {
    expect(payload(templateMessage({ components }, values, payloads))).toEqual({
      ...COMMON,
      type: "template",
      template: {
        name: "order_confirmation",
        language: { code: "en_US" },
        ...(expected === undefined ? {} : { components: expected }),
      },
    });
  });

  it.each<[string, TemplateComponent[], string]>([
    ["a place", [header("LOCATION"), body("x")], "a header of the format LOCATION"],
    [
      "products on cards",
      [body("x"), { type: "CAROUSEL", cards: [{ components: [header("PRODUCT")] }] }],
      "a header of the format PRODUCT",
    ],
    [
      "an offer for a limited time",
      [body("x"), { type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } }],
      "an offer that expires",
    ],
    [
      "a choice of products",
      [body("x"), { type: "BUTTONS", buttons: [{ type: "MPM" }] }],
      "a button of the type MPM",
    ],
  ])("with %s is refused with the reason", (_name, components, part) => {
    expect(failure(templateMessage({ components }, []))).toMatchObject({
      code: "GENERAL_ERROR",
      message: `The template has ${part}, which cannot be filled in`,
    });
  });

  it.each([
    ["too few", ["a"]],
    ["too many", ["a", "b", "c"]],
  ])("%s values", (_name, values) => {
    expect(failure(templateMessage({}, values))).toMatchObject({
      code: "GENERAL_ERROR",
      message: `The template requires 2 values, but ${values.length} were given`,
    });
  });
});
