import { Long, type tl } from "@mtcute/core";
import { describe, expect, it } from "vitest";
import { chatIdOf, peerOf } from "./inbound/update.ts";
import { isThis, randomIdOf } from "./outbound/sends.ts";
import { chooseForm, messageIdOf, readSent, toMedia, toRequest } from "./outbound.ts";
import { ANN, fileMessage, outboundFile, textMessage } from "./testing.ts";

const peer: tl.TypeInputPeer = { _: "inputPeerUser", userId: Number(ANN), accessHash: Long.ONE };
const randomId = Long.fromNumber(7);
const uploaded: tl.TypeInputFile = {
  _: "inputFile",
  id: Long.ONE,
  parts: 1,
  name: "a",
  md5Checksum: "",
};

describe("request bodies", () => {
  it("of a text, with its random_id", () => {
    expect(toRequest(textMessage(), { peer, randomId })).toEqual({
      _: "messages.sendMessage",
      peer,
      randomId,
      message: "hello",
    });
  });

  it.each([
    ["42", { _: "inputReplyToMessage", replyToMsgId: 42 }],
    ["story:1:2", undefined],
    ["99999999999", undefined],
  ])("a quote of %s", (externalId, expected) => {
    const quoted = { chatType: "telegram", chatId: ANN, externalId } as const;
    expect(toRequest(textMessage({ quoted }), { peer, randomId }).replyTo).toEqual(expected);
  });

  it("of a file with a text", () => {
    const media = toMedia(outboundFile(), "document", { file: uploaded });
    const content = { type: "file", file: outboundFile(), caption: "The price" } as const;
    expect(toRequest(textMessage({ content }), { peer, randomId, media }).message).toBe("The price");
  });

  it("of a file", () => {
    const media = toMedia(outboundFile(), "document", { file: uploaded });
    expect(toRequest(fileMessage(), { peer, randomId, media })).toMatchObject({
      _: "messages.sendMedia",
      message: "",
      media: {
        _: "inputMediaUploadedDocument",
        forceFile: true,
        mimeType: "application/pdf",
        attributes: [{ _: "documentAttributeFilename", fileName: "offer.pdf" }],
      },
    });
  });

  it.each([
    ["image", "image/jpeg", 1_000, "photo"],
    ["image", "image/png; q=1", 10_000_001, "document"],
    ["image", "image/webp", 1_000, "document"],
    ["image", "image/gif", 1_000, "animation"],
    ["video", "video/mp4", 1_000, "video"],
    ["video", "video/quicktime", 1_000, "document"],
    ["audio", "audio/ogg; codecs=opus", 1_000, "voice"],
    ["audio", "audio/mpeg", 1_000, "audio"],
    ["document", "image/jpeg", 1_000, "document"],
  ] as const)("%s of %s (%i bytes) goes as %s", (kind, mimeType, size, expected) => {
    expect(chooseForm(outboundFile({ kind, mimeType, size }))).toBe(expected);
  });

  it.each([
    ["photo", { _: "inputMediaUploadedPhoto", file: uploaded }],
    ["voice", { attributes: [{ _: "documentAttributeAudio", voice: true }, {}] }],
    ["video", { nosoundVideo: true, attributes: [{ _: "documentAttributeVideo" }, {}] }],
    ["animation", { attributes: [{ _: "documentAttributeAnimated" }, {}] }],
  ] as const)("a %s", (form, expected) => {
    expect(toMedia(outboundFile(), form, { file: uploaded })).toMatchObject(expected);
  });
});

describe("what is known of a file", () => {
  it("a voice note has its duration and its waveform, 5 bits a peak", () => {
    const file = outboundFile({ voiceNote: { seconds: 7, waveform: Uint8Array.of(0, 100, 50, 3, 100) } });
    // 0, 31, 16, 1 and 31, from the lowest bit.
    expect(toMedia(file, "voice", { file: uploaded })).toMatchObject({
      attributes: [
        { _: "documentAttributeAudio", duration: 7, waveform: Uint8Array.of(0xe0, 0xc3, 0xf0, 0x01) },
        {},
      ],
    });
  });

  it("a video has its duration, its size and a thumbnail", () => {
    const preview = { seconds: 9, width: 480, height: 640, thumbnail: Uint8Array.of(1) };
    const thumb = { ...uploaded, name: "thumbnail.jpg" };
    expect(
      toMedia(outboundFile({ videoPreview: preview }), "video", { file: uploaded, thumb }),
    ).toMatchObject({
      thumb: { name: "thumbnail.jpg" },
      attributes: [{ _: "documentAttributeVideo", duration: 9, w: 480, h: 640 }, {}],
    });
  });
});

