import fc from "fast-check";
import pg from "pg";
import { describe, expect, it } from "vitest";
import type { Resend } from "../../core/transport/definition.ts";
import { type RetryPolicy, TransportError } from "../../core/transport/errors.ts";
import { DatabaseUnavailable } from "../../database/database.ts";
import { afterFailure, causeOf, isFlood, mustNotRepeat, type NextStep } from "./send-policy.ts";

const fault = (retry: RetryPolicy): TransportError =>
  new TransportError("SPAM", "Suspected spam", { retry, data: "[403] spam" });
const step = (cause: unknown, attempts = 1, idempotent = false, floods = 1): NextStep =>
  afterFailure(cause, { attempts, idempotent, floods });

const SPAM = { code: "SPAM", description: "Suspected spam", data: "[403] spam" };
const FLOOD = { afterMs: 7_000, scope: "chat" } as const;

describe("causeOf", () => {
  const over = AbortSignal.abort(new DOMException("It took too long", "TimeoutError"));
  const open = new AbortController().signal;
  const given = fault("never");
  it.each<[string, unknown, AbortSignal, object]>([
    ["a refusal stays one", given, open, given],
    ["a refusal that came as the time was over stays one", given, over, given],
    ["what was given up has an unknown outcome", over.reason, over, { retry: "unknown" }],
  ])("%s", (_, error, signal, expected) => {
    expect(causeOf(error, signal, "unsafe")).toMatchObject(expected);
  });

  it.each<[string, Resend, RetryPolicy]>([
    ["is made again", "unsafe", "later"],
    ["may have been made, where that does no harm", { idempotentForMs: null }, "unknown"],
  ])("a send that met a read-only database %s", (_, resend, retry) => {
    const readOnly = new pg.DatabaseError("cannot execute INSERT in a read-only transaction", 0, "error");
    readOnly.code = "25006";
    for (const signal of [open, over])
      for (const error of [readOnly, new DatabaseUnavailable("no connection")])
        expect(causeOf(error, signal, resend)).toMatchObject({ retry, cause: error });
  });

  it("keeps a connector's own fault unchanged", () => {
    const error = new TypeError("x");
    expect(causeOf(error, open, "unsafe")).toBe(error);
  });
});

describe("afterFailure", () => {
  it.each<[string, unknown, number, boolean, object]>([
    ["a refusal", fault("never"), 1, false, { kind: "fail", error: SPAM }],
    ["a refusal of a repeatable send", fault("never"), 1, true, { kind: "fail", error: SPAM }],
    [
      "an unknown outcome",
      fault("unknown"),
      1,
      false,
      { kind: "fail", error: { ...SPAM, code: "UNKNOWN_ERROR" } },
    ],
    ["an unknown outcome of a repeatable send", fault("unknown"), 1, true, { kind: "again" }],
    ["the last attempt of a repeatable send", fault("unknown"), 100, true, { kind: "fail", error: SPAM }],
    ["no effect", fault("later"), 1, false, { kind: "again" }],
    ["no effect for the 99th time", fault("later"), 99, false, { kind: "again" }],
    ["no effect for the 100th time", fault("later"), 100, false, { kind: "fail", error: SPAM }],
    ["flood in a chat", fault(FLOOD), 1, false, { kind: "again", afterMs: 7_000, pause: "chat" }],
    [
      "flood in the channel",
      fault({ afterMs: 0, scope: "channel" }),
      19,
      true,
      { kind: "again", afterMs: 0, pause: "channel" },
    ],
    [
      "a fault of the connector",
      new TypeError("x"),
      1,
      false,
      { kind: "fail", error: { code: "UNKNOWN_ERROR" } },
    ],
    [
      "a fault of the connector, though sends are repeatable",
      new TypeError("x"),
      1,
      true,
      { kind: "fail", error: { code: "UNKNOWN_ERROR" } },
    ],
    ["what is not even an error", "x", 1, false, { kind: "fail", error: { code: "UNKNOWN_ERROR" } }],
  ])("%s", (_, cause, attempts, idempotent, expected) => {
    expect(step(cause, attempts, idempotent)).toMatchObject(expected);
  });

  it.each<[string, number, number, object]>([
    ["the 19th flood", 19, 19, { kind: "again" }],
    ["the first flood after other failures", 99, 1, { kind: "again" }],
    ["the 20th flood", 20, 20, { kind: "fail", error: { ...SPAM, code: "TOO_MANY_EXT_REQS" } }],
    ["a flood at the 100th attempt", 100, 1, { kind: "fail", error: { ...SPAM, code: "TOO_MANY_EXT_REQS" } }],
  ])("%s", (_, attempts, floods, expected) => {
    expect(step(fault(FLOOD), attempts, true, floods)).toMatchObject(expected);
  });

  it("does not show a connector's fault to the client", () => {
    expect(JSON.stringify(step(new Error("token 123:abc")))).not.toContain("123:abc");
  });

  it("omits missing details", () => {
    const error = { code: "SPAM", description: "x" };
    expect(step(new TransportError("SPAM", "x"))).toStrictEqual({ kind: "fail", error });
  });

  it("a retry of one send delays no other chat", () => {
    expect(step(fault("later"))).not.toHaveProperty("pause");
  });

  /** Waits of as many lanes that failed as often. */
  const waitsOf = (attempts: number, lanes: number): number[] =>
    Array.from({ length: lanes }, () => {
      const next = step(fault("later"), attempts);
      return next.kind === "again" ? next.afterMs : Number.NaN;
    });

  it("waits longer each time, at most a minute", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), (attempts) => {
        const longest = Math.min(60_000, 500 * 2 ** (attempts - 1));
        for (const wait of waitsOf(attempts, 20)) {
          expect(wait).toBeGreaterThanOrEqual(longest / 2);
          expect(wait).toBeLessThanOrEqual(longest);
        }
      }),
    );
  });

  it("spreads the waits of many lanes over the second half", () => {
    const waits = waitsOf(20, 500);
    expect(Math.min(...waits)).toBeLessThan(35_000);
    expect(Math.max(...waits)).toBeGreaterThan(55_000);
  });
});

describe("isFlood", () => {
  it.each<[unknown, boolean]>([
    [fault(FLOOD), true],
    [fault("later"), false],
    [fault("never"), false],
    [new Error("x"), false],
  ])("%o: %s", (cause, expected) => {
    expect(isFlood(cause)).toBe(expected);
  });
});

describe("mustNotRepeat", () => {
  const HOUR_MS = 3_600_000;
  it.each<[string, Resend, number | null, number | null, boolean]>([
    ["a first attempt", "unsafe", null, null, false],
    ["what may have left", "unsafe", 7, 5_000, true],
    ["what may have left, where ids are kept for ever", { idempotentForMs: null }, 7, 9 * HOUR_MS, false],
    ["a first attempt, where ids are kept for an hour", { idempotentForMs: HOUR_MS }, null, null, false],
    ["what may have left a while ago", { idempotentForMs: HOUR_MS }, 7, HOUR_MS / 2, false],
    ["what may have left and failed since", { idempotentForMs: HOUR_MS }, null, HOUR_MS / 2, false],
    ["what may have left nearly an hour ago", { idempotentForMs: HOUR_MS }, null, HOUR_MS - 60_000, true],
    ["what may have left long ago", { idempotentForMs: HOUR_MS }, 7, 9 * HOUR_MS, true],
  ])("%s", (_, resend, startedEpoch, unsureMs, expected) => {
    expect(mustNotRepeat(resend, { startedEpoch, unsureMs })).toBe(expected);
  });
});
