import type { proto } from "baileys";
import { describe, expect, test } from "vitest";
import { proto as wire } from "../library.ts";
import { type Content, readContent, readExpiration } from "./body.ts";

type Message = proto.IMessage;

const text = (words: string): Content => ({ kind: "body", body: { type: "text", text: words } });
const unsupported = (what: string): Content => ({ kind: "body", body: { type: "unsupported", what } });
const NOTHING: Content = { kind: "nothing" };

const key = Buffer.from("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "hex");
const stored = { mediaKey: key, directPath: "/v/x", url: "https://mmg.whatsapp.net/v/x", fileLength: 1234 };
const tokenOf = (type: string): string =>
  JSON.stringify({ type, key: key.toString("base64"), path: stored.directPath, url: stored.url });
const media = (
  kind: "image" | "video" | "audio" | "document",
  type: string,
  mimeType: string,
  more: { text?: string; name?: string } = {},
): Content => {
  const name = more.name === undefined ? {} : { name: more.name };
  const file = { token: tokenOf(type), ...name, mimeType, size: 1234 };
  return { kind: "body", body: { type: "media", media: kind, file, text: more.text ?? "" } };
};

describe("texts", () => {
  test.each<[string, Message, Content]>([
    ["plain", { conversation: "hi" }, text("hi")],
    [
      "with a link",
      { extendedTextMessage: { text: "see https://x.example" } },
      text("see https://x.example"),
    ],
    ["that disappears", { ephemeralMessage: { message: { conversation: "soon gone" } } }, text("soon gone")],
    [
      "a button",
      { buttonsResponseMessage: { selectedDisplayText: "Yes", selectedButtonId: "y" } },
      text("Yes"),
    ],
    [
      "a list",
      { listResponseMessage: { title: "Tea", singleSelectReply: { selectedRowId: "1" } } },
      text("Tea"),
    ],
    ["a template's button", { templateButtonReplyMessage: { selectedDisplayText: "Ok" } }, text("Ok")],
    [
      "a template",
      { templateMessage: { hydratedTemplate: { hydratedContentText: "Your order" } } },
      text("Your order"),
    ],
    [
      "a poll",
      { pollCreationMessageV3: { name: "Lunch?", options: [{ optionName: "Yes" }, { optionName: "No" }] } },
      text("Lunch?\n• Yes\n• No"),
    ],
    [
      "a poll in its wrapper",
      { pollCreationMessageV4: { message: { pollCreationMessage: { name: "When?", options: [] } } } },
      text("When?"),
    ],
    [
      "a program's buttons, which are no secret",
      { viewOnceMessage: { message: { interactiveMessage: { body: { text: "Choose" } } } } },
      text("Choose"),
    ],
    ["with a group mention", { groupMentionedMessage: { message: { conversation: "all" } } }, text("all")],
    ["for a bot", { botInvokeMessage: { message: { conversation: "help" } } }, text("help")],
    ["an older poll", { pollCreationMessage: { name: "Why?", options: [] } }, text("Why?")],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));
});

describe("files", () => {
  test.each<[string, Message, Content]>([
    [
      "a picture",
      { imageMessage: { ...stored, mimetype: "image/jpeg", caption: "look" } },
      media("image", "image", "image/jpeg", { text: "look" }),
    ],
    ["a video", { videoMessage: { ...stored, mimetype: "video/mp4" } }, media("video", "video", "video/mp4")],
    [
      "a video note",
      { ptvMessage: { ...stored, mimetype: "video/mp4" } },
      media("video", "video", "video/mp4"),
    ],
    ["music", { audioMessage: { ...stored, mimetype: "audio/mpeg" } }, media("audio", "audio", "audio/mpeg")],
    [
      "a voice",
      { audioMessage: { ...stored, mimetype: "audio/ogg; codecs=opus", ptt: true } },
      media("audio", "ptt", "audio/ogg; codecs=opus"),
    ],
    [
      "a document with a caption",
      {
        documentWithCaptionMessage: {
          message: {
            documentMessage: { ...stored, mimetype: "application/pdf", fileName: "a.pdf", caption: "sign" },
          },
        },
      },
      media("document", "document", "application/pdf", { name: "a.pdf", text: "sign" }),
    ],
    [
      "a sticker",
      { stickerMessage: { ...stored, mimetype: "image/webp" } },
      media("image", "sticker", "image/webp", { name: "sticker.was" }),
    ],
    [
      "an animated sticker",
      {
        lottieStickerMessage: {
          message: { stickerMessage: { ...stored, mimetype: "application/was", isLottie: true } },
        },
      },
      media("image", "sticker", "application/was", { name: "sticker.was" }),
    ],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));
});

describe("others", () => {
  test.each<[string, Message, Content]>([
    [
      "a place",
      {
        locationMessage: {
          degreesLatitude: 55.7,
          degreesLongitude: 37.6,
          name: "Office",
          address: "Tverskaya",
        },
      },
      { kind: "body", body: { type: "geo", latitude: 55.7, longitude: 37.6, text: "Office\nTverskaya" } },
    ],
    [
      "a live location",
      { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "on my way" } },
      { kind: "body", body: { type: "geo", latitude: 1, longitude: 2, text: "on my way" } },
    ],
    [
      "a card",
      { contactMessage: { displayName: "Ann", vcard: "BEGIN:VCARD" } },
      { kind: "body", body: { type: "vcard", vcard: "BEGIN:VCARD" } },
    ],
    [
      "several cards",
      { contactsArrayMessage: { contacts: [{ vcard: "A" }, { vcard: "B" }] } },
      { kind: "body", body: { type: "vcard", vcard: "A\nB" } },
    ],
    ["view once", { viewOnceMessageV2: { message: { imageMessage: stored } } }, unsupported("view once")],
    [
      "view once, in a chat with disappearing messages",
      { ephemeralMessage: { message: { viewOnceMessageV2: { message: { imageMessage: stored } } } } },
      unsupported("view once"),
    ],
    ["a payment", { requestPaymentMessage: {} }, unsupported("request payment")],
    ["an event", { eventMessage: { name: "Party" } }, unsupported("event")],
    ["an order", { orderMessage: {} }, unsupported("order")],
    ["a vote", { pollUpdateMessage: { pollCreationMessageKey: { id: "A" } } }, NOTHING],
    ["only keys", { senderKeyDistributionMessage: { groupId: "1@g.us" }, messageContextInfo: {} }, NOTHING],
    ["nothing", {}, NOTHING],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));

  test.each([null, undefined])("%s is nothing", (message) => expect(readContent(message)).toEqual(NOTHING));
});

