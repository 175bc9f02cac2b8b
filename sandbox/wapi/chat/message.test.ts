import { describe, expect, test } from "vitest";
import { demo } from "../demo.ts";
import { hello, paths, withWapi } from "../test-kit.ts";

const long = (length: number) => "x".repeat(length);
const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const buttons = (...list: readonly object[]) => ({
  type: "button",
  body: { text: "?" },
  action: { buttons: list },
});
const row = (id: string) => ({ id, title: id });
const list = (...sections: readonly object[]) => ({
  type: "list",
  body: { text: "?" },
  action: { button: "Choose", sections },
});
const interactive = (object: object) => ({ type: "interactive", interactive: object });
const template = (components: readonly object[], name = "order_confirmation", code = "en_US") => ({
  type: "template",
  template: { name, language: { code }, components },
});
const text = (value: string) => ({ type: "text", text: value });
const body = (...parameters: readonly object[]) => ({ type: "body", parameters });

describe("accepted messages", () => {
  const messages: readonly (readonly [label: string, message: object])[] = [
    ["text", { type: "text", text: { body: long(4096), preview_url: true } }],
    ["without a type, as text", { text: { body: "hi" } }],
    ["reaction", { type: "reaction", reaction: { message_id: "wamid.X", emoji: "👍" } }],
    ["reaction taken back", { type: "reaction", reaction: { message_id: "wamid.X", emoji: "" } }],
    ["location", { type: "location", location: { latitude: 1.5, longitude: "2", name: "A", address: "B" } }],
    [
      "contacts",
      {
        type: "contacts",
        contacts: [
          {
            name: { formatted_name: "John Smith", first_name: "John" },
            phones: [{ phone: "+1", wa_id: "1", type: "HOME" }],
            birthday: "2012-08-18",
          },
        ],
      },
    ],
    ["3 buttons", interactive(buttons(reply("a", "A"), reply("b", "B"), reply("c", long(20))))],
    [
      "10 rows in 2 sections",
      interactive(
        list(
          { title: "S", rows: ["1", "2", "3", "4", "5"].map(row) },
          { title: "T", rows: ["6", "7", "8", "9", "10"].map(row) },
        ),
      ),
    ],
    [
      "cta_url",
      interactive({
        type: "cta_url",
        header: { type: "text", text: "Head" },
        body: { text: "?" },
        footer: { text: "Foot" },
        action: { name: "cta_url", parameters: { display_text: "Open", url: "https://example.com/" } },
      }),
    ],
    ["template", template([body(text("Mark"), text("860198"))])],
    [
      "template with a payload",
      template([
        body(text("Mark"), text("860198")),
        {
          type: "button",
          sub_type: "quick_reply",
          index: "0",
          parameters: [{ type: "payload", payload: "p" }],
        },
      ]),
    ],
    ["quoting", { type: "text", text: { body: "yes" }, context: { message_id: "wamid.X" } }],
  ];

  test.each(messages)("%s", (_label, message) =>
    withWapi(async ({ ok }) => {
      const answer = await ok(`POST ${paths.messages}`, {
        messaging_product: "whatsapp",
        to: `+${demo.user}`,
        ...message,
      });
      expect(answer).toMatchObject({
        messaging_product: "whatsapp",
        contacts: [{ input: `+${demo.user}`, wa_id: demo.user }],
        messages: [{ id: expect.stringMatching(/^wamid\.HBgL[\w+/]+=*$/) }],
      });
    }),
  );

  test("sent messages can be listed and awaited", () =>
    withWapi(async ({ admin, ann, send }) => {
      await ann("messages", { text: "hi" });
      const waiting = admin(`GET /numbers/${demo.numberId}/sent?count=1&type=text`);
      const id = await send({ text: { body: "one" }, type: "text", biz_opaque_callback_data: "my-1" });
      expect(await waiting).toMatchObject({
        complete: true,
        items: [{ type: "text", user: demo.user, message_id: id, request: { text: { body: "one" } } }],
      });
      const conversation = await admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`);
      expect(conversation["items"]).toMatchObject([
        { direction: "in", type: "text", content: { body: "hi" } },
        { direction: "out", id, content: { body: "one" }, statuses: ["sent", "delivered"] },
      ]);
    }));

  test("reading and typing", () =>
    withWapi(async ({ admin, ann, ok }) => {
      const { message } = await ann("messages", { text: "hi" });
      const read = { messaging_product: "whatsapp", status: "read", message_id: message?.["id"] };
      expect(await ok(`POST ${paths.messages}`, read)).toEqual({ success: true });
      await ok(`POST ${paths.messages}`, { ...read, typing_indicator: { type: "text" } });
      const sent = await admin(`GET /numbers/${demo.numberId}/sent`);
      expect(sent["items"]).toMatchObject([{ type: "read" }, { type: "typing" }]);
      await ann("messages", { text: "unread" });
      const conversation = await admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`);
      expect(conversation["items"]?.[0]).toMatchObject({ content: { body: "hi" }, readByBusiness: true });
      expect(conversation["items"]?.[1]).not.toHaveProperty("readByBusiness");
    }));
});

