import { describe, expect, test } from "vitest";
import { TransportError } from "../../core/transport/errors.ts";
import {
  isFlood,
  isNotReady,
  isProtocolMoved,
  isUnauthorized,
  NoResponse,
  Refusal,
  toFailure,
  toTransportError,
} from "./errors.ts";

const NOW = Date.UTC(2026, 10, 22);

test.each([
  ["not.found", "contact", "BAD_CONTACT"],
  ["chat.denied", "", "BAD_CONTACT"],
  ["contact.blocked", "you are blocked", "BAD_CONTACT"],
  ["", "Message text is too long", "TOO_LONG_TEXT"],
  ["file.too.big", "", "TOO_BIG_CONTENT"],
  ["attachment.not.ready", "", "CONTENT_CONVERSION_ERROR"],
  ["message.not.found", "", "MESSAGE_DELETED"],
  ["error.user.restricted", "spam", "SPAM"],
  ["too.many.requests", "", "TOO_MANY_EXT_REQS"],
  ["error.limit.violate", "", "TOO_MANY_EXT_REQS"],
  ["login.flood", "", "TOO_MANY_EXT_REQS"],
  ["proto.payload", "bad float", "GENERAL_ERROR"],
  ["proto.opcode", "", "GENERAL_ERROR"],
  ["what.is.this", "", "GENERAL_ERROR"],
])("%s %s: %s", (key, words, code) => {
  const error = toTransportError(new Refusal(key, words), NOW);
  expect(error).toMatchObject({ code, data: `${key}: ${words}` });
  expect(error.retry === "never").toBe(code !== "TOO_MANY_EXT_REQS");
});

test("a warning pauses all sends for minutes, and first contacts for longer", () => {
  expect(toTransportError(new Refusal("too.many.requests", ""), NOW)).toMatchObject({
    retry: { afterMs: 300_000, scope: "channel" },
    cooldown: { until: new Date(NOW + 3_600_000), basis: "precaution" },
  });
  expect(toTransportError(new Refusal("error.user.restricted", ""), NOW)).toMatchObject({
    retry: "never",
    cooldown: { until: new Date(NOW + 24 * 3_600_000), basis: "estimate" },
  });
});

describe("a failed call", () => {
  test.each<[string, unknown, boolean, string]>([
    ["that was not sent", new NoResponse("no", { sent: false }), false, "later"],
    ["that may have been sent", new NoResponse("no", { sent: true }), false, "unknown"],
    ["that only reads", new NoResponse("no", { sent: true }), true, "later"],
    ["of the store", new Error("away"), false, "unknown"],
    ["that was refused", new Refusal("not.found", ""), false, "never"],
    ["that is already a TransportError", new TransportError("SPAM", "no"), false, "never"],
  ])("%s", (_, error, isHarmless, retry) => {
    expect(toFailure(error, { isHarmless })).toMatchObject({ retry });
  });
});

test.each([
  ["login.token", "FAIL_LOGIN_TOKEN", [true, false, false, false]],
  ["", "FAIL_LOGOUT_ALL", [true, false, false, false]],
  ["login.blocked", "", [true, false, false, false]],
  ["auth.blocked", "", [true, false, false, false]],
  ["error.profile.blocked", "", [true, false, false, false]],
  ["login.flood", "", [false, true, false, false]],
  ["proto.ver", "old version", [false, false, true, false]],
  ["attachment.not.ready", "", [false, false, false, true]],
  ["contact.blocked", "", [false, false, false, false]],
])("%s %s concerns the account: %j", (key, words, expected) => {
  const refusal = new Refusal(key, words);
  expect([isUnauthorized, isFlood, isProtocolMoved, isNotReady].map((holds) => holds(refusal))).toEqual(
    expected,
  );
});
