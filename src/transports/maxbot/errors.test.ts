import { describe, expect, it } from "vitest";
import { isNotReady, isUnauthorized, Refusal, toTransportError } from "./errors.ts";

const notReady = new Refusal(
  400,
  "attachment.not.ready",
  "Key: errors.process.attachment.file.not.processed",
);

describe("toTransportError", () => {
  it.each([
    [403, "chat.denied", "error.dialog.suspended", "BAD_CONTACT"],
    [404, "chat.not.found", "dialog.not.found", "BAD_CONTACT"],
    [400, "proto.payload", "Unknown recipient", "BAD_CONTACT"],
    [400, "proto.payload", "text: size must be between 0 and 4000", "TOO_LONG_TEXT"],
    [413, "HTTP 413", "", "TOO_BIG_CONTENT"],
    [400, "errors.process.attachment.upload", "File extension is forbidden", "CONTENT_CONVERSION_ERROR"],
    [415, "HTTP 415", "", "CONTENT_CONVERSION_ERROR"],
    [404, "message.not.found", "Message mid.x not found", "CANNOT_REPLY_TO_DELETED"],
    [405, "method.not.allowed", "no", "GENERAL_ERROR"],
    [400, "proto.payload", "something new", "GENERAL_ERROR"],
  ])("%i %s %s → %s", (status, code, words, expected) => {
    expect(toTransportError(new Refusal(status, code, words))).toMatchObject({
      code: expected,
      retry: "never",
    });
  });

  it("waits as long as MAX asks", () => {
    const flood = new Refusal(429, "too.many.requests", "", 2000);
    expect(toTransportError(flood, "channel")).toMatchObject({
      code: "TOO_MANY_EXT_REQS",
      retry: { afterMs: 2000, scope: "channel" },
    });
  });

  it("a file that is not processed in time fails", () => {
    expect(isNotReady(notReady)).toBe(true);
    expect(toTransportError(notReady).code).toBe("CONTENT_CONVERSION_ERROR");
  });

  it("only 401 means an invalid token", () => {
    expect(isUnauthorized(new Refusal(401, "verify.token", "Invalid access_token"))).toBe(true);
    expect(isUnauthorized(new Refusal(403, "chat.denied", ""))).toBe(false);
  });
});
