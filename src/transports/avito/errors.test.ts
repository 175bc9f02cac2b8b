import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import { isTokenRefusal, Refusal, toTransportError } from "./errors.ts";
import { readAnswer, waitMs } from "./outbound/answer.ts";
import { chatIdOf, toImage, toText } from "./outbound.ts";

function answerOf(status: number, body: unknown, headers: HttpResponse["headers"] = {}): HttpResponse {
  return {
    status,
    headers,
    json: async () => (typeof body === "string" ? JSON.parse(body) : body),
    bytes: () => Promise.reject(new Error("not asked for")),
    stream: () => {
      throw new Error("not asked for");
    },
  };
}

async function failureOf(answer: HttpResponse, ofUpload = false): Promise<TransportError> {
  try {
    await readAnswer(answer, { isHarmless: false, ofUpload });
  } catch (error) {
    if (error instanceof TransportError) return error;
    if (error instanceof Refusal) return toTransportError(error);
  }
  throw new Error("it was no failure");
}

const error = (code: number, message: string, fields?: object) => ({
  error: { code, message, ...(fields && { fields }) },
});

describe("mapping of Avito's refusals", () => {
  it.each([
    [
      "a long text",
      400,
      error(400, "Validation error", { "message.text": "must be at most 1000 characters" }),
      "TOO_LONG_TEXT",
    ],
    [
      "another validation error",
      400,
      error(400, "Validation error", { type: "must be text" }),
      "GENERAL_ERROR",
    ],
    ["no subscription", 402, error(402, "Payment required"), "GENERAL_ERROR"],
    ["a blocked chat", 403, error(403, "Forbidden"), "BAD_CONTACT"],
    ["no such chat", 404, error(404, "Not found"), "BAD_CONTACT"],
    ["a gateway's error format", 404, { result: { status: false, message: "no chat" } }, "BAD_CONTACT"],
    ["a bare message", 400, { message: "text is too long" }, "TOO_LONG_TEXT"],
  ])("%s", async (_, status, body, code) => {
    expect(await failureOf(answerOf(status, body))).toMatchObject({ code, retry: "never" });
  });

  it.each([
    [400, "unsupported image format", "CONTENT_CONVERSION_ERROR"],
    [422, "cannot be read", "CONTENT_CONVERSION_ERROR"],
    [413, "Request entity too large", "TOO_BIG_CONTENT"],
    [400, "file is too big", "TOO_BIG_CONTENT"],
  ])("an upload refused with %i %s", async (status, message, code) => {
    expect(await failureOf(answerOf(status, error(status, message)), true)).toMatchObject({ code });
  });

  it("too many requests: waits for Retry-After, or until the next minute", async () => {
    const refused = await failureOf(answerOf(429, error(429, "Too many requests"), { "retry-after": "7" }));
    expect(refused).toMatchObject({ code: "TOO_MANY_EXT_REQS", retry: { afterMs: 7_000, scope: "channel" } });
    expect(waitMs({ headers: {} }, 60_000 * 5 + 59_000)).toBe(1_001);
  });

  it.each([
    ["a 5xx", 503, error(503, "Service unavailable")],
    ["a proxy's page", 403, "<html>"],
    ["a 200 that is not JSON", 200, "<html>"],
  ])("%s leaves the outcome of a send unknown", async (_, status, body) => {
    expect(await failureOf(answerOf(status, body))).toMatchObject({
      code: "UNKNOWN_ERROR",
      retry: "unknown",
    });
  });

  it.each([
    [401, "Unauthorized", true],
    [403, "invalid access token", true],
    [403, "Forbidden", false],
    [402, "Payment required", false],
  ])("%i %s is a token refusal: %s", (status, text, isIt) => {
    expect(isTokenRefusal(new Refusal(status, text))).toBe(isIt);
  });
});

describe("request bodies", () => {
  it("of texts and pictures", () => {
    expect(toText({ content: { type: "text", text: "Hi" } })).toEqual({
      path: "/messages",
      body: { message: { text: "Hi" }, type: "text" },
    });
    expect(toImage("1.a")).toEqual({ path: "/messages/image", body: { image_id: "1.a" } });
  });

  it.each([
    ["u2i-a~b_C", true],
    ["", false],
    [undefined, false],
    ["with space", false],
  ])("chat id %j is valid: %s", (chatId, isFine) => {
    const find = () => chatIdOf({ chatType: "avito", ...(chatId !== undefined && { chatId }) });
    if (isFine) expect(find()).toBe(chatId);
    else expect(find).toThrow(expect.objectContaining({ code: "BAD_CONTACT" }));
  });
});
