import { describe, expect, it } from "vitest";
import {
  endOf,
  isPhotoRefusal,
  isReferenceExpired,
  isRepetition,
  isUnchanged,
  refused,
  toTransportError,
} from "./errors.ts";
import { toRefusedStep } from "./linking/login-errors.ts";

const NOW = new Date("2026-09-21T15:00:00Z");
const of = (code: number, text: string) => refused({ code, text }, NOW);

describe("mapping of refusals to message errors", () => {
  it.each([
    [400, "PEER_ID_INVALID", "BAD_CONTACT"],
    [400, "USERNAME_NOT_OCCUPIED", "BAD_CONTACT"],
    [400, "PHONE_NOT_OCCUPIED", "BAD_CONTACT"],
    [400, "INPUT_USER_DEACTIVATED", "BAD_CONTACT"],
    [403, "CHAT_WRITE_FORBIDDEN", "BAD_CONTACT"],
    [403, "CHAT_SEND_PLAIN_FORBIDDEN", "BAD_CONTACT"],
    [400, "YOU_BLOCKED_USER", "BAD_CONTACT"],
    [400, "USER_IS_BLOCKED", "BAD_CONTACT"],
    [403, "USER_RESTRICTED", "SPAM"],
    [403, "USER_PRIVACY_RESTRICTED", "SPAM"],
    [406, "PRIVACY_PREMIUM_REQUIRED", "SPAM"],
    [403, "ALLOW_PAYMENT_REQUIRED_15", "SPAM"],
    [400, "MESSAGE_TOO_LONG", "TOO_LONG_TEXT"],
    [400, "MEDIA_CAPTION_TOO_LONG", "TOO_LONG_TEXT"],
    [400, "FILE_PARTS_INVALID", "TOO_BIG_CONTENT"],
    [400, "PHOTO_INVALID_DIMENSIONS", "CONTENT_CONVERSION_ERROR"],
    [400, "IMAGE_PROCESS_FAILED", "CONTENT_CONVERSION_ERROR"],
    [400, "REPLY_MESSAGE_ID_INVALID", "CANNOT_REPLY_TO_DELETED"],
    [400, "MESSAGE_ID_INVALID", "MESSAGE_DELETED"],
    [400, "MESSAGE_EDIT_TIME_EXPIRED", "MESSAGE_DELETED"],
    [400, "MESSAGE_EMPTY", "GENERAL_ERROR"],
    [400, "ENTITY_BOUNDS_INVALID", "GENERAL_ERROR"],
    [400, "SOMETHING_NEW", "GENERAL_ERROR"],
  ])("%i %s → %s", (code, text, expected) => {
    expect(of(code, text)).toMatchObject({ code: expected, retry: "never", data: `${code} ${text}` });
  });

  it.each([
    [420, "FLOOD_WAIT_12", { afterMs: 12_000, scope: "channel" }],
    [420, "FLOOD_PREMIUM_WAIT_3", { afterMs: 3_000, scope: "channel" }],
    [420, "SLOWMODE_WAIT_30", { afterMs: 30_000, scope: "chat" }],
    [420, "FLOOD_WAIT_0", { afterMs: 1_000, scope: "channel" }],
    [420, "FLOOD_WAIT_3601", "never"],
  ])("%i %s is throttling", (code, text, retry) => {
    expect(of(code, text)).toMatchObject({ code: "TOO_MANY_EXT_REQS", retry });
  });

  it("PEER_FLOOD pauses first contacts for a day", () => {
    const { code, retry, cooldown } = of(400, "PEER_FLOOD");
    expect(cooldown?.basis).toBe("estimate");
    expect({ code, retry, until: cooldown?.until }).toEqual({
      code: "SPAM",
      retry: "never",
      until: new Date("2026-09-22T15:00:00Z"),
    });
  });

  it("a frozen account is restricted, without an end", () => {
    expect(of(420, "FROZEN_METHOD_INVALID")).toMatchObject({
      code: "SPAM",
      retry: "never",
      restriction: { kind: "spam", isEstimate: true },
    });
  });

  it.each([
    [500, "INTERNAL", "unknown"],
    [-503, "Timeout", "unknown"],
    [500, "RANDOM_ID_DUPLICATE", "unknown"],
    [401, "AUTH_KEY_UNREGISTERED", "never"],
    [406, "AUTH_KEY_DUPLICATED", "later"],
    [400, "FILE_PART_3_MISSING", "later"],
  ])("%i %s is retried: %s", (code, text, retry) => {
    expect(of(code, text)).toMatchObject({ retry });
  });

  it.each([
    [{ code: 420, text: "FLOOD_WAIT_%d", seconds: 12 }, "420 FLOOD_WAIT_12"],
    [{ code: 400, text: "FILE_PART_%d_MISSING", part: 3 }, "400 FILE_PART_3_MISSING"],
    [{ code: 400, text: "PEER_FLOOD" }, "400 PEER_FLOOD"],
  ])("the library's error %j", (error, data) => {
    expect(toTransportError(error, { sent: true }).data).toBe(data);
  });

  it.each([
    [true, "unknown"],
    [false, "later"],
  ])("no response, sent %s: %s", (sent, retry) => {
    expect(toTransportError(new Error("gone"), { sent })).toMatchObject({ code: "UNKNOWN_ERROR", retry });
  });
});