describe("edits and deletions", () => {
  const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = wire.Message.ProtocolMessage.Type;
  test.each<[string, Message, Content]>([
    [
      "an edit",
      {
        protocolMessage: { type: MESSAGE_EDIT, key: { id: "A1" }, editedMessage: { conversation: "better" } },
      },
      { kind: "edit", externalId: "A1", body: { type: "text", text: "better" } },
    ],
    [
      "an edit in its wrapper",
      {
        editedMessage: {
          message: {
            protocolMessage: {
              type: MESSAGE_EDIT,
              key: { id: "A1" },
              editedMessage: { extendedTextMessage: { text: "better" } },
            },
          },
        },
      },
      { kind: "edit", externalId: "A1", body: { type: "text", text: "better" } },
    ],
    [
      "a removal",
      { protocolMessage: { type: REVOKE, key: { id: "A1" } } },
      { kind: "removal", externalId: "A1" },
    ],
    ["a deletion without an id", { protocolMessage: { type: REVOKE } }, NOTHING],
    ["a deletion with an invalid id", { protocolMessage: { type: REVOKE, key: { id: "A1\0" } } }, NOTHING],
    ["a setting", { protocolMessage: { type: EPHEMERAL_SETTING, key: { id: "A1" } } }, NOTHING],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));
});

describe("reactions", () => {
  test.each<[string, Message, Content]>([
    [
      "one",
      { reactionMessage: { key: { id: "A1" }, text: "👍" } },
      { kind: "reaction", externalId: "A1", emoji: "👍" },
    ],
    [
      "a removed one",
      { reactionMessage: { key: { id: "A1" }, text: "" } },
      { kind: "reaction", externalId: "A1", emoji: null },
    ],
    ["one to nothing", { reactionMessage: { text: "👍" } }, NOTHING],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));
});

describe("quotes", () => {
  test("with the quoted text", () => {
    const quotedMessage = { conversation: "the question" };
    const message = { extendedTextMessage: { text: "yes", contextInfo: { stanzaId: "Q1", quotedMessage } } };
    const body = { type: "text", text: "the question" };
    expect(readContent(message)).toMatchObject({ quoted: { externalId: "Q1", body } });
  });

  test("on a picture, without the quoted content", () => {
    const message = { imageMessage: { ...stored, mimetype: "image/png", contextInfo: { stanzaId: "Q1" } } };
    expect(readContent(message)).toMatchObject({ quoted: { externalId: "Q1" } });
  });

  test("an advertisement is the message's source, a preview of a link is not", () => {
    const ad = {
      sourceType: "ad",
      sourceId: "1202",
      title: "Kettles",
      ctwaClid: "Aff",
      thumbnail: Buffer.of(1),
    };
    const of = (externalAdReply: object): unknown =>
      readContent({ extendedTextMessage: { text: "hi", contextInfo: { externalAdReply } } });
    const referral = { source: "ad", sourceId: "1202", headline: "Kettles", clickId: "Aff" };
    expect(of(ad)).toEqual({ ...text("hi"), referral });
    expect(of({ title: "A page", sourceUrl: "https://x.example" })).toEqual(text("hi"));
  });

  test("a mention is not a quote", () => {
    const contextInfo = { mentionedJid: ["79990000001@s.whatsapp.net"] };
    expect(readContent({ extendedTextMessage: { text: "@Ann", contextInfo } })).toEqual(text("@Ann"));
  });
});

describe("how long messages stay", () => {
  const contextInfo = { expiration: 604_800 };
  test.each<[string, Message, number | null]>([
    ["a text", { extendedTextMessage: { text: "hi", contextInfo } }, 604_800],
    ["a picture", { imageMessage: { ...stored, mimetype: "image/jpeg", contextInfo } }, 604_800],
    [
      "a wrapped text",
      { ephemeralMessage: { message: { extendedTextMessage: { text: "hi", contextInfo } } } },
      604_800,
    ],
    ["a text that stays", { conversation: "hi" }, 0],
    ["the setting", { protocolMessage: { type: 3, ephemeralExpiration: 86_400 } }, 86_400],
    ["the setting turned off", { protocolMessage: { type: 3 } }, 0],
    ["a reaction", { reactionMessage: { text: "!" } }, null],
    ["nothing", {}, null],
  ])("%s", (_name, message, expected) => {
    expect(readExpiration(message)).toBe(expected);
  });
});
