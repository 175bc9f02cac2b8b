import { describe, expect, test } from "vitest";
import { TransportError } from "../../core/transport/errors.ts";
import { ackError, isLost, restricted, toTransportError } from "./errors.ts";
import { BadSignature } from "./keys/strict-signatures.ts";

const PAUSE = { afterMs: 300_000, scope: "channel" };

describe("the server's response to a message", () => {
  test.each([
    ["404", "BAD_CONTACT", "never"],
    ["403", "BAD_CONTACT", "never"],
    ["401", "BAD_CONTACT", "never"],
    ["429", "TOO_MANY_EXT_REQS", PAUSE],
    ["479", "GENERAL_ERROR", "never"],
    ["500", "GENERAL_ERROR", "never"],
  ])("%s: %s", (code, expected, retry) => expect(ackError(code)).toMatchObject({ code: expected, retry }));

  test("463 is never retried, and pauses first contacts", () => {
    const until = new Date(1_000);
    const end = { until, basis: "stated" } as const;
    expect(restricted(end)).toMatchObject({ code: "SPAM", retry: "never", cooldown: end });
  });
});

describe("a failed call", () => {
  /** Errors as thrown by the library. */
  const boom = (message: string, statusCode: number, data?: unknown): Error =>
    Object.assign(new Error(message), { output: { statusCode }, data });
  test.each<[Error, boolean, string, unknown]>([
    [boom("rate-overlimit", 500, 429), false, "TOO_MANY_EXT_REQS", PAUSE],
    [boom("item-not-found", 500, 404), false, "BAD_CONTACT", "never"],
    [boom("forbidden", 500, 403), false, "BAD_CONTACT", "never"],
    [boom("Connection Closed", 428), false, "UNKNOWN_ERROR", "later"],
    [boom("Connection Closed", 428), true, "UNKNOWN_ERROR", "unknown"],
    [boom("Timed Out", 408), true, "UNKNOWN_ERROR", "unknown"],
    [boom("Media upload failed on all hosts", 500), false, "UNKNOWN_ERROR", "later"],
    [new BadSignature(), false, "GENERAL_ERROR", "never"],
    [new Error("anything"), true, "UNKNOWN_ERROR", "unknown"],
  ])("%s (sent: %s): %s", (error, sent, code, retry) => {
    expect(toTransportError(error, { sent })).toMatchObject({ code, retry });
  });

  test.each<[unknown, boolean]>([
    [1006, true],
    [boom("Connection Closed", 428), true],
    [boom("Timed Out", 408), false],
    [boom("forbidden", 500, 403), false],
  ])("%s is the loss of the connection: %s", (error, expected) => expect(isLost(error)).toBe(expected));

  test("an existing TransportError is kept", () => {
    const error = new TransportError("SPAM", "no");
    expect(toTransportError(error, { sent: true })).toBe(error);
  });
});