describe("classification of refusals", () => {
  const refusal = (text: string) => ({ code: 400, text });

  it.each([
    ["AUTH_KEY_UNREGISTERED", "unauthorized"],
    ["SESSION_REVOKED", "unauthorized"],
    ["SESSION_EXPIRED", "unauthorized"],
    ["USER_DEACTIVATED_BAN", "unauthorized"],
    ["AUTH_KEY_DUPLICATED", "openelsewhere"],
    ["SESSION_PASSWORD_NEEDED", null],
    ["PEER_FLOOD", null],
  ])("%s ends the session: %s", (text, expected) => expect(endOf(refusal(text))).toBe(expected));

  it("some allow another form, or are no failure", () => {
    expect(isPhotoRefusal(refusal("PHOTO_SAVE_FILE_INVALID"))).toBe(true);
    expect(isPhotoRefusal(refusal("MESSAGE_TOO_LONG"))).toBe(false);
    expect(isReferenceExpired(refusal("FILE_REFERENCE_EXPIRED"))).toBe(true);
    expect(isRepetition(refusal("RANDOM_ID_DUPLICATE"))).toBe(true);
    expect(isUnchanged(refusal("MESSAGE_NOT_MODIFIED"))).toBe(true);
  });
});

describe("mapping of refused login steps", () => {
  it.each([
    ["password", 400, "PASSWORD_HASH_INVALID", "wrong", "The two-factor password is wrong (hint: a cat)"],
    ["code", 400, "PHONE_CODE_INVALID", "wrong", "The code is wrong"],
    ["code", 400, "PHONE_CODE_EXPIRED", "wrong", "The code has expired; request another one"],
    ["phone", 400, "PHONE_NUMBER_BANNED", "wrong", "is banned by Telegram"],
    ["phone", 420, "FLOOD_WAIT_300", "too_often", "Telegram requires a delay before the next attempt"],
    ["phone", 406, "PHONE_PASSWORD_FLOOD", "too_often", "Telegram requires a delay before the next attempt"],
    ["password", 500, "INTERNAL", "unavailable", "Telegram refused (INTERNAL)"],
  ] as const)("%s: %i %s", (kind, code, text, reason, message) => {
    expect(toRefusedStep({ code, text }, { kind, hint: "a cat" })).toMatchObject({ reason, message });
  });

  it("no response", () => {
    expect(toRefusedStep(new Error("x"), { kind: "code", hint: "" })).toMatchObject({
      reason: "unavailable",
    });
  });
});