describe("parsing of responses", () => {
  const message = { _: "message", id: 12, date: 1_790_000_000 } as tl.TypeMessage;
  const updates = (list: tl.TypeUpdate[]): tl.TypeUpdates => ({
    _: "updates",
    updates: list,
    users: [],
    chats: [],
    date: 1_790_000_009,
    seq: 0,
  });
  const named: tl.TypeUpdate = { _: "updateMessageID", id: 12, randomId };
  const added: tl.TypeUpdate = { _: "updateNewMessage", message, pts: 1, ptsCount: 1 };

  it.each([
    [
      "short",
      { _: "updateShortSentMessage", id: 12, date: 1_790_000_000, pts: 1, ptsCount: 1 } as tl.TypeUpdates,
      { id: 12, date: 1_790_000_000 },
    ],
    ["with the message", updates([named, added]), { id: 12, date: 1_790_000_000 }],
    ["without it", updates([named]), { id: 12, date: 1_790_000_009 }],
    ["without the name", updates([added]), { id: 12, date: 1_790_000_000 }],
    ["empty", updates([]), null],
    ["too long", { _: "updatesTooLong" } as tl.TypeUpdates, null],
  ])("%s", (_, answer, expected) => expect(readSent(answer, randomId)).toEqual(expected));
});

describe("ids", () => {
  it("a message always has the same random_id, different from others", () => {
    const [a, again, b] = ["m1", "m1", "m2"].map((id) => randomIdOf(id).toString());
    expect(a).toBe(again);
    expect(a).not.toBe(b);
  });

  it.each([
    [{ userId: "446543212" }, "446543212", { kind: "user", id: 446543212 }],
    [{ chatId: "4812345678" }, "-4812345678", { kind: "chat", id: 4812345678 }],
    [{ channelId: "1987654321" }, "-1001987654321", { kind: "channel", id: 1987654321 }],
  ])("%j is %s", (given, chatId, expected) => {
    expect(chatIdOf(given)).toBe(chatId);
    expect(peerOf(chatId)).toEqual(expected);
  });

  it.each(["", "0", "-0", "john", "12345678901234567890", "1.5"])("%j is not a chat id", (chatId) => {
    expect(peerOf(chatId)).toBeNull();
  });

  it.each([
    ["5", 5],
    ["5#2", 5],
    ["callback:1", undefined],
    ["0", undefined],
  ])("message %s", (externalId, expected) => expect(messageIdOf({ externalId })).toBe(expected));
});

describe("matching a message to a send", () => {
  const at = 1_790_000_000_000;
  const text = { chatId: ANN, at, text: "hello " };
  const shown = { _: "message", date: 1_790_000_005, message: "hello" };
  const file = { chatId: ANN, at, text: undefined };
  const withDocument = (size: number, attribute = "documentAttributeFilename") => {
    const document = { size, attributes: [{ _: attribute }] };
    return { ...shown, message: "", media: { _: "messageMediaDocument", document } };
  };
  const withPhoto = (id: string) => ({
    ...shown,
    message: "",
    media: { _: "messageMediaPhoto", photo: { id } },
  });
  it.each([
    ["the same", text, shown, true],
    ["another text", text, { ...shown, message: "bye" }, false],
    ["long before", text, { ...shown, date: 1_789_999_000 }, false],
    ["a file", text, { ...shown, media: { _: "messageMediaPhoto" } }, false],
    ["a web page's preview", text, { ...shown, media: { _: "messageMediaWebPage" } }, true],
    ["a service message", text, { ...shown, _: "messageService" }, false],
    ["a file for a file of an earlier version", { ...text, text: undefined }, withDocument(1), true],
    ["a text for a file", { ...file, file: { size: 5 } }, shown, false],
    ["a file of the same size", { ...file, file: { size: 5 } }, withDocument(5), true],
    ["a file of another size", { ...file, file: { size: 5 } }, withDocument(6), false],
    ["a file with a caption", { ...file, file: { size: 5 } }, { ...withDocument(5), message: "hi" }, false],
    ["its caption", { ...file, text: "hi", file: { size: 5 } }, { ...withDocument(5), message: "hi" }, true],
    [
      "another caption",
      { ...file, text: "hi", file: { size: 5 } },
      { ...withDocument(5), message: "ho" },
      false,
    ],
    ["a text like its caption", { ...file, text: "hello", file: { size: 5 } }, shown, false],
    ["an animation", { ...file, file: {} }, withDocument(6, "documentAttributeAnimated"), true],
    ["a file for an animation", { ...file, file: {} }, withDocument(5), false],
    ["the photo", { ...file, file: { size: 5, photoIds: ["8", "9"] } }, withPhoto("9"), true],
    ["another photo", { ...file, file: { size: 5, photoIds: ["8"] } }, withPhoto("9"), false],
    ["a photo for a file", { ...file, file: { size: 5 } }, withPhoto("9"), false],
    ["a file for a photo", { ...file, file: { size: 5, photoIds: ["9"] } }, withDocument(6), false],
  ])("%s", (_, send, message, expected) => expect(isThis(send, ANN, message)).toBe(expected));
  it("another chat", () => expect(isThis(text, "1", shown)).toBe(false));
});
