import { describe, expect, it } from "vitest";
import type { OutboundFile, OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { Keyboard } from "../../core/transport/keyboard.ts";
import { Refusal } from "./errors.ts";
import { chooseMedia, firstAttempt, messageIdOf, nextAttempt, toInputMedia, toSendCall } from "./outbound.ts";
import { fileMessage, outboundFile, textMessage } from "./testing.ts";

const call = (message: OutboundMessage): unknown => toSendCall(message, firstAttempt(message));
const quoted = (externalId: string): OutboundMessage =>
  textMessage({ quoted: { chatType: "telegram", chatId: "111", externalId } });
const keyboard = (value: Keyboard): OutboundMessage => textMessage({ keyboard: value });
const sendText = (more: object = {}): object => ({
  method: "sendMessage",
  params: { chat_id: 111, text: "hello", ...more },
});

describe("toSendCall", () => {
  const cases: readonly (readonly [string, OutboundMessage, object])[] = [
    ["text", textMessage(), sendText()],
    [
      "text to a group",
      textMessage({ to: { chatType: "telegroup", chatId: "-1001234567890" } }),
      sendText({ chat_id: -1001234567890 }),
    ],
    ["a quote", quoted("15"), sendText({ reply_parameters: { message_id: 15 } })],
    [
      "a writer in a channel's direct messages",
      textMessage({ to: { chatType: "telegram", chatId: "-1001234567890.7001" } }),
      sendText({ chat_id: -1001234567890, direct_messages_topic_id: 7001 }),
    ],
    ["a quote of a button press, which has no id", quoted("callback:77"), sendText()],
    [
      "inline buttons",
      keyboard({
        kind: "inline",
        rows: [[{ text: "A", url: "https://example.com/" }], [{ text: "B", payload: "b1" }]],
      }),
      sendText({
        reply_markup: {
          inline_keyboard: [
            [{ text: "A", url: "https://example.com/" }],
            [{ text: "B", callback_data: "b1" }],
          ],
        },
      }),
    ],
    [
      "reply buttons",
      keyboard({
        kind: "reply",
        rows: [[{ text: "Yes" }, { text: "No" }]],
        oneTime: true,
        resize: true,
        selective: false,
      }),
      sendText({
        reply_markup: {
          keyboard: [[{ text: "Yes" }, { text: "No" }]],
          resize_keyboard: true,
          one_time_keyboard: true,
          selective: false,
        },
      }),
    ],
    [
      "removing the keyboard",
      keyboard({ kind: "remove", selective: true }),
      sendText({ reply_markup: { remove_keyboard: true, selective: true } }),
    ],
  ];
  it.each(cases)("%s", (_, message, expected) => expect(call(message)).toEqual(expected));

  it("uploads a file that Telegram cannot reach", () => {
    const message = fileMessage();
    expect(call(message)).toMatchObject({
      method: "sendPhoto",
      params: { chat_id: 111, photo: "attach://file" },
      upload: {},
    });
  });

  it("passes the text with the file", () => {
    const message = fileMessage();
    if (message.content.type !== "file") throw new Error("no file");
    expect(call({ ...message, content: { ...message.content, caption: "The price" } })).toMatchObject({
      method: "sendPhoto",
      params: { photo: "attach://file", caption: "The price" },
    });
  });

  it("uploads a document as it is", () => {
    const params = { chat_id: 111, document: "attach://file", disable_content_type_detection: true };
    expect(call(fileMessage({ mimeType: "image/webp" }))).toMatchObject({ method: "sendDocument", params });
  });

  it("passes a public link", () => {
    const message = fileMessage({ url: "https://cdn.example.com/a.jpg", urlIsPublic: true });
    expect(call(message)).toEqual({
      method: "sendPhoto",
      params: { chat_id: 111, photo: "https://cdn.example.com/a.jpg" },
    });
  });

  const strangers = [
    {},
    { username: "annb" },
    { phone: "79001112233" },
    { chatId: "annb" },
    { chatId: "0" },
    { chatId: "99999999999999999" },
  ];
  it.each(strangers)("rejects the recipient %o", (to) => {
    expect(() => call(textMessage({ to: { chatType: "telegram", ...to } }))).toThrow(
      expect.objectContaining({ code: "BAD_CONTACT", retry: "never" }),
    );
  });

  const TEMPLATE = {
    externalId: "1",
    name: "hello",
    language: "en",
    category: "UTILITY",
    status: "APPROVED",
    components: [],
  } as const;
  const impossible: readonly OutboundMessage[] = [
    textMessage({ content: { type: "template", template: TEMPLATE, values: [], payloads: [] } }),
    keyboard({ kind: "rows", rows: [] }),
    keyboard({ kind: "interactive", buttons: [] }),
  ];
  it.each(impossible)("rejects unsupported content (%#)", (message) => {
    expect(() => call(message)).toThrow(TransportError);
  });
});

const MB = 1_000_000;
const PUBLIC = { urlIsPublic: true, url: "https://cdn.example.com/a%20b.pdf", name: "a b.pdf" };

describe("chooseMedia", () => {
  const cases: readonly (readonly [string, Partial<OutboundFile>, string, string])[] = [
    ["jpeg", { mimeType: "image/jpeg" }, "photo", "upload"],
    ["png with parameters", { mimeType: "IMAGE/PNG; q=1" }, "photo", "upload"],
    ["webp", { mimeType: "image/webp" }, "document", "upload"],
    ["svg", { mimeType: "image/svg+xml" }, "document", "upload"],
    ["gif", { mimeType: "image/gif" }, "animation", "upload"],
    ["an image above 10 MB", { size: 10 * MB + 1 }, "document", "upload"],
    ["an image sent as a document", { kind: "document" }, "document", "upload"],
    ["mp4", { kind: "video", mimeType: "video/mp4" }, "video", "upload"],
    ["avi", { kind: "video", mimeType: "video/x-msvideo" }, "document", "upload"],
    ["mp3", { kind: "audio", mimeType: "audio/mpeg" }, "audio", "upload"],
    ["a voice note", { kind: "audio", mimeType: "audio/ogg; codecs=opus" }, "voice", "upload"],
    ["wav", { kind: "audio", mimeType: "audio/wav" }, "document", "upload"],
    ["a public photo of 5 MB", { ...PUBLIC, size: 5 * MB }, "photo", "link"],
    ["a public photo above 5 MB", { ...PUBLIC, size: 5 * MB + 1 }, "photo", "upload"],
    [
      "a public video of 20 MB",
      { ...PUBLIC, kind: "video", mimeType: "video/mp4", size: 20 * MB },
      "video",
      "link",
    ],
    [
      "a public video above 20 MB",
      { ...PUBLIC, kind: "video", mimeType: "video/mp4", size: 20 * MB + 1 },
      "video",
      "upload",
    ],
    [
      "a public voice note above 1 MB",
      { ...PUBLIC, kind: "audio", mimeType: "audio/ogg", size: MB + 1 },
      "voice",
      "upload",
    ],
    ["a public pdf", { ...PUBLIC, kind: "document", mimeType: "application/pdf" }, "document", "link"],
    [
      "a public pdf under another name",
      { ...PUBLIC, kind: "document", name: "bill.pdf" },
      "document",
      "upload",
    ],
    [
      "a public docx",
      { ...PUBLIC, kind: "document", name: "a.docx", url: "https://cdn.example.com/a.docx" },
      "document",
      "upload",
    ],
    [
      "a link with a broken name",
      { ...PUBLIC, kind: "document", url: "https://cdn.example.com/%zz.pdf" },
      "document",
      "upload",
    ],
  ];
  it.each(cases)("%s", (_, file, form, source) =>
    expect(chooseMedia(outboundFile(file))).toEqual({ form, source }),
  );
});

describe("nextAttempt", () => {
  const link = { chatId: "-4012", topic: {}, form: "photo", source: "link" } as const;
  const inTopic = { ...link, topic: { message_thread_id: 12 } } as const;
  const upload = { ...link, source: "upload" } as const;
  const document = { ...upload, form: "document" } as const;
  const no = (description: string): Refusal => new Refusal(400, `Bad Request: ${description}`);
  const moved = new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
    newChatId: "-1001",
  });
  const cases = [
    ["failed to get HTTP URL content", link, no("failed to get HTTP URL content"), upload],
    ["wrong type of page", link, no("wrong type of the web page content"), upload],
    ["wrong link", link, no("wrong file identifier/HTTP URL specified"), upload],
    ["odd dimensions", upload, no("PHOTO_INVALID_DIMENSIONS"), document],
    ["odd dimensions by link", link, no("PHOTO_INVALID_DIMENSIONS"), document],
    ["a topic that is gone", inTopic, no("message thread not found"), link],
    ["a general topic that is gone", link, no("message thread not found"), null],
    ["a migrated chat", link, moved, { ...link, chatId: "-1001", isMoved: true }],
    ["a chat migrated again", { ...link, isMoved: true }, moved, null],
    [
      "a link refusal of a migrated chat",
      { ...link, isMoved: true },
      no("wrong file identifier"),
      { ...upload, isMoved: true },
    ],
    ["a link refusal of an upload", upload, no("failed to get HTTP URL content"), null],
    ["dimensions of a document", document, no("PHOTO_INVALID_DIMENSIONS"), null],
    ["a chat migrated to itself", { ...link, chatId: "-1001" }, moved, null],
    ["anything else", link, no("chat not found"), null],
  ] as const;
  it.each(cases)("%s", (_, attempt, refusal, expected) =>
    expect(nextAttempt(attempt, refusal)).toEqual(expected),
  );
});

describe("toInputMedia", () => {
  const document = { type: "document", media: "attach://file", disable_content_type_detection: true };
  it.each([
    ["photo", "upload", { type: "photo", media: "attach://file" }],
    ["video", "link", { type: "video", media: outboundFile().url }],
    ["document", "upload", document],
    ["document", "link", { type: "document", media: outboundFile().url }],
    ["voice", "upload", document],
  ] as const)("%s by %s", (form, source, expected) => {
    expect(toInputMedia(outboundFile(), { form, source })).toEqual(expected);
  });
});

describe("messageIdOf", () => {
  it.each([
    ["15", 15],
    ["15#2", 15],
    ["callback:77", undefined],
    ["pending:x", undefined],
    ["0", undefined],
  ])("%s", (externalId, expected) => {
    expect(messageIdOf({ chatType: "telegram", chatId: "111", externalId })).toBe(expected);
  });
});
