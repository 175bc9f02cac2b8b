import type { proto } from "baileys";
import { describe, expect, test } from "vitest";
import { proto as wire } from "../library.ts";
import { type Content, readContent, readExpiration, unknownIn } from "./body.ts";

type Message = proto.IMessage;

const text = (words: string): Extract<Content, { kind: "body" }> => ({
  kind: "body",
  body: { type: "text", text: words },
});
const unsupported = (what: string, words?: string): Content => ({
  kind: "body",
  body: { type: "unsupported", what, ...(words === undefined ? {} : { text: words }) },
});
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
): Extract<Content, { kind: "body" }> => {
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
      { ...text("Yes"), pressed: { text: "Yes", payload: "y" } },
    ],
    [
      "a list",
      {
        listResponseMessage: {
          title: "Tea",
          description: "Green",
          singleSelectReply: { selectedRowId: "1" },
        },
      },
      { ...text("Tea\nGreen"), pressed: { text: "Tea", payload: "1" } },
    ],
    [
      "a template's button",
      { templateButtonReplyMessage: { selectedDisplayText: "Ok" } },
      { ...text("Ok"), pressed: { text: "Ok" } },
    ],
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
    ["an order", { orderMessage: {} }, unsupported("order")],
    ["a vote", { pollUpdateMessage: { pollCreationMessageKey: { id: "A" } } }, NOTHING],
    ["only keys", { senderKeyDistributionMessage: { groupId: "1@g.us" }, messageContextInfo: {} }, NOTHING],
    ["nothing", {}, NOTHING],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));

  test.each([null, undefined])("%s is nothing", (message) => expect(readContent(message)).toEqual(NOTHING));
});