describe("refused messages", () => {
  const tooLong = (place: string, max: number) =>
    `400 (#100) Param ${place} must be at most ${max} characters long.`;
  const invalid = (details: string) => `400 (#131009) Parameter value is not valid | ${details}`;
  const mismatch = (part: string, given: number, expected: number) =>
    "400 (#132000) Number of parameters does not match the expected number of params | " +
    `${part}: number of localizable_params (${given}) does not match the expected number of params (${expected})`;
  const messages: readonly (readonly [label: string, message: object, refusal: string])[] = [
    ["no recipient", { to: undefined }, "400 (#100) The parameter to is required."],
    [
      "a group",
      { recipient_type: "group" },
      '400 (#100) Param recipient_type must be one of {INDIVIDUAL} - got "group".',
    ],
    ["nonsense as a number", { to: "Ann" }, invalid("Recipient phone number is not valid.")],
    [
      "itself",
      { to: demo.phone },
      "400 (#131021) Recipient cannot be sender | Sender and recipient phone number is the same.",
    ],
    [
      "another product",
      { messaging_product: "instagram" },
      '400 (#100) Param messaging_product must be one of {WHATSAPP} - got "instagram".',
    ],
    ["an unknown field", { colour: "red" }, '400 (#100) Unexpected key "colour" on param "message".'],
    [
      "an unknown type",
      { type: "song", song: {} },
      '400 (#131051) Unsupported message type | Message type "song" is not supported.',
    ],
    ["no text", { text: undefined }, "400 (#100) The parameter text is required."],
    ["no body", { text: {} }, "400 (#100) The parameter text['body'] is required."],
    ["an empty body", { text: { body: "" } }, "400 (#100) Param text['body'] must be a non-empty string."],
    ["a long body", { text: { body: long(4097) } }, tooLong("text['body']", 4096)],
    [
      "an unknown field inside",
      { text: { body: "x", bold: true } },
      '400 (#100) Unexpected key "bold" on param "text".',
    ],
    ["a long tag", { biz_opaque_callback_data: long(513) }, tooLong("biz_opaque_callback_data", 512)],
    [
      "a long caption",
      { type: "image", image: { link: "https://example.com/x.jpg", caption: long(1025) } },
      tooLong("image['caption']", 1024),
    ],
    [
      "a caption of an audio",
      { type: "audio", audio: { id: "1", caption: "x" } },
      '400 (#100) Unexpected key "caption" on param "audio".',
    ],
    [
      "neither id nor link",
      { type: "image", image: {} },
      "400 (#100) Exactly one of image['id'] and image['link'] is required.",
    ],
    [
      "no link",
      { type: "image", image: { link: "here" } },
      "400 (#100) Param image['link'] must be a valid URI. Input:here",
    ],
    [
      "an unknown file",
      { type: "image", image: { id: "1" } },
      invalid("Media id 1 does not exist or has expired."),
    ],
    [
      "a place beyond",
      { type: "location", location: { latitude: 91, longitude: 0 } },
      invalid("Latitude or longitude is out of range."),
    ],
    [
      "a nameless contact",
      { type: "contacts", contacts: [{ phones: [] }] },
      "400 (#100) The parameter contacts[0]['name'] is required.",
    ],
    [
      "4 buttons",
      interactive(buttons(reply("a", "A"), reply("b", "B"), reply("c", "C"), reply("d", "D"))),
      invalid("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3"),
    ],
    [
      "a long title",
      interactive(buttons(reply("a", long(21)))),
      invalid("Button title length invalid. Min length: 1, Max length: 20"),
    ],
    [
      "a long payload",
      interactive(buttons(reply(long(257), "A"))),
      invalid("Button reply id length invalid. Min length: 1, Max length: 256"),
    ],
    [
      "the same payload twice",
      interactive(buttons(reply("a", "A"), reply("a", "B"))),
      invalid("Duplicate button id: a"),
    ],
    [
      "the same title twice",
      interactive(buttons(reply("a", "A"), reply("b", "A"))),
      invalid("Duplicate button title: A"),
    ],
    [
      "11 rows",
      interactive(list({ rows: "abcdefghijk".split("").map(row) })),
      invalid("Total row count exceed max allowed count: 10"),
    ],
    [
      "sections without titles",
      interactive(list({ rows: [row("a")] }, { rows: [row("b")] })),
      invalid("Section title is required when there is more than one section."),
    ],
    [
      "a long row",
      interactive(list({ rows: [{ id: "a", title: long(25) }] })),
      invalid("Row title length invalid. Min length: 1, Max length: 24"),
    ],
    [
      "buttons without a body",
      interactive({ type: "button", action: { buttons: [reply("a", "A")] } }),
      "400 (#131008) Required parameter is missing | Interactive body is required.",
    ],
    [
      "an unknown template",
      template([], "no_such"),
      "404 (#132001) Template name does not exist in the translation | template name (no_such) does not exist in en_US",
    ],
    [
      "another language",
      template([], "order_confirmation", "de"),
      "404 (#132001) Template name does not exist in the translation | template name (order_confirmation) does not exist in de",
    ],
    ["too few values", template([body(text("Mark"))]), mismatch("body", 1, 2)],
    [
      "values where none belong",
      template([{ type: "header", parameters: [text("x")] }, body(text("a"), text("b"))]),
      mismatch("header", 1, 0),
    ],
    [
      "an empty value",
      template([body(text("Mark"), text(""))]),
      "400 (#131008) Required parameter is missing | Parameter of type text is missing text value",
    ],
    [
      "a value with a new line",
      template([body(text("Mark"), text("a\nb"))]),
      "400 (#132018) There was an issue with the parameters in your template | Param text cannot have new-line/tab characters or more than 4 consecutive spaces",
    ],
    [
      "a value of another kind",
      template([body(text("Mark"), { type: "image", image: { link: "https://example.com/" } })]),
      "400 (#100) Unexpected key \"image\" on param \"template['components'][0]['parameters'][1]\".",
    ],
    [
      "a long result",
      template([body(text("Mark"), text(long(1024)))]),
      "400 (#132005) Translated text too long | Translated text too long: body is longer than 1024 characters",
    ],
    [
      "a button that is not there",
      template([
        body(text("a"), text("b")),
        { type: "button", sub_type: "quick_reply", index: 1, parameters: [] },
      ]),
      "400 (#132018) There was an issue with the parameters in your template | buttons: Button at index 1 does not exist in the template",
    ],
    [
      "a button of another kind",
      template([body(text("a"), text("b")), { type: "button", sub_type: "url", index: 0, parameters: [] }]),
      "400 (#132018) There was an issue with the parameters in your template | buttons: Button at index 0 is of type QUICK_REPLY, received sub_type URL",
    ],
    [
      "an unknown message to read",
      { status: "read", message_id: "wamid.X", to: undefined, type: undefined, text: undefined },
      invalid("Message ID is not valid or does not belong to this phone number."),
    ],
  ];

  test.each(messages)("%s", (_label, message, refusal) =>
    withWapi(async ({ admin, refused }) => {
      const isText = !("type" in message) || message.type === "text";
      const request = { ...hello, ...(isText ? {} : { text: undefined }), ...message };
      expect(await refused(`POST ${paths.messages}`, request)).toBe(refusal);
      expect(await admin(`GET /numbers/${demo.numberId}/sent`)).toMatchObject({ count: 0 });
    }),
  );

  test("unknown fields and paths are counted", () =>
    withWapi(async ({ admin, refused }) => {
      await refused(`POST ${paths.messages}`, { ...hello, colour: "red" });
      await refused(`POST ${paths.number}/songs`, {});
      const calls = await admin("GET /calls?unknown=true");
      expect(calls).toMatchObject({
        count: 2,
        items: [{ error_code: 100, request: { colour: "red" } }, { error_code: 2500 }],
      });
    }));
});

