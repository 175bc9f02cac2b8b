import { describe, expect, it } from "vitest";
import { parseAnswer } from "./answer.ts";
import { isUnauthorized, Refusal, toTransportError } from "./errors.ts";

describe("toTransportError", () => {
  const cases = [
    [400, "Bad Request: chat not found", "BAD_CONTACT"],
    [403, "Forbidden: user is deactivated", "BAD_CONTACT"],
    [403, "Forbidden: bot can't initiate conversation with a user", "BAD_CONTACT"],
    [400, "Bad Request: PEER_ID_INVALID", "BAD_CONTACT"],
    [403, "Forbidden: bot was blocked by the user", "BAD_CONTACT"],
    [403, "Forbidden: bot was kicked from the supergroup chat", "BAD_CONTACT"],
    [403, "Forbidden: bot is not a member of the channel chat", "BAD_CONTACT"],
    [400, "Bad Request: not enough rights to send text messages to the chat", "BAD_CONTACT"],
    [400, "Bad Request: have no rights to send a message", "BAD_CONTACT"],
    [400, "Bad Request: need administrator rights in the channel chat", "BAD_CONTACT"],
    [400, "Bad Request: CHAT_RESTRICTED", "BAD_CONTACT"],
    [400, "Bad Request: CHAT_WRITE_FORBIDDEN", "BAD_CONTACT"],
    [400, "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN", "BAD_CONTACT"],
    [400, "Bad Request: TOPIC_CLOSED", "BAD_CONTACT"],
    [403, "Forbidden: bot can't send messages to bots", "BAD_CONTACT"],
    [400, "Bad Request: message is too long", "TOO_LONG_TEXT"],
    [400, "Bad Request: message caption is too long", "TOO_LONG_TEXT"],
    [400, "Bad Request: Text is too long", "TOO_LONG_TEXT"],
    [400, "Bad Request: MEDIA_CAPTION_TOO_LONG", "TOO_LONG_TEXT"],
    [413, "Request Entity Too Large", "TOO_BIG_CONTENT"],
    [413, "HTTP 413", "TOO_BIG_CONTENT"],
    [400, "Bad Request: file is too big", "TOO_BIG_CONTENT"],
    [400, "Bad Request: wrong type of the web page content", "CONTENT_CONVERSION_ERROR"],
    [400, "Bad Request: failed to get HTTP URL content", "CONTENT_CONVERSION_ERROR"],
    [400, "Bad Request: wrong file identifier/HTTP URL specified", "CONTENT_CONVERSION_ERROR"],
    [400, "Bad Request: IMAGE_PROCESS_FAILED", "CONTENT_CONVERSION_ERROR"],
    [400, "Bad Request: PHOTO_INVALID_DIMENSIONS", "CONTENT_CONVERSION_ERROR"],
    [400, "Bad Request: message to be replied not found", "CANNOT_REPLY_TO_DELETED"],
    [400, "Bad Request: message to edit not found", "MESSAGE_DELETED"],
    [400, "Bad Request: message can't be edited", "GENERAL_ERROR"],
    [400, "Bad Request: message can't be deleted for everyone", "GENERAL_ERROR"],
    [400, "Bad Request: BUTTON_DATA_INVALID", "GENERAL_ERROR"],
    [401, "Unauthorized", "GENERAL_ERROR"],
    [409, "Conflict: terminated by other getUpdates request", "GENERAL_ERROR"],
  ] as const;
  it.each(cases)("%i %s is %s", (status, description, code) => {
    expect(toTransportError(new Refusal(status, description))).toMatchObject({
      code,
      retry: "never",
      data: description,
    });
  });

  it("retries the download of a temporarily unavailable file", () => {
    const refusal = new Refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
    expect(toTransportError(refusal)).toMatchObject({ code: "GENERAL_ERROR", retry: "later" });
  });

  it.each(["chat", "channel"] as const)("throttles the %s after a flood error", (scope) => {
    const refusal = new Refusal(429, "Too Many Requests: retry after 5", { retryAfterMs: 5_000 });
    const expected = { code: "TOO_MANY_EXT_REQS", retry: { afterMs: 5_000, scope } };
    expect(toTransportError(refusal, scope)).toMatchObject(expected);
  });
});

describe("isUnauthorized", () => {
  it.each([
    [401, "Unauthorized", true],
    [401, "Unauthorized: invalid token specified", true],
    [404, "Not Found", true],
    [404, "Not Found: method not found", false],
    [403, "Forbidden: bot was blocked by the user", false],
  ])("%i %s", (status, description, expected) => {
    expect(isUnauthorized(new Refusal(status, description))).toBe(expected);
  });
});

describe("parseAnswer", () => {
  const refusal = (status: number, description: string, more: object = {}): object => ({
    kind: "refusal",
    refusal: expect.objectContaining({ status, description, ...more }),
  });
  const migrated = {
    ok: false,
    error_code: 400,
    description: "moved",
    parameters: { migrate_to_chat_id: -1001 },
  };
  const flood = (parameters: object): object => ({
    ok: false,
    error_code: 429,
    description: "wait",
    parameters,
  });
  const cases: readonly (readonly [string, number, object, unknown, object])[] = [
    ["a result", 200, {}, { ok: true, result: 1 }, { kind: "result", result: 1 }],
    ["a refusal", 400, {}, { ok: false, error_code: 400, description: "no" }, refusal(400, "no")],
    [
      "a refusal that contains the token",
      404,
      {},
      { ok: false, error_code: 404, description: "no SECRET" },
      refusal(404, "no ***"),
    ],
    ["a migrated chat", 400, {}, migrated, refusal(400, "moved", { newChatId: "-1001" })],
    ["a flood error", 429, {}, flood({ retry_after: 5 }), refusal(429, "wait", { retryAfterMs: 5_000 })],
    [
      "a flood error with Retry-After",
      429,
      { "retry-after": "7" },
      flood({}),
      refusal(429, "wait", { retryAfterMs: 7_000 }),
    ],
    ["a 429 from a proxy", 429, {}, undefined, refusal(429, "HTTP 429", { retryAfterMs: 5_000 })],
    ["a body too large for a proxy", 413, {}, undefined, refusal(413, "HTTP 413")],
    ["a refusal without a description", 400, {}, { ok: false }, refusal(400, "HTTP 400")],
    [
      "an internal failure of Telegram",
      500,
      {},
      { ok: false, error_code: 500, description: "Internal" },
      { kind: "unknown" },
    ],
    ["a proxy's page", 404, {}, undefined, { kind: "unknown" }],
    ["a redirect", 302, {}, undefined, { kind: "unknown" }],
    ["garbage", 200, {}, undefined, { kind: "unknown" }],
    ["a list", 200, {}, [], { kind: "unknown" }],
    ["no envelope", 200, {}, { result: 1 }, { kind: "unknown" }],
  ];
  it.each(cases)("%s", (_, status, headers, body, expected) => {
    const redact = (words: string): string => words.replaceAll("SECRET", "***");
    expect(parseAnswer({ status, headers: headers as Record<string, string> }, body, redact)).toEqual(
      expected,
    );
  });
});