describe("every field of a message", () => {
  const said = { extendedTextMessage: { text: "Blue" } };
  const wrappers = [
    ...["ephemeralMessage", "viewOnceMessage", "viewOnceMessageV2", "viewOnceMessageV2Extension"],
    ...["documentWithCaptionMessage", "editedMessage", "groupMentionedMessage", "botInvokeMessage"],
    ...["botTaskMessage", "botForwardedMessage", "lottieStickerMessage", "associatedChildMessage"],
    ...["statusAddYours", "groupStatusMessage", "groupStatusMessageV2", "limitSharingMessage"],
    ...["questionMessage", "questionReplyMessage", "pollCreationMessageV4", "eventCoverImage"],
    ...["pollCreationOptionImageMessage", "deviceSentMessage", "commentMessage", "statusMentionMessage"],
    ...["groupStatusMentionMessage"],
  ];
  test.each(wrappers)("%s shows what is inside", (name) => {
    expect(readContent({ [name]: { message: said } })).toEqual(text("Blue"));
    expect(readContent({ ephemeralMessage: { message: { [name]: { message: said } } } })).toEqual(
      text("Blue"),
    );
  });

  const silent = [
    ...[
      "call",
      "callLogMesssage",
      "pollUpdateMessage",
      "encEventResponseMessage",
      "scheduledCallEditMessage",
    ],
    ...["keepInChatMessage", "pinInChatMessage", "encReactionMessage", "encCommentMessage", "albumMessage"],
    ...["stickerSyncRmrMessage", "statusNotificationMessage", "statusStickerInteractionMessage", "chat"],
    ...["messageHistoryBundle", "messageHistoryNotice", "fastRatchetKeySenderKeyDistributionMessage"],
  ];
  test.each(silent)("%s is no message", (name) => {
    expect(readContent({ [name]: { key: { id: "A1" }, displayName: "x" } })).toEqual(NOTHING);
    expect(unknownIn({ [name]: {} })).toEqual([]);
  });

  const pdf = { ...stored, mimetype: "application/pdf", fileName: "a.pdf" };
  const jpeg = { ...stored, mimetype: "image/jpeg" };
  const answered = (body: object, more: object): Content => ({ ...body, ...more }) as Content;
  test.each<[string, Message, Content]>([
    [
      "an answer to a question",
      { questionResponseMessage: { key: { id: "Q1" }, text: "Blue" } },
      answered(text("Blue"), { quoted: { externalId: "Q1" } }),
    ],
    [
      "a comment",
      { commentMessage: { message: said, targetMessageKey: { id: "P1" } } },
      answered(text("Blue"), { quoted: { externalId: "P1" } }),
    ],
    ["an answer to a status", { statusQuestionAnswerMessage: { text: "Blue" } }, text("Blue")],
    [
      "an event",
      {
        eventMessage: {
          name: "Party",
          description: "Bring a lamp",
          startTime: 1_796_119_200,
          location: { name: "Mill", address: "4 Mill Lane" },
          joinLink: "https://call.example/x",
        },
      },
      unsupported(
        "event",
        "Party\n2026-12-01 10:00 UTC\nMill, 4 Mill Lane\nBring a lamp\nhttps://call.example/x",
      ),
    ],
    [
      "a cancelled event",
      { eventMessage: { name: "Party", isCanceled: true } },
      unsupported("event", "Party (cancelled)"),
    ],
    [
      "a planned call",
      { scheduledCallCreationMessage: { title: "Plan", scheduledTimestampMs: 1_796_119_200_000 } },
      unsupported("scheduled call", "Plan\n2026-12-01 10:00 UTC"),
    ],
    [
      "a request for money",
      {
        requestPaymentMessage: {
          amount1000: 12_500,
          currencyCodeIso4217: "EUR",
          noteMessage: { conversation: "for the lamp" },
        },
      },
      unsupported("request payment", "12.5 EUR\nfor the lamp"),
    ],
    [
      "money",
      { sendPaymentMessage: { noteMessage: { extendedTextMessage: { text: "thanks" } } } },
      unsupported("send payment", "thanks"),
    ],
    [
      "an invoice",
      {
        invoiceMessage: {
          note: "lamp",
          attachmentType: 1,
          attachmentMimetype: "application/pdf",
          attachmentMediaKey: key,
          attachmentDirectPath: "/v/x",
        },
      },
      {
        kind: "body",
        body: {
          type: "media",
          media: "document",
          text: "lamp",
          file: { token: expect.stringContaining("/v/x"), mimeType: "application/pdf" },
        },
      },
    ],
    [
      "an invitation to a group",
      { groupInviteMessage: { groupName: "Team", inviteCode: "AbC", caption: "Join us" } },
      text("Join us\nTeam (https://chat.whatsapp.com/AbC)"),
    ],
    [
      "an invitation to a channel",
      { newsletterAdminInviteMessage: { newsletterName: "Lamps", caption: "Help us" } },
      unsupported("newsletter admin invite", "Lamps\nHelp us"),
    ],
    [
      "a sticker pack",
      { stickerPackMessage: { name: "Cats", publisher: "Zoe", caption: "for you" } },
      unsupported("sticker pack", "Cats\nZoe\nfor you"),
    ],
    [
      "a result of a poll",
      {
        pollResultSnapshotMessage: {
          name: "Lunch?",
          pollVotes: [{ optionName: "Yes", optionVoteCount: 3 }, { optionName: "No" }],
        },
      },
      text("Lunch?\n• Yes: 3\n• No: 0"),
    ],
    [
      "a product with a picture",
      {
        productMessage: {
          body: "Look",
          product: {
            title: "Lamp",
            description: "Red",
            url: "https://x.example/l",
            currencyCode: "EUR",
            priceAmount1000: 30_000,
            productImage: jpeg,
          },
        },
      },
      media("image", "image", "image/jpeg", { text: "Look\nLamp (https://x.example/l)\nRed\n30 EUR" }),
    ],
    ["a product", { productMessage: { product: { title: "Lamp" } } }, unsupported("product", "Lamp")],
    [
      "an order",
      {
        orderMessage: {
          orderId: "7",
          orderTitle: "Lamp",
          message: "today",
          itemCount: 2,
          totalAmount1000: 60_000,
          totalCurrencyCode: "EUR",
          token: "T",
        },
      },
      answered(text("today\nLamp × 2, 60 EUR"), {
        answers: [
          {
            type: "order",
            payload: '{"orderId":"7","orderTitle":"Lamp","message":"today","itemCount":"2","price":"60 EUR"}',
          },
        ],
      }),
    ],
    [
      "a list",
      {
        listMessage: {
          title: "Tea",
          description: "Which?",
          footerText: "soon",
          sections: [{ title: "Hot", rows: [{ title: "Green", description: "mild" }] }],
        },
      },
      text("Tea\nWhich?\nsoon\nHot\n• Green – mild"),
    ],
    [
      "buttons under a file",
      {
        buttonsMessage: {
          contentText: "Sign?",
          footerText: "soon",
          documentMessage: pdf,
          buttons: [{ buttonText: { displayText: "Yes" } }],
        },
      },
      media("document", "document", "application/pdf", { name: "a.pdf", text: "Sign?\nsoon\n• Yes" }),
    ],
    [
      "a template with buttons",
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedTitleText: "Hi",
            hydratedContentText: "Ready",
            hydratedFooterText: "Shop",
            hydratedButtons: [
              { urlButton: { displayText: "Track", url: "https://x.example/t" } },
              { callButton: { displayText: "Call", phoneNumber: "+1555" } },
            ],
          },
        },
      },
      text("Hi\nReady\nShop\n• Track (https://x.example/t)\n• Call (+1555)"),
    ],
    [
      "an interactive message",
      {
        interactiveMessage: {
          header: { title: "Hi", imageMessage: jpeg },
          body: { text: "Ready" },
          footer: { text: "Shop" },
          nativeFlowMessage: {
            buttons: [
              { name: "cta_url", buttonParamsJson: '{"display_text":"Track","url":"https://x.example/t"}' },
            ],
          },
        },
      },
      media("image", "image", "image/jpeg", { text: "Hi\nReady\nShop\n• Track (https://x.example/t)" }),
    ],
    [
      "a carousel",
      {
        interactiveMessage: {
          body: { text: "New" },
          carouselMessage: {
            cards: [{ header: { imageMessage: jpeg }, body: { text: "Lamp" } }, { body: { text: "Bulb" } }],
          },
        },
      },
      { ...text("New\nBulb"), more: [media("image", "image", "image/jpeg", { text: "Lamp" }).body] },
    ],
    [
      "a pressed button",
      {
        interactiveResponseMessage: {
          body: { text: "Yes" },
          nativeFlowResponseMessage: { name: "quick_reply", paramsJson: '{"id":"y"}' },
        },
      },
      answered(text("Yes"), { pressed: { text: "Yes", payload: "y" } }),
    ],
    [
      "a form",
      {
        interactiveResponseMessage: {
          body: { text: "Sent" },
          nativeFlowResponseMessage: { name: "flow", paramsJson: '{"flow_token":"t","guest":"Zoe"}' },
        },
      },
      answered(text("guest: Zoe"), {
        answers: [{ type: "flow", payload: '{"flow_token":"t","guest":"Zoe"}' }],
      }),
    ],
    [
      "a bot's response",
      {
        richResponseMessage: {
          submessages: [
            { messageText: "Hi" },
            { tableMetadata: { title: "Sizes", rows: [{ items: ["S", "M"] }] } },
          ],
        },
      },
      text("Hi\nSizes\nS | M"),
    ],
    [
      "a mention in a status",
      { statusMentionMessage: { message: { protocolMessage: { type: 25 } } } },
      unsupported("status mention"),
    ],
    [
      "a message for the phone only",
      { placeholderMessage: { type: 0 } },
      unsupported("a message that only the phone shows"),
    ],
    [
      "view once with words",
      { viewOnceMessageV2: { message: { imageMessage: { ...jpeg, caption: "secret" } } } },
      unsupported("view once", "secret"),
    ],
    [
      "a contact without a card",
      { contactMessage: { displayName: "Ann; Bob" } },
      {
        kind: "body",
        body: { type: "vcard", vcard: "BEGIN:VCARD\nVERSION:3.0\nN:;Ann\\; Bob;\nFN:Ann\\; Bob\nEND:VCARD" },
      },
    ],
    [
      "a place with a link",
      {
        locationMessage: {
          degreesLatitude: 1,
          degreesLongitude: 2,
          name: "Mill",
          url: "https://x.example/m",
        },
      },
      { kind: "body", body: { type: "geo", latitude: 1, longitude: 2, text: "Mill (https://x.example/m)" } },
    ],
    [
      "an edit of a caption",
      {
        protocolMessage: {
          type: 14,
          key: { id: "A1" },
          editedMessage: { imageMessage: { caption: "better" } },
        },
      },
      { kind: "edit", externalId: "A1", body: { type: "text", text: "better" } },
    ],
    [
      "an edit without content",
      {
        protocolMessage: {
          type: 14,
          key: { id: "A1" },
          editedMessage: { extendedTextMessage: { text: "" } },
        },
      },
      NOTHING,
    ],
  ])("%s", (_, message, expected) => expect(readContent(message)).toEqual(expected));

  test("a field that is new is shown, and reported", () => {
    const message = { hologramMessage: { title: "Look", url: "https://x.example", size: 3 } } as Message;
    expect(readContent(message)).toEqual(unsupported("hologram", "Look\nhttps://x.example"));
    expect(unknownIn(message)).toEqual(["message.hologramMessage"]);
  });

  test.each<[string, Message, string[]]>([
    ["a known message", { conversation: "hi" }, []],
    ["keys", { senderKeyDistributionMessage: { groupId: "1@g.us" } }, []],
    ["a known change", { protocolMessage: { type: 3 } }, []],
    ["a new change", { protocolMessage: { type: 99 as never } }, ["protocol.99"]],
    ["an empty text", { extendedTextMessage: {} }, ["message.empty"]],
    ["an empty edit", { protocolMessage: { type: 14, editedMessage: {} } }, ["message.empty"]],
  ])("unknown parts of %s", (_, message, kinds) => expect(unknownIn(message)).toEqual(kinds));
});

