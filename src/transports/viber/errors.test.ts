import { describe, expect, it } from "vitest";
import { isRejected, isUnauthorized, Refusal, toFailure, toTransportError } from "./errors.ts";

describe("toTransportError", () => {
  it.each([
    [1, "invalidUrl", "GENERAL_ERROR", "never"],
    [2, "invalidAuthToken", "GENERAL_ERROR", "never"],
    [3, "badData", "GENERAL_ERROR", "never"],
    [3, "text is over 7000 characters", "TOO_LONG_TEXT", "never"],
    [4, "missingData", "GENERAL_ERROR", "never"],
    [5, "receiverNotRegistered", "BAD_CONTACT", "never"],
    [6, "receiverNotSubscribed", "BAD_CONTACT", "never"],
    [7, "publicAccountBlocked", "CHANNEL_REJECTED", "never"],
    [8, "publicAccountNotFound", "CHANNEL_REJECTED", "never"],
    [9, "publicAccountSuspended", "CHANNEL_REJECTED", "never"],
    [10, "webhookNotSet", "GENERAL_ERROR", "later"],
    [11, "receiverNoSuitableDevice", "BAD_CONTACT", "never"],
    [13, "apiVersionNotSupported", "GENERAL_ERROR", "never"],
    [15, "publicAccountNotAuthorized", "CHANNEL_REJECTED", "never"],
    [21, "unsupportedCountry", "BAD_CONTACT", "never"],
    [23, "freeMessagesExceeded", "GENERAL_ERROR", "never"],
    [24, "noBalance", "GENERAL_ERROR", "never"],
    [999, "Bad receiver ID", "BAD_CONTACT", "never"],
    [777, "something new", "GENERAL_ERROR", "never"],
  ])("%i %s → %s", (status, words, code, retry) => {
    const error = toTransportError(new Refusal(status, words));
    expect(error).toMatchObject({ code, retry, data: `${status}: ${words}` });
  });

  it("for a file, bad data means that the file is invalid", () => {
    expect(toTransportError(new Refusal(3, "badData"), { isFile: true }).code).toBe(
      "CONTENT_CONVERSION_ERROR",
    );
  });

  it.each(["chat", "channel"] as const)("too many requests: throttles the %s", (floodScope) => {
    expect(toTransportError(new Refusal(12, "tooManyRequests"), { floodScope })).toMatchObject({
      code: "TOO_MANY_EXT_REQS",
      retry: { afterMs: expect.any(Number), scope: floodScope },
    });
  });

  it.each([
    [{ floodScope: "chat", isUnanswered: true }, "unanswered"],
    [{ floodScope: "chat", isUnanswered: false }, undefined],
    [{ floodScope: "channel" }, undefined],
  ] as const)("too many requests %j restricts the bot: %s", (about, kind) => {
    const { restriction } = toTransportError(new Refusal(12, "tooManyRequests"), about);
    expect(restriction?.kind).toBe(kind);
    expect(restriction?.isEstimate).toBe(kind === undefined ? undefined : true);
  });

  it("distinguishes a dead token from a closed bot", () => {
    const judged = [2, 7, 8, 9, 15, 12, 3].map((status) => {
      const refusal = new Refusal(status, "");
      return isUnauthorized(refusal) ? "token" : isRejected(refusal) ? "bot" : "";
    });
    expect(judged).toEqual(["token", "bot", "bot", "bot", "bot", "", ""]);
  });
});

describe("toFailure", () => {
  it.each([
    ["Media size is too large", "CONTENT_CONVERSION_ERROR"],
    ["Failed to download media", "CONTENT_CONVERSION_ERROR"],
    ["failure description", "GENERAL_ERROR"],
    [undefined, "GENERAL_ERROR"],
  ])("%s → %s", (desc, code) => expect(toFailure(desc).code).toBe(code));
});
