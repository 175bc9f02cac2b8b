import { describe, expect, it } from "vitest";
import { GraphRefusal, readError } from "../meta/error.ts";
import { channelFault, judge, toTransportError } from "./errors.ts";

const error = (code: number, message = "No", details = "") => ({ code, message, details });

describe("codes", () => {
  it.each([
    [131047, "24_HOURS_EXCEEDED"],
    [470, "24_HOURS_EXCEEDED"],
    [131026, "BAD_CONTACT"],
    [131021, "BAD_CONTACT"],
    [131030, "BAD_CONTACT"],
    [131062, "BAD_CONTACT"],
    [131048, "SPAM"],
    [131049, "SPAM"],
    [131050, "SPAM"],
    [130472, "SPAM"],
    [368, "SPAM"],
    [130497, "SPAM"],
    [131052, "CONTENT_CONVERSION_ERROR"],
    [131053, "CONTENT_CONVERSION_ERROR"],
    [131051, "WRONG_CONTENT"],
    [132005, "TOO_LONG_TEXT"],
    [132000, "GENERAL_ERROR"],
    [132001, "GENERAL_ERROR"],
    [132007, "GENERAL_ERROR"],
    [132012, "GENERAL_ERROR"],
    [132015, "GENERAL_ERROR"],
    [132016, "GENERAL_ERROR"],
    [131008, "GENERAL_ERROR"],
    [131009, "GENERAL_ERROR"],
    [100, "GENERAL_ERROR"],
    [131031, "CHANNEL_REJECTED"],
    [131042, "CHANNEL_REJECTED"],
    [131045, "CHANNEL_REJECTED"],
    [133010, "CHANNEL_REJECTED"],
    [131037, "CHANNEL_REJECTED"],
    [190, "GENERAL_ERROR"],
    [10, "GENERAL_ERROR"],
    [999999, "GENERAL_ERROR"],
  ])("%i is %s, without a retry", (code, expected) => {
    expect(judge(error(code))).toMatchObject({ code: expected, retry: "never", data: `(#${code}) No` });
  });

  it.each([1, 2, 131000, 131016, 131057])("%i is retried", (code) => {
    expect(judge(error(code))).toMatchObject({ code: "UNKNOWN_ERROR", retry: "later" });
  });

  it.each([
    [131056, { afterMs: 6_000, scope: "chat" }],
    [130429, { afterMs: 2_000, scope: "channel" }],
    [80007, { afterMs: 30_000, scope: "channel" }],
    [4, { afterMs: 30_000, scope: "channel" }],
    [17, { afterMs: 30_000, scope: "channel" }],
    [32, { afterMs: 30_000, scope: "channel" }],
    [613, { afterMs: 30_000, scope: "channel" }],
    [133016, { afterMs: 30_000, scope: "channel" }],
  ])("%i is throttling", (code, retry) => {
    expect(judge(error(code))).toMatchObject({ code: "TOO_MANY_EXT_REQS", retry });
  });

  it.each([
    [131053, "Media upload error", "File size exceeds the limit", "TOO_BIG_CONTENT"],
    [100, "Invalid parameter", "Param text['body'] is too long", "TOO_LONG_TEXT"],
    [131009, "Parameter value is not valid", "body length must be at most 4096", "TOO_LONG_TEXT"],
    [100, "Param file must be a file with one of the following types: audio/aac", "", "WRONG_CONTENT"],
    [131009, "Parameter value is not valid", "Button title is required", "GENERAL_ERROR"],
  ])("%i %s: %s", (code, message, details, expected) => {
    expect(judge(error(code, message, details)).code).toBe(expected);
  });
});

it("HTTP 429 is throttling, whatever the code", () => {
  expect(toTransportError(new GraphRefusal(429, error(100))).retry).toEqual({
    afterMs: 30_000,
    scope: "channel",
  });
});

it.each([
  [190, "unauthorized"],
  [0, "unauthorized"],
  [102, "unauthorized"],
  [3, "unauthorized"],
  [10, "unauthorized"],
  [33, "unauthorized"],
  [200, "unauthorized"],
  [299, "unauthorized"],
  [131031, "blocked"],
  [131037, "rejected"],
  [131045, "rejected"],
  [133010, "rejected"],
  [131042, null],
  [131047, null],
  [100, null],
])("%i means for the channel: %s", (code, expected) => {
  expect(channelFault(error(code))).toBe(expected);
});

it.each([
  [
    "an answer's error",
    { message: "(#1) x", code: 1, error_data: { details: "d" } },
    error(1, "(#1) x", "d"),
  ],
  ["a status's error", { code: 2, title: "t" }, error(2, "t")],
  ["a user message", { code: 100, message: "m", error_user_msg: "u" }, error(100, "m", "u")],
  ["no code", { message: "x" }, null],
  ["not an object", "x", null],
])("reads %s", (_name, value, expected) => {
  expect(readError(value)).toEqual(expected);
});