describe("fields that the library does not decode", () => {
  const field = (number: number, part: Uint8Array): Uint8Array =>
    Buffer.concat([Buffer.of(((number << 3) & 127) | 2 | 128, number >> 4, part.length), part]);
  const decode = (...fields: Uint8Array[]): Message => wire.Message.decode(Buffer.concat(fields));
  const poll = wire.Message.PollCreationMessage.encode({
    name: "Lunch?",
    options: [{ optionName: "Yes" }],
  }).finish();
  const wrapper = wire.Message.FutureProofMessage.encode({ message: { conversation: "Blue" } }).finish();
  const note = Buffer.from([0x1a, 4, ...Buffer.from("Rent"), 0x32, 3, ...Buffer.from("now")]);

  test.each<[string, Message, Content, string[]]>([
    ["a newer poll", decode(field(119, poll)), text("Lunch?\n• Yes"), []],
    ["a spoiler", decode(field(118, wrapper)), text("Blue"), []],
    ["a new wrapper", decode(field(140, wrapper)), text("Blue"), ["message.field.140"]],
    [
      "new bytes",
      decode(field(141, Buffer.of(8, 1))),
      unsupported("new kind of message"),
      ["message.field.141"],
    ],
    ["an invitation to an event", decode(field(122, note)), unsupported("event invite", "Rent\nnow"), []],
    ["a payment reminder", decode(field(124, note)), unsupported("payment reminder", "Rent"), []],
    ["keys", decode(field(123, note)), NOTHING, []],
    [
      "a spoiler that disappears",
      decode(wire.Message.encode({ ephemeralMessage: { message: { messageContextInfo: {} } } }).finish()),
      NOTHING,
      [],
    ],
  ])("%s", (_, message, expected, kinds) => {
    expect(readContent(message)).toEqual(expected);
    expect(unknownIn(message)).toEqual(kinds);
    expect(readContent(JSON.parse(JSON.stringify(message)) as Message)).toEqual(expected);
  });

  test("inside a wrapper", () => {
    const inner = Buffer.concat([field(118, wrapper)]);
    const outer = Buffer.concat([Buffer.of(0x0a, inner.length), inner]);
    expect(readContent(decode(field(40, outer)))).toEqual(text("Blue"));
  });

  test.each([Buffer.of(255, 255), Buffer.of(0xba, 7, 200)])(
    "bytes that end early are refused as before",
    (bytes) => {
      expect(() => wire.Message.decode(bytes)).toThrow();
    },
  );
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
