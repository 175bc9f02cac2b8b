import { describe, expect, it } from "vitest";
import { postbox } from "../../../test/kit/transport.ts";
import type { Attachment, OutgoingContent } from "../content.ts";
import type { Capabilities, TransportDefinition } from "../transport/definition.ts";
import { findFileFault, precheck } from "./precheck.ts";
import type { SendJob } from "./send-jobs.ts";

const reachedBy = (addressBy: Capabilities["addressBy"]): TransportDefinition => ({
  ...postbox,
  capabilities: { ...postbox.capabilities, addressBy },
});

function job(
  recipient: NonNullable<OutgoingContent["recipient"]> | null,
  text: string | null = "hello",
): SendJob {
  return {
    id: 1,
    chat: "c",
    kind: "send",
    change: null,
    startedEpoch: null,
    unsureMs: null,
    attempts: 0,
    accountId: 1,
    channelId: "h",
    messageId: "m",
    chatType: "vk",
    chatId: "5",
    type: "text",
    status: "queued",
    text,
    content: recipient === null ? {} : { recipient },
    externalId: null,
    quotedExternalId: null,
    isQuotedDeleted: false,
    quotedPost: null,
    isFirstContact: null,
    quietMs: null,
  };
}

describe("precheck", () => {
  const KNOWN = null;
  it.each([
    ["a text within the limit", ["chatId"], job(KNOWN, "x".repeat(10)), null],
    ["a text above the limit", ["chatId"], job(KNOWN, "x".repeat(11)), "TOO_LONG_TEXT"],
    ["emoji, which are two units each", ["chatId"], job(KNOWN, "👍".repeat(6)), "TOO_LONG_TEXT"],
    ["no text", ["chatId"], job(KNOWN, null), null],
    [
      "a quote of a deleted message",
      ["chatId"],
      { ...job(KNOWN), isQuotedDeleted: true },
      "CANNOT_REPLY_TO_DELETED",
    ],
    ["a username that the messenger knows", ["chatId", "username"], job({ username: "ann" }), null],
    ["a phone that the messenger knows", ["phone"], job({ phone: "7900" }), null],
    ["a username where only chats are known", ["chatId"], job({ username: "ann" }), "BAD_CONTACT"],
    ["a username where phones are known", ["chatId", "phone"], job({ username: "ann" }), "BAD_CONTACT"],
    ["a username with a known phone", ["phone"], job({ username: "ann", phone: "7900" }), null],
    ["a phone where only chats are known", ["chatId"], job({ phone: "7900" }), "BAD_CONTACT"],
    ["a phone with the chat", ["chatId"], job({ chatId: "5", phone: "7900" }), null],
    ["nobody", ["chatId", "username", "phone"], job({}), "BAD_CONTACT"],
    ["nobody and too much", ["chatId"], job({}, "x".repeat(11)), "TOO_LONG_TEXT"],
  ] as const)("%s", (_, addressBy, sent, code) => {
    expect(precheck(reachedBy(addressBy), sent)?.code ?? null).toBe(code);
  });

  const MB = 1024 * 1024;
  const media = { image: { maxBytes: 8 * MB }, document: { maxBytes: 60 * MB } };
  it.each<[string, Partial<Attachment>, string | null]>([
    ["50 MB", { size: 50 * MB }, null],
    ["one byte more", { size: 50 * MB + 1 }, "TOO_BIG_CONTENT"],
    ["an image within its limit", { mimeType: "image/png", size: 8 * MB }, null],
    ["an image above it", { mimeType: "image/png", size: 8 * MB + 1 }, "TOO_BIG_CONTENT"],
    ["an image by its name", { name: "a.JPG", size: 9 * MB }, "TOO_BIG_CONTENT"],
    ["a kind that it takes", { mimeType: "application/pdf", size: 9 * MB }, null],
    ["a kind that it does not take", { mimeType: "video/mp4" }, "CONTENT_CONVERSION_ERROR"],
    ["something of which nothing is known", { size: 9 * MB }, null],
  ])("a file that the client describes: %s", (_, about, code) => {
    const attachment = { url: "https://example.com/a", ...about };
    const sent = { ...job(KNOWN, null), content: { attachment } };
    const definition = { ...postbox, capabilities: { ...postbox.capabilities, media } };
    expect(precheck(definition, sent)?.code ?? null).toBe(code);
  });

  it.each<[string, Parameters<typeof findFileFault>[1], string | null]>([
    ["an image", { kind: "image", size: 8 * MB }, null],
    [
      "a large image",
      { kind: "image", size: 8 * MB + 1 },
      'Post box takes files of the kind "image" of at most 8 MB',
    ],
    ["a sound", { kind: "audio", size: 1 }, 'Post box takes no files of the kind "audio"'],
  ])("a downloaded file: %s", (_, file, description) => {
    const definition = { ...postbox, capabilities: { ...postbox.capabilities, media } };
    expect(findFileFault(definition, file)?.description ?? null).toBe(description);
  });

  it("a file in reply to a comment", () => {
    const attachment = { url: "https://example.com/a.png" };
    const sent = { ...job(KNOWN, null), content: { attachment }, quotedPost: "77" };
    expect(precheck(reachedBy(["chatId"]), sent)?.code).toBe("COMMENT_CAN_BE_TEXT_ONLY");
  });

  const DAY_MS = 24 * 3_600_000;
  it.each<[string, number | undefined, Partial<SendJob>, string | null]>([
    ["within the window", 3 * DAY_MS, { quietMs: 3 * DAY_MS }, null],
    ["after it", 3 * DAY_MS, { quietMs: 3 * DAY_MS + 1 }, "7_DAYS_EXCEEDED"],
    ["after it, in answer to a comment", 3 * DAY_MS, { quietMs: 9 * DAY_MS, quotedPost: "77" }, null],
    [
      "after it, a template",
      3 * DAY_MS,
      { quietMs: 9 * DAY_MS, content: { template: { id: "t", values: [], payloads: [] } } },
      null,
    ],
    ["to a person without inbound messages", 3 * DAY_MS, { quietMs: null }, null],
    ["where there is no window", undefined, { quietMs: 9 * DAY_MS }, null],
  ])("%s", (_, ms, more, code) => {
    const replyWindow = { ms: ms ?? 0, code: "7_DAYS_EXCEEDED" } as const;
    const capabilities = { ...postbox.capabilities, ...(ms === undefined ? {} : { replyWindow }) };
    const sent = { ...job(KNOWN, null), ...more };
    expect(precheck({ ...postbox, capabilities }, sent)?.code ?? null).toBe(code);
  });

  it("names the messenger and its limit", () => {
    expect(precheck(reachedBy(["chatId"]), job(KNOWN, "x".repeat(11)))).toEqual({
      code: "TOO_LONG_TEXT",
      description: "Post box takes texts of at most 10 characters",
    });
  });
});
