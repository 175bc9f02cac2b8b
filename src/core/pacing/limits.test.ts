import { describe, expect, it } from "vitest";
import type { Pacing } from "../transport/definition.ts";
import { allowanceAt, changedPacing, type PacingChanges } from "./limits.ts";

const DAY_MS = 86_400_000;
const OWN: Pacing = {
  channel: { perSecond: 0.5, burst: 5 },
  chat: { perSecond: 1, burst: 2 },
  chatOfType: { whatsgroup: { perSecond: 0.1, burst: 1 } },
  jitterMs: 2_000,
  firstContact: { perDay: 15, burst: 3, jitterMs: 60_000 },
  warmUp: { days: 10, share: 0.2 },
};
const { firstContact: _, warmUp: __, ...PLAIN } = OWN;

describe("changedPacing", () => {
  const cases: readonly (readonly [string, Pacing, PacingChanges, Partial<Pacing>])[] = [
    ["nothing", OWN, {}, {}],
    ["a slower channel", OWN, { perMinute: 3 }, { channel: { perSecond: 0.05, burst: 3 } }],
    ["a faster channel keeps its burst", OWN, { perMinute: 600 }, { channel: { perSecond: 10, burst: 5 } }],
    ["other jitter", OWN, { jitterMs: 0 }, { jitterMs: 0 }],
    [
      "another allowance",
      OWN,
      { firstContactsPerDay: 40 },
      { firstContact: { perDay: 40, burst: 3, jitterMs: 60_000 } },
    ],
    [
      "an allowance where there is none",
      PLAIN,
      { firstContactsPerDay: 21 },
      {
        firstContact: { perDay: 21, burst: 5, jitterMs: 0 },
      },
    ],
    ["a longer warm-up", OWN, { warmUpDays: 30 }, { warmUp: { days: 30, share: 0.2 } }],
    ["a warm-up where there is none", PLAIN, { warmUpDays: 4 }, { warmUp: { days: 4, share: 0.2 } }],
  ];
  it.each(cases)("%s", (_name, own, changes, changed) =>
    expect(changedPacing(own, changes)).toEqual({ ...own, ...changed }),
  );

  it("a chat's limit applies to chats of all types", () => {
    const { chatOfType, ...rest } = changedPacing(OWN, { chatPerMinute: 30 });
    expect(chatOfType).toBeUndefined();
    expect(rest.chat).toEqual({ perSecond: 0.5, burst: 2 });
  });

  it("a warm-up of 0 days disables it", () => {
    expect(changedPacing(OWN, { warmUpDays: 0 }).warmUp).toBeUndefined();
  });
});

describe("allowanceAt", () => {
  const cases: readonly (readonly [number, number, number])[] = [
    [0, 3, 3],
    [1, 4, 3],
    [5, 9, 3],
    [9.9, 14, 3],
    [10, 15, 3],
    [400, 15, 3],
    [-1, 3, 3],
  ];
  it.each(cases)("after %d days: %d, %d in a row", (days, perDay, burst) =>
    expect(allowanceAt(OWN, days * DAY_MS)).toEqual({ perDay, burst }),
  );

  it("is at least one, and fewer in a row than per day", () => {
    const firstContact = { perDay: 2, burst: 2, jitterMs: 0 };
    expect(allowanceAt({ ...OWN, firstContact }, 0)).toEqual({ perDay: 1, burst: 1 });
  });

  it("is 0 if so configured, and null without an allowance", () => {
    expect(allowanceAt(changedPacing(OWN, { firstContactsPerDay: 0 }), 0)?.perDay).toBe(0);
    expect(allowanceAt(PLAIN, 0)).toBeNull();
  });
});
