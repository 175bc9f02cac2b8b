import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  afterRefusal,
  isSuccess,
  labelOf,
  pause,
  retryAfterMs,
  type Schedule,
  type Situation,
} from "./policy.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const SCHEDULE: Schedule = { delaysMs: [SECOND, 10 * SECOND, 60 * SECOND], lifetimeMs: 3 * DAY };
/** Of the jitter; leaves the delay as it is. */
const MIDDLE = 0.5;

const status = (code: number, more: Partial<Answer> = {}): Answer => ({
  status: code,
  failure: null,
  retryAfterMs: null,
  ...more,
});
const silence: Answer = { status: null, failure: "no complete response in time", retryAfterMs: null };
/** Says success, without what it has to answer. */
const UNUSABLE = status(200, { failure: "the answer holds no entity" });
const situation = (more: Partial<Situation> = {}): Situation => ({
  batchSize: 1,
  attempts: 0,
  failingMs: 0,
  isolated: false,
  receiverFailing: false,
  ...more,
});

describe("isSuccess", () => {
  it.each([
    [200, true],
    [201, true],
    [204, true],
    [299, true],
    [199, false],
    [300, false],
    [302, false],
    [400, false],
    [500, false],
  ])("%i: %s", (code, success) => expect(isSuccess(status(code))).toBe(success));

  it("no response is not a success", () => expect(isSuccess(silence)).toBe(false));

  it("an unusable response is not a success", () => expect(isSuccess(UNUSABLE)).toBe(false));
});

describe("afterRefusal", () => {
  const REFUSED = status(400);
  const OVERLOADED = status(503);
  const wait = (ms: number, batchLimit: number, keepBatch: boolean) => ({
    kind: "wait",
    ms,
    batchLimit,
    keepBatch,
  });
  const SINGLY = { kind: "singly" };
  const PROBE = { kind: "probe" };
  const PARK = { kind: "park" };

  it.each<[string, Answer, Partial<Situation>, object]>([
    // What was sent is looked into.
    ["a refused batch", REFUSED, { batchSize: 100 }, SINGLY],
    ["a refused pair", REFUSED, { batchSize: 2 }, SINGLY],
    ["a refused batch, once more", REFUSED, { batchSize: 100, attempts: 5 }, SINGLY],
    ["a batch that breaks the receiver", status(500), { batchSize: 4 }, SINGLY],
    ["a redirected batch", status(302), { batchSize: 4 }, SINGLY],
    ["a batch that is too large", status(413), { batchSize: 4 }, SINGLY],
    ["a refused item", REFUSED, {}, PROBE],
    ["an item that breaks the receiver", status(500), { attempts: 7 }, PROBE],
    // The receiver has to recover.
    ...[408, 425, 429, 502, 503, 504].map((code): [string, Answer, Partial<Situation>, object] => [
      `a batch answered ${code}`,
      status(code),
      { batchSize: 100 },
      wait(SECOND, 100, true),
    ]),
    ["a batch without an answer", silence, { batchSize: 100 }, wait(SECOND, 100, true)],
    [
      "the same batch the second time",
      OVERLOADED,
      { batchSize: 100, attempts: 1 },
      wait(10 * SECOND, 100, true),
    ],
    ["a smaller one from then on", OVERLOADED, { batchSize: 100, attempts: 2 }, wait(60 * SECOND, 50, false)],
    ["the last delay for ever", OVERLOADED, { batchSize: 100, attempts: 50 }, wait(60 * SECOND, 50, false)],
    ["an item of an overloaded receiver", OVERLOADED, { attempts: 1 }, wait(10 * SECOND, 1, true)],
    ["an item without an answer", silence, { attempts: 1 }, wait(10 * SECOND, 1, true)],
    ["an item that gets no answer again and again", silence, { attempts: 2 }, PROBE],
    ["an item overloaded again and again", OVERLOADED, { attempts: 2 }, PROBE],
    // A chat set apart waits by the schedule, and is given up at its end.
    ["a chat set apart", REFUSED, { isolated: true }, wait(SECOND, 1, true)],
    [
      "a chat set apart, later",
      REFUSED,
      { isolated: true, attempts: 9, failingMs: DAY },
      wait(60 * SECOND, 1, false),
    ],
    [
      "a moment before its end",
      REFUSED,
      { isolated: true, attempts: 9, failingMs: 3 * DAY - 1 },
      wait(60 * SECOND, 1, false),
    ],
    ["at its end", REFUSED, { isolated: true, attempts: 9, failingMs: 3 * DAY }, PARK],
    ["at its end without an answer", silence, { isolated: true, attempts: 9, failingMs: 4 * DAY }, PARK],
    [
      "at its end, while the receiver takes nothing at all",
      REFUSED,
      { isolated: true, attempts: 9, failingMs: 4 * DAY, receiverFailing: true },
      wait(60 * SECOND, 1, false),
    ],
    // A receiver that responds with success may already have created the entity, so it is not retried forever.
    ["an unusable answer", UNUSABLE, {}, PROBE],
    ["an unusable answer, once more", UNUSABLE, { attempts: 1 }, PROBE],
    ["the third unusable answer", UNUSABLE, { attempts: 2 }, PARK],
    [
      "an unusable answer of a chat set apart",
      UNUSABLE,
      { isolated: true, attempts: 1 },
      wait(10 * SECOND, 1, true),
    ],
    ["the third of a chat set apart", UNUSABLE, { isolated: true, attempts: 2 }, PARK],
    // The whole receiver is never given up.
    [
      "a receiver that fails for a week",
      silence,
      { batchSize: 9, attempts: 99, failingMs: 7 * DAY },
      wait(60 * SECOND, 5, false),
    ],
  ])("%s", (_, answer, more, verdict) => {
    expect(afterRefusal(answer, situation(more), SCHEDULE, MIDDLE)).toEqual(verdict);
  });
});

