import { describe, expect, it } from "vitest";
import { isForbidden, isUnauthorized, Refusal, toTransportError } from "./errors.ts";

describe("toTransportError", () => {
  it.each([
    [900, "blacklist", "BAD_CONTACT", "never"],
    [901, "no permission", "BAD_CONTACT", "never"],
    [914, "too long", "TOO_LONG_TEXT", "never"],
    [14, "captcha", "SPAM", "never"],
    [129, "invalid photo", "CONTENT_CONVERSION_ERROR", "never"],
    [100, "photos_list is invalid", "CONTENT_CONVERSION_ERROR", "never"],
    [100, "peer_id is invalid", "GENERAL_ERROR", "never"],
    [911, "keyboard", "GENERAL_ERROR", "never"],
    [1011, "reactions limit", "GENERAL_ERROR", "never"],
    [10, "internal", "UNKNOWN_ERROR", "unknown"],
  ])("%i %s → %s, %s", (code, text, expected, retry) => {
    expect(toTransportError(new Refusal(code, text))).toMatchObject({ code: expected, retry });
  });

  it.each([
    [6, "channel"],
    [9, "chat"],
    [29, "channel"],
  ])("%i throttles the %s", (code, scope) => {
    const { retry } = toTransportError(new Refusal(code, ""));
    expect(retry).toMatchObject({ scope, afterMs: expect.any(Number) });
  });

  it("distinguishes dead keys from missing rights", () => {
    expect([5, 27, 28, 1117, 15].map((code) => isUnauthorized(new Refusal(code, "")))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect([7, 15, 203, 5].map((code) => isForbidden(new Refusal(code, "")))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
