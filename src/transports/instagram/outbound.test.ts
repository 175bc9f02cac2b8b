import { describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { toPayload, toReply } from "./outbound.ts";
import { ANN, fileMessage, textMessage } from "./testing.ts";

const HOUR = 60 * 60 * 1000;
const recipient = { id: ANN };
const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof TransportError) return error.code;
  }
  return "was not refused";
};
const text = (words: string): OutboundMessage => textMessage({ content: { type: "text", text: words } });

describe("toPayload", () => {
  it("a text, with the human agent tag after a day", () => {
    const plain = { recipient, message: { text: "hello" } };
    const tagged = { ...plain, messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
    expect(toPayload(textMessage({ quietMs: 23 * HOUR }), recipient)).toEqual(plain);
    expect(toPayload(textMessage({ quietMs: 24 * HOUR }), recipient)).toEqual(tagged);
    const comment = { comment_id: "178" };
    expect(toPayload(textMessage({ quietMs: 200 * HOUR }), comment)).toEqual({
      ...plain,
      recipient: comment,
    });
  });

  it.each([
    ["image", "image/jpeg", "image"],
    ["image", "image/png; charset=binary", "image"],
    ["video", "video/mp4", "video"],
    ["audio", "audio/mp4", "audio"],
    ["document", "application/pdf", "file"],
  ] as const)("%s %s → %s", (kind, mimeType, type) => {
    expect(toPayload(fileMessage({ kind, mimeType }), recipient)).toEqual({
      recipient,
      message: { attachment: { type, payload: { url: "https://files.example/photo.jpg" } } },
    });
  });

  it.each([
    ["image", "image/webp"],
    ["audio", "audio/mpeg"],
    ["document", "text/plain"],
  ] as const)("%s %s is refused", (kind, mimeType) => {
    expect(codeOf(() => toPayload(fileMessage({ kind, mimeType }), recipient))).toBe("WRONG_CONTENT");
  });

  it("limits bytes, not characters", () => {
    expect(toPayload(text("a".repeat(1000)), recipient)).toMatchObject({ recipient });
    expect(codeOf(() => toPayload(text("я".repeat(501)), recipient))).toBe("TOO_LONG_TEXT");
  });
});

describe("toReply", () => {
  it("limits a reply to 300 characters", () => {
    expect(toReply(text("👋".repeat(300)))).toEqual({ message: "👋".repeat(300) });
    expect(codeOf(() => toReply(text("a".repeat(301))))).toBe("TOO_LONG_TEXT");
    expect(codeOf(() => toReply(fileMessage()))).toBe("COMMENT_CAN_BE_TEXT_ONLY");
  });
});