describe("pause", () => {
  it.each([
    ["shorter than the schedule's", 200, SECOND],
    ["longer than the schedule's", 30 * SECOND, 30 * SECOND],
    ["longer than a day", 9 * DAY, DAY],
  ])("a wait that is %s", (_, asked, ms) => {
    expect(pause(status(429, { retryAfterMs: asked }), situation(), SCHEDULE, MIDDLE).ms).toBe(ms);
  });

  it.each([
    [0, 8 * SECOND],
    [0.5, 10 * SECOND],
    [1, 12 * SECOND],
  ])("jitter at %d", (random, ms) => {
    expect(pause(silence, situation({ attempts: 1 }), SCHEDULE, random).ms).toBeCloseTo(ms, 3);
  });

  it("is at least four fifths of the schedule and the requested delay, and the batch never grows", () => {
    const asked = fc.option(fc.integer({ min: 0, max: DAY }), { nil: null });
    const any = fc.record({
      batchSize: fc.integer({ min: 1, max: 1000 }),
      attempts: fc.nat(200),
      failingMs: fc.nat(),
      isolated: fc.boolean(),
      receiverFailing: fc.boolean(),
    });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(asked, any, random, (retryAfter, now, chance) => {
        const { ms, batchLimit } = pause(status(429, { retryAfterMs: retryAfter }), now, SCHEDULE, chance);
        const delay = SCHEDULE.delaysMs[now.attempts] ?? 60 * SECOND;
        expect(ms).toBeGreaterThanOrEqual(Math.max(0.8 * delay - 1, retryAfter ?? 0));
        expect(ms).toBeLessThanOrEqual(Math.max(1.2 * delay + 1, retryAfter ?? 0));
        expect(batchLimit).toBeGreaterThanOrEqual(1);
        expect(batchLimit).toBeLessThanOrEqual(now.batchSize);
      }),
    );
  });
});

describe("retryAfterMs", () => {
  const NOW = new Date("2030-01-02T03:04:05Z");
  it.each<[string | undefined, number | null]>([
    [undefined, null],
    ["0", 0],
    ["120", 120 * SECOND],
    [" 120 ", 120 * SECOND],
    ["1.5", 1_500],
    ["-5", 0],
    ["", null],
    [" ", null],
    ["soon", null],
    ["Infinity", null],
    ["0x10", null],
    ["1e3", null],
    ["Wed, 02 Jan 2030 03:05:05 GMT", 60 * SECOND],
    ["Wed, 02 Jan 2030 03:04:05 GMT", 0],
    ["Wed, 02 Jan 2030 03:00:00 GMT", 0],
  ])("%s: %s", (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms));
});

it("statistics have few labels, whatever receivers respond", () => {
  const statuses = Array.from({ length: 800 }, (_, index) => labelOf(status(index + 200)));
  expect(new Set(statuses).size).toBeLessThan(80);
  expect([labelOf(status(404)), labelOf(status(799))]).toEqual(["HTTP 404", "HTTP 7xx"]);
  const unusable = Array.from({ length: 100 }, (_, index) =>
    labelOf(status(200, { failure: `the answer is no entity, see contactData[${index}].chatId` })),
  );
  expect(new Set(unusable)).toEqual(new Set(["unusable answer"]));
  expect(labelOf(silence)).toBe("no complete response in time");
});
