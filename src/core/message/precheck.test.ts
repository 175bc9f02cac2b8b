import { describe, expect, it } from "vitest";
import { postbox } from "../../../test/kit/transport.ts";
import type { Capabilities, TransportDefinition } from "../transport/definition.ts";
import type { OutgoingContent } from "./content.ts";
import { precheck } from "./precheck.ts";
import type { SendJob } from "./send-lanes.ts";

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
    ["a username that the messenger knows", ["chatId", "username"], job({ username: "ann" }), null],
    ["a phone that the messenger knows", ["phone"], job({ phone: "7900" }), null],
    ["a username where only chats are known", ["chatId"], job({ username: "ann" }), "BAD_CONTACT"],
    ["a username where phones are known", ["chatId", "phone"], job({ username: "ann" }), "BAD_CONTACT"],
    ["a username with a known phone", ["phone"], job({ username: "ann", phone: "7900" }), null],
    ["a phone where only chats are known", ["chatId"], job({ phone: "7900" }), "BAD_CONTACT"],
    ["nobody", ["chatId", "username", "phone"], job({}), "BAD_CONTACT"],
    ["nobody and too much", ["chatId"], job({}, "x".repeat(11)), "TOO_LONG_TEXT"],
  ] as const)("%s", (_, addressBy, sent, code) => {
    expect(precheck(reachedBy(addressBy), sent)?.code ?? null).toBe(code);
  });

  it.each([
    ["50 MB are", 50 * 1024 * 1024, null],
    ["one byte more is not", 50 * 1024 * 1024 + 1, "TOO_BIG_CONTENT"],
  ])("of a file whose size the client told %s taken", (_, size, code) => {
    const attachment = { url: "https://example.com/a", size };
    const sent = { ...job(KNOWN, null), content: { attachment } };
    expect(precheck(reachedBy(["chatId"]), sent)?.code ?? null).toBe(code);
  });

  const DAY_MS = 24 * 3_600_000;
  it.each<[string, number | undefined, Partial<SendJob>, string | null]>([
    ["within the window", 3 * DAY_MS, { quietMs: 3 * DAY_MS }, null],
    ["after it", 3 * DAY_MS, { quietMs: 3 * DAY_MS + 1 }, "24_HOURS_EXCEEDED"],
    [
      "after it, a template",
      3 * DAY_MS,
      { quietMs: 9 * DAY_MS, content: { template: { id: "t", values: [], payloads: [] } } },
      null,
    ],
    ["to somebody who was never heard of", 3 * DAY_MS, { quietMs: null }, null],
    ["where there is no window", undefined, { quietMs: 9 * DAY_MS }, null],
  ])("%s", (_, replyWindowMs, more, code) => {
    const capabilities = {
      ...postbox.capabilities,
      ...(replyWindowMs === undefined ? {} : { replyWindowMs }),
    };
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