describe("templates with media, named values and addresses", () => {
  const create = (name: string, components: readonly object[], more: object = {}) => ({
    name,
    components,
    ...more,
  });
  const photo = { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::aW"] } };

  test("a picture in the header must be a picture", () =>
    withWapi(async ({ admin, refused }) => {
      const template = create("photo", [photo, { type: "BODY", text: "Look" }]);
      await admin(`POST /wabas/${demo.wabaId}/templates`, template);
      const send = (components: readonly object[]) =>
        refused(`POST ${paths.messages}`, {
          ...hello,
          type: "template",
          text: undefined,
          template: { name: "photo", language: { code: "en_US" }, components },
        });
      const wrong = "400 (#132012) Parameter format does not match format in the created template | header: ";
      expect(await send([])).toBe(`${wrong}Format mismatch, expected IMAGE, received UNKNOWN`);
      expect(await send([{ type: "header", parameters: [text("x")] }])).toBe(
        `${wrong}Format mismatch, expected IMAGE, received TEXT`,
      );
    }));

  test("named values need their names", () =>
    withWapi(async ({ admin, refused, ok }) => {
      const template = create(
        "named",
        [
          {
            type: "BODY",
            text: "Hi {{first_name}}!",
            example: { body_text_named_params: [{ param_name: "first_name", example: "Ann" }] },
          },
        ],
        { parameter_format: "NAMED" },
      );
      await admin(`POST /wabas/${demo.wabaId}/templates`, template);
      const message = (parameter: object) => ({
        messaging_product: "whatsapp",
        to: demo.user,
        type: "template",
        template: { name: "named", language: { code: "en_US" }, components: [body(parameter)] },
      });
      expect(await refused(`POST ${paths.messages}`, message(text("Ann")))).toBe(
        "400 (#100) Invalid parameter | Parameter name is missing or empty",
      );
      await ok(`POST ${paths.messages}`, message({ ...text("Ann"), parameter_name: "first_name" }));
      await expect
        .poll(() => admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`))
        .toMatchObject({ items: [{ type: "template", content: { body: "Hi Ann!" } }] });
    }));

  const code = (type: string) => ({ type: "button", sub_type: "url", index: "0", parameters: [text(type)] });
  const coupon = (value: string) => ({
    type: "button",
    sub_type: "copy_code",
    index: 0,
    parameters: [{ type: "coupon_code", coupon_code: value }],
  });
  const cards = (...titles: readonly string[]) => ({
    type: "CAROUSEL",
    cards: titles.map((title) => ({
      components: [
        photo,
        { type: "BODY", text: `${title} for {{1}} euros`, example: { body_text: [["5"]] } },
        { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Buy" }] },
      ],
    })),
  });
  const card = (card_index: number, price: string) => {
    const image = { type: "image", image: { link: "http://127.0.0.1:1/a.png" } };
    return { card_index, components: [{ type: "header", parameters: [image] }, body(text(price))] };
  };
  const body1 = { type: "BODY", text: "New" };

  test.each<[string, object, readonly object[], readonly object[], RegExp]>([
    [
      "a one-time code is in the text and in the button",
      {
        category: "AUTHENTICATION",
        components: [
          { type: "BODY", add_security_recommendation: true },
          { type: "FOOTER", code_expiration_minutes: 10 },
          { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
        ],
      },
      [body(text("123456")), code("123456")],
      [body(text("123456"))],
      /^400 \(#131008\)/,
    ],
    [
      "a coupon code",
      { components: [body1, { type: "BUTTONS", buttons: [{ type: "COPY_CODE", example: "SALE20" }] }] },
      [coupon("SALE25")],
      [],
      /^400 \(#131008\)/,
    ],
    [
      "the cards of a carousel",
      { components: [body1, cards("Lamp", "Chair")] },
      [{ type: "carousel", cards: [card(0, "5"), card(1, "7")] }],
      [{ type: "carousel", cards: [card(0, "5")] }],
      /^400 \(#132012\).*cards \(1\)/,
    ],
  ])("%s", (_, template, right, wrong, refusal) =>
    withWapi(async ({ admin, refused, ok }) => {
      await admin(`POST /wabas/${demo.wabaId}/templates`, create("rich", [], template));
      const message = (components: readonly object[]) => ({
        messaging_product: "whatsapp",
        to: demo.user,
        type: "template",
        template: { name: "rich", language: { code: "en_US" }, components },
      });
      expect(await refused(`POST ${paths.messages}`, message(wrong))).toMatch(refusal);
      await ok(`POST ${paths.messages}`, message(right));
    }),
  );

  test("a URL with a variable needs its value", () =>
    withWapi(async ({ admin, refused, ok }) => {
      const button = { type: "URL", text: "Track", url: "https://example.com/{{1}}", example: ["x"] };
      const phone = { type: "PHONE_NUMBER", text: "Call", phone_number: "16467043595" };
      const template = create("track", [
        { type: "BODY", text: "On its way" },
        { type: "BUTTONS", buttons: [button, phone] },
      ]);
      await admin(`POST /wabas/${demo.wabaId}/templates`, template);
      const message = (components: readonly object[]) => ({
        messaging_product: "whatsapp",
        to: demo.user,
        type: "template",
        template: { name: "track", language: { code: "en_US" }, components },
      });
      expect(await refused(`POST ${paths.messages}`, message([]))).toBe(
        "400 (#131008) Required parameter is missing | buttons: Button at index 0 of type Url requires a parameter",
      );
      const suffix = { type: "button", sub_type: "url", index: 0, parameters: [text("17")] };
      await ok(`POST ${paths.messages}`, message([suffix]));
      await expect
        .poll(() => admin(`GET /numbers/${demo.numberId}/users/${demo.user}/messages`))
        .toMatchObject({
          items: [
            {
              content: {
                buttons: [
                  { type: "URL", text: "Track", url: "https://example.com/17" },
                  { type: "PHONE_NUMBER", text: "Call", phone_number: "16467043595" },
                ],
              },
            },
          ],
        });
    }));
});
