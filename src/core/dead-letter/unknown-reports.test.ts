import { expect, test } from "vitest";
import { quietLog } from "../../../test/kit/database.ts";
import type { DeadLetter } from "./dead-letters.ts";
import { createUnknownReports } from "./unknown-reports.ts";

function create() {
  let nowMs = 1_000_000;
  const stored: DeadLetter[] = [];
  const counted: string[] = [];
  const reports = createUnknownReports({
    deadLetters: { add: async (letter) => void stored.push(letter), close: async () => undefined },
    log: quietLog,
    onReport: ({ transport, kind }) => void counted.push(`${transport} ${kind}`),
    now: () => nowMs,
  });
  const add = (kind: string, sample: unknown = {}, channelId = "one") =>
    reports.add({
      transport: "line",
      kind,
      sample,
      channel: { accountId: 1, channelId },
      redact: (text) => text.replaceAll("hush", "***"),
    });
  return {
    reports,
    stored,
    counted,
    add,
    later(ms: number) {
      nowMs += ms;
    },
  };
}

test("of a channel and kind, one sample of ten minutes is stored, with the count since the last one", async () => {
  const { stored, counted, add, later, reports } = create();
  for (const sample of ["first hush", "second", "third"]) await add("news", sample);
  await add("news", "of another channel", "two");
  expect(stored.map(({ payload, times }) => [payload, times])).toEqual([
    ['"first ***"', 1],
    ['"of another channel"', 1],
  ]);
  later(600_000);
  await add("news", "fourth");
  expect(stored.at(-1)).toMatchObject({ stage: "unknown", reason: "news", payload: '"fourth"', times: 3 });
  await add("news", "fifth");
  await reports.close();
  expect(stored.at(-1)).toMatchObject({ payload: '"fourth"', times: 1 });
  expect(counted).toHaveLength(6);
});

test("kinds that a tenant invents are counted as one", async () => {
  const { stored, counted, add } = create();
  for (let index = 0; index < 300; index++) await add(`invented ${index}`);
  expect(new Set(stored.map(({ reason }) => reason)).size).toBe(21);
  expect(new Set(counted).size).toBe(101);
  expect(stored.at(-1)).toMatchObject({ reason: "other" });
});

test("what concerns no channel is counted only", async () => {
  const { reports, stored, counted } = create();
  await reports.add({ transport: "line", kind: "news", sample: 1, redact: (text) => text });
  expect([stored, counted]).toEqual([[], ["line news"]]);
});

const circular: { self?: unknown } = {};
circular.self = circular;

test.each([
  ["a long one", "x".repeat(100_000)],
  ["one that refers to itself", circular],
  ["none", undefined],
  ["a secret at the end of an escape", 'a"hush'],
])("the sample is JSON of bounded length: %s", async (_, sample) => {
  const { stored, add } = create();
  await add("news", sample);
  const { payload = "" } = stored[0] ?? {};
  expect(() => JSON.parse(payload)).not.toThrow();
  expect(payload.length).toBeLessThan(40_000);
});
